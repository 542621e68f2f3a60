import type { Invocation, Milliseconds, ResultLimit } from '../../shared/index.ts';
import type { Logger } from '../operation/types.ts';
import { deadlineOf } from '../startup/deadline.ts';
import type { Deadline, DeadlineSettings } from '../startup/deadline.ts';
import { BackgroundWork } from './background-work.ts';
import { Clock } from './clock.ts';
import type { ClockView, TimedCall } from './clock.ts';
import type { OpenCalls } from '../startup/open-calls.ts';

/** The members of PlatformAdapter that a call needs. */
export interface CallPlatform extends ResultLimit {
  readonly keepAlive?: (context: unknown) => ((work: Promise<unknown>) => void) | undefined;
  readonly onLeave?: (event: never, leave: () => void) => void;
  readonly timeLimit?: (context: unknown) => Milliseconds | undefined;
}

/** The server's settings for all calls. */
export interface CallSettings {
  logger(): Logger;
  /** Undefined: calls have no deadline. */
  deadline(): DeadlineSettings | undefined;
  readonly calls: Pick<OpenCalls, 'add'>;
}

/** One call of the handler: the platform's objects, the clock, and work that continues after the answer. */
export class PlatformInvocation implements Invocation, TimedCall {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly resultLimit: ResultLimit;
  readonly clock: Clock;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  // Created on first use.
  #view: ClockView | undefined = undefined;
  #work: BackgroundWork | undefined = undefined;

  constructor(call: Pick<Invocation, 'event' | 'context' | 'env'>, platform: CallPlatform, settings: CallSettings) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.resultLimit = platform;
    this.#platform = platform;
    this.#settings = settings;
    this.clock = new Clock(this);
  }

  get signal(): AbortSignal {
    return (this.#view ??= this.clock.view({ until: 'disconnect' })).signal;
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.clock.deadlineLeft();
  }

  findDeadline(begunAt: Milliseconds): Deadline | undefined {
    const settings = this.#settings.deadline();
    const assumed = this.#platform.timeLimit?.(this.context);
    return settings && deadlineOf(settings, { context: this.context, assumed, begunAt });
  }

  watchClient(leave: () => void): void {
    this.#platform.onLeave?.(this.event as never, leave);
  }

  get waitsForWork(): boolean {
    return this.#platform.keepAlive === undefined;
  }

  waitUntil(work: Promise<unknown>): void {
    const logged = Promise.resolve(work).catch((error: unknown) =>
      this.#settings.logger().error('Work passed to waitUntil failed.', error),
    );
    const watched = this.#settings.calls.add(logged);
    if (this.#platform.keepAlive === undefined) {
      (this.#work ??= new BackgroundWork()).add(watched);
      return;
    }
    const keepAlive = this.#platform.keepAlive(this.context);
    if (keepAlive === undefined) warnOfLostWork(this.#settings);
    else keepAlive(watched);
  }

  /** True if {@link settled} would wait. */
  get hasWork(): boolean {
    return this.#work?.isDone === false;
  }

  /** Waits for the work passed to `waitUntil`, up to a limit. */
  async settled(): Promise<void> {
    await this.#work?.settled(this.clock.deadline()?.lastMoment, () => this.#settings.logger());
  }
}

/** The handlers for which a warning has been logged. */
const warned = new WeakSet<CallSettings>();

function warnOfLostWork(settings: CallSettings): void {
  if (warned.has(settings)) return;
  warned.add(settings);
  settings
    .logger()
    .warn(
      'Work was passed to waitUntil, but this call has no waitUntil of the platform: the process may freeze before the work finishes. ' +
        'Pass the context of the platform to the handler, or { waitUntil }: on Next.js handler(request, { waitUntil: after }).',
    );
}
