import { deadlineOf } from './deadline.ts';
import type { Deadline, DeadlineSettings } from './deadline.ts';
import type { Invocation, Milliseconds } from './message/invocation.ts';
import { createError, deadlineExceeded, isGraphQLError } from './operation/errors.ts';
import type { Logger } from './operation/logger.ts';

/** Milliseconds that a buffered answer waits for what was handed to `waitUntil`. */
const patience = 1000;
/** A timer that is set to more than this fires at once. */
const longestTimer = 2 ** 31 - 1;

/** What a platform has to do with the life of a call: see PlatformAdapter. */
export interface CallPlatform {
  readonly keepAlive?: (context: unknown) => (work: Promise<unknown>) => void;
  readonly onLeave?: (event: never, leave: () => void) => void;
  readonly timeLimit?: (context: unknown) => Milliseconds | undefined;
}

/** What the server has to say about every call. */
export interface CallSettings {
  logger(): Logger;
  /** Undefined: calls may take as long as they like. */
  deadline(): DeadlineSettings | undefined;
}

/** One call of the handler. All state of a request hangs on it; none is in a module. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  // Made for the first who asks: an operation in which nothing is asynchronous asks for none of it, and does not pay.
  #ending: Ending | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #work: Promise<unknown>[] | undefined = undefined;
  #hasAnswer = false;

  constructor(call: Pick<Invocation, 'event' | 'context' | 'env'>, platform: CallPlatform, settings: CallSettings) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.#platform = platform;
    this.#settings = settings;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const ending = this.#awaitEnding();
      ending.controller = this.#controller;
      if (ending.reason !== undefined) this.#controller.abort(ending.reason);
    }
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#hasAnswer;
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#makeEnding().deadline();
    return deadline && deadline.at - Date.now();
  }

  onTimeUp(callback: (reason: Error) => void): () => void {
    return this.#awaitEnding().onTimeUp(callback);
  }

  onLastMoment(callback: () => void): () => void {
    return this.#awaitEnding().onLastMoment(callback);
  }

  waitUntil(work: Promise<unknown>): void {
    const watched = Promise.resolve(work).catch((error: unknown) => {
      this.#settings.logger().error('Work handed to waitUntil failed.', error);
    });
    const keepAlive = this.#platform.keepAlive?.(this.context);
    // Without it the answer waits for work, because the process freezes after it.
    if (keepAlive === undefined) (this.#work ??= []).push(watched);
    else keepAlive(watched);
  }

  /** The answer has been made: from then on nobody can leave without it, some platforms abort after every answer, and the deadline is kept. */
  answered(): void {
    this.#hasAnswer = true;
    this.#ending?.stop();
  }

  left(): void {
    if (this.#hasAnswer) return;
    this.#makeEnding().timeUp(clientLeft());
    this.answered();
  }

  /** Whether there is anything for {@link settled} to wait for. */
  get hasWork(): boolean {
    return this.#work !== undefined;
  }

  /** Resolves when the work handed to `waitUntil` is done, or has been waited for long enough. */
  async settled(): Promise<void> {
    if (this.#work === undefined) return;
    const deadline = this.#makeEnding().deadline();
    const left = deadline === undefined ? Infinity : deadline.lastMoment - Date.now();
    const limit = Math.max(0, Math.min(patience, Math.floor(left)));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeUp = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), limit);
    });
    const outcome = await Promise.race([done(this.#work), timeUp]);
    clearTimeout(timer);
    if (outcome === 'late')
      this.#settings.logger().warn(`Work handed to waitUntil was not done ${limit} ms after the answer. The platform may freeze it.`);
  }

  /** The options are known now, which they need not have been when the call began. */
  optionsAreKnown(): void {
    if (!this.#hasAnswer) this.#ending?.optionsAreKnown();
  }

  /** The ending, with somebody to watch for it. */
  #awaitEnding(): Ending {
    const ending = this.#makeEnding();
    if (this.#hasAnswer || ending.isAwaited) return ending;
    ending.start();
    this.#platform.onLeave?.(this.event as never, () => {
      if (!this.#hasAnswer) ending.timeUp(clientLeft());
    });
    return ending;
  }

  #makeEnding(): Ending {
    return (this.#ending ??= new Ending(this, this.#platform, this.#settings));
  }
}

function clientLeft(): Error {
  return new Error('The client left before it had its answer.');
}

/** When and why a call comes to an end without being finished, and who is told. */
class Ending {
  isAwaited = false;
  /** Why the time is up. Undefined as long as it is not. */
  reason: Error | undefined = undefined;
  /** Is aborted after all others have been told: what they had so far is saved by then, and what it breaks off is of no interest any more. */
  controller: AbortController | undefined = undefined;
  readonly #context: unknown;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  #used: DeadlineSettings | undefined = undefined;
  #begunAt: Milliseconds | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  /** The reason, as the error of what has not been finished. */
  #error: Error | undefined = undefined;
  readonly #timeUp: Set<(reason: Error) => void> = new Set();
  readonly #lastMoment: Set<() => void> = new Set();
  #isLate = false;
  #turn: ReturnType<typeof setImmediate> | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;

  constructor({ context }: { readonly context: unknown }, platform: CallPlatform, settings: CallSettings) {
    this.#context = context;
    this.#platform = platform;
    this.#settings = settings;
  }

  /** Found when first asked for: what came before was synchronous, and to read the clock in every call would cost those that do not wait. */
  deadline(): Deadline | undefined {
    if (this.#begunAt !== undefined) return this.#deadline;
    this.#begunAt = Date.now();
    return this.#find(this.#begunAt);
  }

  #find(begunAt: Milliseconds): Deadline | undefined {
    this.#used = this.#settings.deadline();
    const assumed = this.#platform.timeLimit?.(this.#context);
    this.#deadline = this.#used && deadlineOf(this.#used, { context: this.#context, assumed, begunAt });
    return this.#deadline;
  }

  optionsAreKnown(): void {
    if (this.#begunAt === undefined || this.#used === this.#settings.deadline()) return;
    this.#find(this.#begunAt);
    if (!this.isAwaited) return;
    clearTimeout(this.#timer);
    this.#setTimer();
  }

  /**
   * Sets the timer, unless there is an answer within this turn of the event loop, as there is where promises are asynchronous
   * in name only. A timer costs 1 of the 42 µs of 50 objects with 100 such promises, an immediate a fifth of that.
   */
  start(): void {
    this.isAwaited = true;
    // Not every platform has it.
    if (typeof setImmediate === 'function') this.#turn = setImmediate(() => this.#setTimer());
    else this.#setTimer();
  }

  #setTimer(): void {
    const deadline = this.deadline();
    if (deadline === undefined) return;
    this.#ring(deadline.at, () => {
      this.#ring(deadline.lastMoment, () => this.#late());
      this.timeUp(deadlineExceeded());
    });
  }

  stop(): void {
    if (this.#turn !== undefined) clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#timeUp.clear();
    this.#lastMoment.clear();
  }

  onTimeUp(callback: (reason: Error) => void): () => void {
    if (this.#error === undefined) this.#timeUp.add(callback);
    else callback(this.#error);
    return () => this.#timeUp.delete(callback);
  }

  onLastMoment(callback: () => void): () => void {
    if (this.#isLate) callback();
    else this.#lastMoment.add(callback);
    return () => this.#lastMoment.delete(callback);
  }

  timeUp(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#error = isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message);
    for (const tell of this.#timeUp) tell(this.#error);
    this.controller?.abort(reason);
  }

  #late(): void {
    this.#isLate = true;
    for (const tell of this.#lastMoment) tell();
  }

  #ring(at: Milliseconds, ring: () => void): void {
    const left = Math.max(0, at - Date.now());
    if (left <= longestTimer) this.#timer = setTimeout(ring, left);
  }
}

/** Work may hand over more work before it ends. */
async function done(work: Promise<unknown>[]): Promise<void> {
  while (work.length > 0) await Promise.all(work.splice(0));
}
