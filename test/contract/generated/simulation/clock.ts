import { AsyncLocalStorage } from 'node:async_hooks';

import type { Random } from '../../../support/random.ts';

/**
 * A process of the simulated world. Its timers, and the answers that it waits for, reach it only while it runs: a frozen process gets them
 * when it is thawed, and a dead one never.
 */
export class Process {
  state: 'running' | 'frozen' | 'dead' = 'running';
  /** True if it was ever frozen while something was due. */
  hasMissed = false;
  readonly #clock: Clock;
  readonly #held: Event[] = [];
  readonly #mourners = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs code in this process, for the request with this name. What the code waits for, also much later, belongs to the process. */
  run<T>(request: string, code: () => T): T {
    return active.run({ process: this, request }, code);
  }

  freeze(): void {
    if (this.state === 'running') this.state = 'frozen';
  }

  thaw(): void {
    if (this.state !== 'frozen') return;
    this.state = 'running';
    for (const { run, activity } of this.#held.splice(0)) this.#clock.after(0, run, activity);
  }

  die(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    for (const mourn of this.#mourners) mourn();
  }

  /** Calls back if the process dies. Returns a function that removes the callback. */
  onDeath(callback: () => void): () => void {
    this.#mourners.add(callback);
    return () => void this.#mourners.delete(callback);
  }

  hold(event: Event): void {
    this.hasMissed = true;
    this.#held.push(event);
  }
}

/** The code that runs: of this process, for the request with this name. */
export interface Activity {
  readonly process: Process;
  readonly request: string;
}

const active = new AsyncLocalStorage<Activity>();

/** Undefined for code of the world outside of the processes. */
export function activity(): Activity | undefined {
  return active.getStore();
}

interface Event {
  readonly at: number;
  readonly activity: Activity | undefined;
  readonly run: () => void;
  isCanceled: boolean;
}

const realImmediate = globalThis.setImmediate;
const turnOfEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    realImmediate(resolve);
  });

const originals = {
  global: { setTimeout, clearTimeout, setImmediate, clearImmediate },
  Date: { now: Date.now },
  Math: { random: Math.random },
  performance: { now: performance.now },
  // Not of the machine of the tests either. Where system calls are slow, these two took a tenth of a history.
  process: { cpuUsage: process.cpuUsage, constrainedMemory: process.constrainedMemory },
};

/** Replaces the clocks and timers of this process until `uninstall`: time passes in jumps, from one event to the next. */
export class Clock {
  static readonly start: number = Date.UTC(2026, 10, 24);
  #now = Clock.start;
  /** In order of time. */
  readonly #events: Event[] = [];
  readonly #immediates: Event[] = [];

  /** Milliseconds since the start. */
  get now(): number {
    return this.#now - Clock.start;
  }

  install(random: Random): void {
    Math.random = () => random.next();
    Date.now = () => this.#now;
    performance.now = () => this.now;
    process.cpuUsage = () => ({ user: this.now * 1_000, system: 0 });
    process.constrainedMemory = () => 0;
    globalThis.setTimeout = ((callback: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) =>
      new Timer(this.after(Math.max(1, Math.trunc(milliseconds)), () => callback(...given), activity()))) as never;
    globalThis.setImmediate = ((callback: (...given: unknown[]) => void, ...given: unknown[]) => {
      const event: Event = { at: this.#now, activity: activity(), run: () => callback(...given), isCanceled: false };
      this.#immediates.push(event);
      return new Timer(event);
    }) as never;
    for (const name of ['clearTimeout', 'clearImmediate'] as const)
      globalThis[name] = (timer: unknown) => {
        if (timer instanceof Timer) timer.event.isCanceled = true;
        else originals.global[name](timer as never);
      };
  }

  uninstall(): void {
    Object.assign(globalThis, originals.global);
    Object.assign(Date, originals.Date);
    Object.assign(Math, originals.Math);
    Object.assign(performance, originals.performance);
    Object.assign(process, originals.process);
  }

  /** Runs code after some milliseconds, in its process if that then runs. */
  after(milliseconds: number, run: () => void, of: Activity | undefined): Event {
    const event: Event = { at: this.#now + milliseconds, activity: of, run, isCanceled: false };
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.at > event.at) place--;
    this.#events.splice(place, 0, event);
    return event;
  }

  /** Resolves after some milliseconds, outside of all processes. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve, undefined);
    });
  }

  /** Lets time pass until nothing is due, at most until this moment, in milliseconds since the start. Returns the number of events that are left. */
  async run(end: number): Promise<number> {
    const last = Clock.start + end;
    await this.#settle();
    while (this.#events.length > 0 && this.#events[0]!.at <= last) {
      const event = this.#events.shift()!;
      if (event.isCanceled || event.activity?.process.state === 'dead') continue;
      this.#now = Math.max(this.#now, event.at);
      if (this.#deliver(event)) await this.#settle();
    }
    return this.#events.filter((event) => !event.isCanceled && event.activity?.process.state !== 'dead').length;
  }

  /** Runs an event in its process. A frozen process gets it later. */
  #deliver(event: Event): boolean {
    const { activity: of, isCanceled, run } = event;
    if (isCanceled || of?.process.state === 'dead') return false;
    if (of?.process.state === 'frozen') of.process.hold(event);
    else active.run(of as Activity, run);
    return of?.process.state !== 'frozen';
  }

  /** Waits for microtasks, and for the immediates that they schedule. */
  async #settle(): Promise<void> {
    await turnOfEventLoop();
    for (let next = this.#immediates.shift(); next !== undefined; next = this.#immediates.shift())
      if (this.#deliver(next)) await turnOfEventLoop();
  }
}

class Timer {
  readonly event: Event;

  constructor(event: Event) {
    this.event = event;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}
