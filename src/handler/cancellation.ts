import { deadlineOf } from '../server/deadline.ts';
import type { ResultLimit } from '../message/answer-size.ts';
import type { Deadline, DeadlineSettings } from '../server/deadline.ts';
import type { Milliseconds } from '../message/invocation.ts';
import { createError, deadlineExceeded, isGraphQLError } from '../operation/errors.ts';
import type { Logger } from '../operation/types.ts';

/** A timer that is set to more than this fires at once. */
const longestTimer = 2 ** 31 - 1;

/** What a platform has to do with the life of a call: see PlatformAdapter. */
export interface CallPlatform extends ResultLimit {
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

/** When and why a call comes to an end without being finished, and who is told. */
export class Cancellation {
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
  readonly #cancel: Set<(reason: Error) => void> = new Set();
  readonly #lastMoment: Set<() => void> = new Set();
  #isLate = false;
  #turn: ReturnType<typeof setImmediate> | undefined = undefined;
  /** Begins to watch for the client that leaves. Undefined: it has begun. */
  #watch: (() => void) | undefined = undefined;
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
   * Sets the timer and watches for the client that leaves, unless there is an answer within this turn of the event loop, as
   * there is where promises are asynchronous in name only. A timer costs 1 of the 42 µs of 50 objects with 100 such promises, an
   * immediate a fifth of that; a listener on the signal of a `Request` 2 µs on Node, 6 on Deno and workerd.
   */
  start(watch: () => void): void {
    this.isAwaited = true;
    this.#watch = watch;
    const turn = (): void => {
      this.#setTimer();
      this.watch();
    };
    // Workers have no immediates, and a timer costs more there than a listener (15 µs).
    if (typeof setImmediate === 'function') this.#turn = setImmediate(turn);
    else turn();
  }

  /** From now on, and not from the next turn: somebody does work that a client's leaving ends. */
  watch(): void {
    const watch = this.#watch;
    this.#watch = undefined;
    watch?.();
  }

  #setTimer(): void {
    const deadline = this.deadline();
    if (deadline === undefined) return;
    this.#ring(deadline.at, () => {
      this.#ring(deadline.lastMoment, () => this.#late());
      this.cancel(deadlineExceeded());
    });
  }

  stop(): void {
    this.#watch = undefined;
    if (this.#turn !== undefined) clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#cancel.clear();
    this.#lastMoment.clear();
  }

  onCancel(callback: (reason: Error) => void): () => void {
    if (this.#error === undefined) this.#cancel.add(callback);
    else callback(this.#error);
    return () => this.#cancel.delete(callback);
  }

  onLastMoment(callback: () => void): () => void {
    if (this.#isLate) callback();
    else this.#lastMoment.add(callback);
    return () => this.#lastMoment.delete(callback);
  }

  cancel(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#error = isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message);
    for (const tell of this.#cancel) tell(this.#error);
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

/** Why a call ends whose client did not wait for it. */
export function clientLeft(): Error {
  return new Error('The client left before it had its answer.');
}
