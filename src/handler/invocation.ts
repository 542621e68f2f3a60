import { BackgroundWork } from './background-work.ts';
import type { ResultLimit } from '../message/answer-size.ts';
import type { Invocation, Milliseconds } from '../message/invocation.ts';
import { createError, deadlineExceeded, isGraphQLError } from '../operation/errors.ts';
import type { Logger } from '../operation/types.ts';
import { deadlineOf } from '../server/deadline.ts';
import type { Deadline, DeadlineSettings } from '../server/deadline.ts';

/** A timer that is set to more than this fires at once. */
const longestTimer = 2 ** 31 - 1;

/** The platform's part in the end of a call: see PlatformAdapter. */
export interface CallPlatform extends ResultLimit {
  readonly keepAlive?: (context: unknown) => (work: Promise<unknown>) => void;
  readonly onLeave?: (event: never, leave: () => void) => void;
  readonly timeLimit?: (context: unknown) => Milliseconds | undefined;
}

/** The server's settings for every call. */
export interface CallSettings {
  logger(): Logger;
  /** Undefined: calls may take as long as they like. */
  deadline(): DeadlineSettings | undefined;
}

/**
 * How far a call has come to its end. A call only moves down this list, and may skip any state but the last:
 * - `open`: it is worked on
 * - `cancelled`: the deadline has come, or the client has left; what is finished is answered
 * - `late`: the last moment has come; nothing is waited for
 * - `answered`: the last byte is out, or the client has left; no work is begun, and no listener is called
 */
type Cancellation = Unanswered | { readonly kind: 'answered'; readonly before: Unanswered };

type Unanswered =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'cancelled' | 'late';
      /** Why: what the signal is aborted with. */
      readonly reason: Error;
      /** The same, as the error of what has not been finished. */
      readonly error: Error;
    };

// The two states of a call that nothing asynchronous has part in: no request has to make them.
const open: Unanswered = { kind: 'open' };
const answeredInTime: Cancellation = { kind: 'answered', before: open };

type Callback = (reason: Error) => void;

/** Those who wait in a call, and what will call them back. */
interface Waiting {
  // Lists, for they are short: two sets took 0.3 µs of a call.
  onCancel: readonly Callback[];
  onLastMoment: readonly Callback[];
  /** Undefined when it has come. */
  turn: ReturnType<typeof setImmediate> | undefined;
  /** Undefined where no deadline is known. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** True when the platform is asked to say when the client leaves. */
  watchesClient: boolean;
}

/** The time of a call: found when first asked for, and again when the options are known. */
interface CallTimes {
  readonly begunAt: Milliseconds;
  readonly settings: DeadlineSettings | undefined;
  readonly deadline: Deadline | undefined;
}

/** One call of the handler. All state of a request hangs on it; none is in a module. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly resultLimit: ResultLimit;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  #cancellation: Cancellation = open;
  // Made when it is first asked for: an operation in which nothing is asynchronous does without, and does not pay.
  #waiting: Waiting | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #times: CallTimes | undefined = undefined;
  #work: BackgroundWork | undefined = undefined;

  constructor(call: Pick<Invocation, 'event' | 'context' | 'env'>, platform: CallPlatform, settings: CallSettings) {
    this.event = call.event;
    this.context = call.context;
    this.env = call.env;
    this.resultLimit = platform;
    this.#platform = platform;
    this.#settings = settings;
  }

  get isOver(): boolean {
    return this.#cancellation.kind === 'answered';
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#watchClient(this.#wait());
      const { reason } = this.#cause;
      if (reason !== undefined) this.#controller.abort(reason);
    }
    return this.#controller.signal;
  }

  onCancel(callback: (reason: Error) => void): () => void {
    const waiting = this.#wait();
    if (waiting?.turn === undefined) this.#watchClient(waiting);
    const { error } = this.#cause;
    if (error === undefined) return listen(waiting, 'onCancel', callback);
    callback(error);
    return () => {};
  }

  onLastMoment(callback: () => void): () => void {
    const waiting = this.#wait();
    if (this.#cause.kind !== 'late') return listen(waiting, 'onLastMoment', callback);
    callback();
    return () => {};
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#deadline();
    return deadline && deadline.at - Date.now();
  }

  /** The options are known now, which they need not have been when the call began. */
  optionsAreKnown(): void {
    if (this.isOver || this.#times === undefined || this.#times.settings === this.#settings.deadline()) return;
    this.#times = this.#findTimes(this.#times.begunAt);
    if (this.#waiting !== undefined) this.#setTimer(this.#waiting);
  }

  /** The answer has been made. A client that leaves after it has not left early: some platforms abort after every answer. */
  answered(): void {
    const before = this.#cancellation;
    if (before.kind === 'answered') return;
    this.#cancellation = before === open ? answeredInTime : { kind: 'answered', before };
    if (this.#waiting !== undefined) stopWaiting(this.#waiting);
  }

  left(): void {
    if (this.isOver) return;
    this.#cancel(clientLeft());
    this.answered();
  }

  waitUntil(work: Promise<unknown>): void {
    const watched = Promise.resolve(work).catch((error: unknown) => {
      this.#settings.logger().error('Work handed to waitUntil failed.', error);
    });
    const keepAlive = this.#platform.keepAlive?.(this.context);
    if (keepAlive === undefined) (this.#work ??= new BackgroundWork()).add(watched);
    else keepAlive(watched);
  }

  /** True when there is anything for {@link settled} to wait for. */
  get hasWork(): boolean {
    return this.#work?.isDone === false;
  }

  /** Resolves when the work handed to `waitUntil` is done, or has been waited for long enough. */
  async settled(): Promise<void> {
    await this.#work?.settled(this.#deadline()?.lastMoment, () => this.#settings.logger());
  }

  /** The state before there was an answer: a call that was cancelled stays so. */
  get #cause(): { readonly kind: Unanswered['kind']; readonly reason?: Error; readonly error?: Error } {
    return this.#cancellation.kind === 'answered' ? this.#cancellation.before : this.#cancellation;
  }

  #cancel(reason: Error): void {
    if (this.#cancellation.kind !== 'open') return;
    const error = isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message);
    this.#cancellation = { kind: 'cancelled', reason, error };
    for (const tell of this.#waiting?.onCancel ?? []) tell(error);
    // After all others: they have saved their finished parts by then, and the work that the signal ends is no longer needed.
    this.#controller?.abort(reason);
  }

  #end(waiting: Waiting): void {
    if (this.#cancellation.kind !== 'cancelled') return;
    this.#cancellation = { ...this.#cancellation, kind: 'late' };
    for (const tell of waiting.onLastMoment) tell(this.#cancellation.error);
  }

  /** Begins to wait. The clock runs from now on. */
  #wait(): Waiting | undefined {
    if (this.#waiting !== undefined || this.isOver) return this.#waiting;
    const waiting: Waiting = { onCancel: [], onLastMoment: [], turn: undefined, timer: undefined, watchesClient: false };
    this.#waiting = waiting;
    this.#deadline();
    // Workers have no immediates.
    if (typeof setImmediate === 'function') waiting.turn = setImmediate(() => this.#watch(waiting));
    else this.#watch(waiting);
    return waiting;
  }

  /**
   * In the next turn of the event loop, unless there is an answer by then, as there is where promises are asynchronous in name only: a
   * timer costs 1 µs, a listener on the signal of a `Request` 2 on Node, 6 on Deno and workerd, an immediate 0.1.
   */
  #watch(waiting: Waiting): void {
    waiting.turn = undefined;
    if (waiting.onCancel.length > 0) this.#watchClient(waiting);
    this.#setTimer(waiting);
  }

  /** Some work has begun that a client's leaving ends. One that has left before is noticed when the platform is asked. */
  #watchClient(waiting: Waiting | undefined): void {
    if (waiting === undefined || waiting.watchesClient || this.isOver) return;
    waiting.watchesClient = true;
    this.#platform.onLeave?.(this.event as never, () => this.#cancel(clientLeft()));
  }

  /** In place of the one that is set, which was that of other options. */
  #setTimer(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    const deadline = this.#deadline();
    if (deadline === undefined) return;
    waiting.timer = timerAt(deadline.at, () => {
      waiting.timer = timerAt(deadline.lastMoment, () => this.#end(waiting));
      this.#cancel(deadlineExceeded());
    });
  }

  /** Everything before the first question was synchronous: to read the clock in every call would cost those that do not wait. */
  #deadline(): Deadline | undefined {
    return (this.#times ??= this.#findTimes(Date.now())).deadline;
  }

  #findTimes(begunAt: Milliseconds): CallTimes {
    const settings = this.#settings.deadline();
    const assumed = this.#platform.timeLimit?.(this.context);
    return { begunAt, settings, deadline: settings && deadlineOf(settings, { context: this.context, assumed, begunAt }) };
  }
}

function timerAt(at: Milliseconds, ring: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(ring, left) : undefined;
}

/** Returns what takes the callback back. */
function listen(waiting: Waiting | undefined, kind: 'onCancel' | 'onLastMoment', callback: Callback): () => void {
  if (waiting === undefined) return () => {};
  waiting[kind] = [...waiting[kind], callback];
  return () => {
    waiting[kind] = waiting[kind].filter((one) => one !== callback);
  };
}

function stopWaiting(waiting: Waiting): void {
  if (waiting.turn !== undefined) clearImmediate(waiting.turn);
  clearTimeout(waiting.timer);
  waiting.onCancel = waiting.onLastMoment = [];
}

/** Why a call ends whose client did not wait for it. */
function clientLeft(): Error {
  return new Error('The client left before it had its answer.');
}
