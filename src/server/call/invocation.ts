import { BackgroundWork } from './background-work.ts';
import { DeadlineInvocation } from './deadline-invocation.ts';
import type { Invocation, Milliseconds, OperationInvocation, ResultLimit } from '../../shared/index.ts';
import { createError, isGraphQLError, unfinishedAtDeadline } from '../operation/errors.ts';
import type { Logger } from '../operation/types.ts';
import { deadlineOf } from '../startup/deadline.ts';
import type { Deadline, DeadlineSettings } from '../startup/deadline.ts';

/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

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
}

/**
 * The state of a call. A call only moves down this list, and may skip any state but the last:
 * - `open`: work is in progress
 * - `cancelled`: the deadline has passed, or the client has left; finished parts become the answer
 * - `late`: the last moment has passed; nothing is awaited
 * - `answered`: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
type Cancellation = Unanswered | { readonly kind: 'answered'; readonly before: Unanswered };

type Unanswered =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'cancelled' | 'late';
      /** The signal's abort reason. */
      readonly reason: Error;
      /** The same as a GraphQLError, for work that was not finished. */
      readonly error: Error;
    };

// Constants, so that synchronous calls need not create their two states.
const open: Unanswered = { kind: 'open' };
const answeredInTime: Cancellation = { kind: 'answered', before: open };

type Callback = (reason: Error) => void;

/** The callbacks of a call, and its timers. */
interface Waiting {
  // Short lists: two sets took 0.3 µs of a call.
  onCancel: readonly Callback[];
  onDeadline: readonly Callback[];
  onLastMoment: readonly Callback[];
  /** The immediate that starts timer and client watching. Undefined when it has run. */
  turn: ReturnType<typeof setImmediate> | undefined;
  /** Undefined if there is no deadline. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined until the deadline. */
  deadlineError: Error | undefined;
  /** True when the platform has been asked to report that the client leaves. */
  watchesClient: boolean;
}

/** The times of a call. Computed on first use, and again when the options are known. */
interface CallTimes {
  readonly begunAt: Milliseconds;
  readonly settings: DeadlineSettings | undefined;
  readonly deadline: Deadline | undefined;
}

/** One call of the handler. Holds all state of a request; modules hold none. */
export class PlatformInvocation implements Invocation {
  readonly event: unknown;
  readonly context: unknown;
  readonly env: unknown;
  readonly resultLimit: ResultLimit;
  readonly #platform: CallPlatform;
  readonly #settings: CallSettings;
  #cancellation: Cancellation = open;
  // Created on first use: synchronous operations do not need it.
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

  /** Calls back at the deadline, even if the client has left before; at once if the deadline has passed. */
  onDeadline(callback: (reason: Error) => void): () => void {
    const waiting = this.#wait();
    if (waiting?.deadlineError === undefined) return listen(waiting, 'onDeadline', callback);
    callback(waiting.deadlineError);
    return () => {};
  }

  get untilDeadline(): OperationInvocation {
    return new DeadlineInvocation(this);
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#deadline();
    return deadline && deadline.at - Date.now();
  }

  /** Called when the server has started: its options may not have been known when the call began. */
  optionsAreKnown(): void {
    if (this.isOver || this.#times === undefined || this.#times.settings === this.#settings.deadline()) return;
    this.#times = this.#findTimes(this.#times.begunAt);
    if (this.#waiting !== undefined) this.#setTimer(this.#waiting);
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
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

  get waitsForWork(): boolean {
    return this.#platform.keepAlive === undefined;
  }

  waitUntil(work: Promise<unknown>): void {
    const watched = Promise.resolve(work).catch((error: unknown) => {
      this.#settings.logger().error('Work passed to waitUntil failed.', error);
    });
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
    await this.#work?.settled(this.#deadline()?.lastMoment, () => this.#settings.logger());
  }

  /** The state before the answer: a call that was cancelled stays cancelled. */
  get #cause(): { readonly kind: Unanswered['kind']; readonly reason?: Error; readonly error?: Error } {
    return this.#cancellation.kind === 'answered' ? this.#cancellation.before : this.#cancellation;
  }

  #cancel(reason: Error): void {
    if (this.#cancellation.kind !== 'open') return;
    const error = isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message);
    this.#cancellation = { kind: 'cancelled', reason, error };
    for (const notify of this.#waiting?.onCancel ?? []) notify(error);
    // Last: by now the callbacks have saved their finished parts, and the work that the signal stops is no longer needed.
    this.#controller?.abort(reason);
  }

  #end(waiting: Waiting): void {
    if (this.#cancellation.kind !== 'cancelled') return;
    this.#cancellation = { ...this.#cancellation, kind: 'late' };
    for (const notify of waiting.onLastMoment) notify(this.#cancellation.error);
  }

  /** Starts the clock and, one turn later, the timer. */
  #wait(): Waiting | undefined {
    if (this.#waiting !== undefined || this.isOver) return this.#waiting;
    const waiting: Waiting = {
      onCancel: [],
      onDeadline: [],
      onLastMoment: [],
      turn: undefined,
      timer: undefined,
      deadlineError: undefined,
      watchesClient: false,
    };
    this.#waiting = waiting;
    this.#deadline();
    // Cloudflare Workers may lack setImmediate.
    waiting.turn = globalThis.setImmediate?.(() => this.#watch(waiting));
    if (waiting.turn === undefined) this.#watch(waiting);
    return waiting;
  }

  /**
   * Runs in the next turn of the event loop, unless there is an answer by then, as with promises that resolve at once: a timer costs 1 µs,
   * a listener on the signal of a `Request` 2 µs on Node and 6 on Deno and workerd, an immediate 0.1.
   */
  #watch(waiting: Waiting): void {
    waiting.turn = undefined;
    if (waiting.onCancel.length > 0) this.#watchClient(waiting);
    this.#setTimer(waiting);
  }

  /** Watches for the client to leave, once there is work to cancel. The platform reports at once if the client has left already. */
  #watchClient(waiting: Waiting | undefined): void {
    if (waiting === undefined || waiting.watchesClient || this.isOver) return;
    waiting.watchesClient = true;
    this.#platform.onLeave?.(this.event as never, () => this.#cancel(clientLeft()));
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    const deadline = this.#deadline();
    if (deadline === undefined) return;
    waiting.timer = timerAt(deadline.at, () => {
      waiting.timer = timerAt(deadline.lastMoment, () => this.#end(waiting));
      const error = (waiting.deadlineError = unfinishedAtDeadline());
      for (const notify of waiting.onDeadline) notify(error);
      this.#cancel(error);
    });
  }

  /** Reads the clock on first use, because calls that never wait need no time. Everything before is synchronous, so little time is lost. */
  #deadline(): Deadline | undefined {
    return (this.#times ??= this.#findTimes(Date.now())).deadline;
  }

  #findTimes(begunAt: Milliseconds): CallTimes {
    const settings = this.#settings.deadline();
    const assumed = this.#platform.timeLimit?.(this.context);
    return { begunAt, settings, deadline: settings && deadlineOf(settings, { context: this.context, assumed, begunAt }) };
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

function timerAt(at: Milliseconds, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(callback, left) : undefined;
}

/** Adds a callback, and returns a function that removes it. */
function listen(waiting: Waiting | undefined, kind: 'onCancel' | 'onDeadline' | 'onLastMoment', callback: Callback): () => void {
  if (waiting === undefined) return () => {};
  waiting[kind] = [...waiting[kind], callback];
  return () => {
    waiting[kind] = waiting[kind].filter((one) => one !== callback);
  };
}

function stopWaiting(waiting: Waiting): void {
  if (waiting.turn !== undefined) globalThis.clearImmediate(waiting.turn);
  clearTimeout(waiting.timer);
  waiting.onCancel = waiting.onDeadline = waiting.onLastMoment = [];
}

function clientLeft(): Error {
  return new Error('The client disconnected before the answer was sent.');
}
