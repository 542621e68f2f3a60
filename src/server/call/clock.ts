import type { CallClock, PromiseOrValue, LateFallbacks, Milliseconds, OperationInvocation, Until } from '../../shared/index.ts';
import { createError, unfinishedAtDeadline } from '../operation/errors.ts';
import { isGraphQLError } from '../../shared/index.ts';
import type { Deadline } from '../startup/deadline.ts';

/** The members of a call that its clock uses. */
export interface TimedCall {
  /** The moments at which a call that began then must end. Undefined: there is no limit. */
  findDeadline(begunAt: Milliseconds): Deadline | undefined;
  /** Calls back if the client disconnects, or has disconnected already. */
  watchClient(leave: () => void): void;
  waitUntil(work: Promise<unknown>): void;
}

/** Why work of a call was canceled. */
interface Cancellation {
  /** The abort reason of signals. */
  readonly reason: Error;
  /** The reason as a GraphQLError, for work that was not finished. */
  readonly error: Error;
}

/** The cancellation of each kind of view, once it has happened. */
type Cancellations = Readonly<Record<Until, Cancellation | undefined>>;

// A constant, so that calls that are not canceled create none.
const none: Cancellations = { disconnect: undefined, deadline: undefined };

/** Signals fire last: by then the callbacks have saved what is finished, and the work that a signal stops is no longer needed. */
type Moment = 'canceled' | 'aborted' | 'late';

interface Listener {
  readonly view: { readonly until: Until };
  readonly callback: (cancellation: Cancellation) => void;
}

/** The listeners of a call. They are short lists, because two sets took 0.3 µs of a call. */
interface Waiting extends Record<Moment, readonly Listener[]> {
  /** The immediate that sets the timer and watches the client. Undefined when it has run. */
  turn: ReturnType<typeof setImmediate> | undefined;
  /** Undefined if there is no deadline. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** True when the platform has been asked to report that the client leaves. */
  watchesClient: boolean;
}

/**
 * The clock of a call. A call only moves down this list, and may skip any state but the last:
 * - open: work is in progress
 * - canceled: the deadline has passed, or the client has left; finished parts become the answer
 * - late: the last moment has passed; nothing is awaited
 * - answered: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
export class Clock implements CallClock {
  readonly #call: TimedCall;
  #canceled = none;
  #isLate = false;
  #isAnswered = false;
  // Created when first needed: synchronous operations need none of these.
  #begunAt: Milliseconds | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #waiting: Waiting | undefined = undefined;
  /** Called when the answer is complete. */
  onAnswered: (() => void) | undefined = undefined;

  constructor(call: TimedCall) {
    this.#call = call;
  }

  view({ until }: { readonly until: Until }): ClockView {
    return new ClockView(this, this.#call, until);
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.deadline();
    return deadline && deadline.at - Date.now();
  }

  /** Reads the time on first use, because calls that never wait need none. All code before it is synchronous, so little time is lost. */
  deadline(): Deadline | undefined {
    if (this.#begunAt === undefined) this.#deadline = this.#call.findDeadline((this.#begunAt = Date.now()));
    return this.#deadline;
  }

  /** Called when the server has started: its options may not have been known when the call began. */
  optionsAreKnown(): void {
    if (this.#begunAt === undefined || this.#isAnswered) return;
    this.#deadline = this.#call.findDeadline(this.#begunAt);
    if (this.#waiting !== undefined) this.#setTimer(this.#waiting);
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
  answered(): void {
    if (this.#isAnswered) return;
    this.#isAnswered = true;
    if (this.#waiting !== undefined) stopWaiting(this.#waiting);
    this.onAnswered?.();
  }

  left(): void {
    this.#cancel(['disconnect'], clientLeft());
    this.answered();
  }

  /** Calls back once, when work of the view is canceled; at once if it has been. Returns a function that removes the callback. */
  onCancel(moment: 'canceled' | 'aborted', listener: Listener): () => void {
    const waiting = this.#wait();
    // A signal is read at once. A callback may wait for the next turn, in which there may be an answer.
    if (waiting !== undefined && (moment === 'aborted' || waiting.turn === undefined)) this.#watchClient(waiting, [listener]);
    const cancellation = this.#canceled[listener.view.until];
    if (cancellation === undefined) return listen(waiting, moment, listener);
    listener.callback(cancellation);
    return () => {};
  }

  onLate(listener: Listener & { readonly callback: () => void }): () => void {
    const waiting = this.#wait();
    if (!this.#isLate) return listen(waiting, 'late', listener);
    listener.callback();
    return () => {};
  }

  /** Cancels the work of these views. The first reason counts. */
  #cancel(untils: readonly Until[], reason: Error): void {
    if (this.#isAnswered) return;
    const before = this.#canceled;
    const due = untils.filter((until) => before[until] === undefined);
    if (due.length === 0) return;
    const cancellation: Cancellation = { reason, error: isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message) };
    this.#canceled = { ...before, ...Object.fromEntries(due.map((until) => [until, cancellation])) };
    const isDue = ({ view }: Listener): boolean => due.includes(view.until);
    for (const moment of ['canceled', 'aborted'] as const) notify(this.#waiting, moment, isDue, cancellation);
  }

  #endWaiting(waiting: Waiting): void {
    const cancellation = this.#canceled.deadline;
    if (this.#isLate || this.#isAnswered || cancellation === undefined) return;
    this.#isLate = true;
    notify(waiting, 'late', () => true, cancellation);
  }

  /** Starts the clock and, one turn later, the timer. */
  #wait(): Waiting | undefined {
    if (this.#waiting !== undefined || this.#isAnswered) return this.#waiting;
    const waiting: Waiting = { canceled: [], aborted: [], late: [], turn: undefined, timer: undefined, watchesClient: false };
    this.#waiting = waiting;
    this.deadline();
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
    this.#watchClient(waiting, waiting.canceled);
    this.#setTimer(waiting);
  }

  /** Watches for the client to leave, once there is work to cancel. The platform reports at once if the client has left already. */
  #watchClient(waiting: Waiting, listeners: readonly Listener[]): void {
    if (waiting.watchesClient || this.#isAnswered || !listeners.some(({ view }) => view.until === 'disconnect')) return;
    waiting.watchesClient = true;
    this.#call.watchClient(() => this.#cancel(['disconnect'], clientLeft()));
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    const deadline = this.deadline();
    if (deadline === undefined) return;
    waiting.timer = timerAt(deadline.at, () => {
      waiting.timer = timerAt(deadline.lastMoment, () => this.#endWaiting(waiting));
      this.#cancel(['disconnect', 'deadline'], unfinishedAtDeadline());
    });
  }
}

/** The clock of a call as one operation sees it, with a separate signal. Data sources get it too: it does not have the platform's objects. */
export class ClockView implements OperationInvocation {
  until: Until;
  readonly #clock: Clock;
  readonly #call: Pick<TimedCall, 'waitUntil'>;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;
  #stopped: Error | undefined = undefined;

  constructor(clock: Clock, call: Pick<TimedCall, 'waitUntil'>, until: Until) {
    this.#clock = clock;
    this.#call = call;
    this.until = until;
  }

  get isAnswered(): boolean {
    return this.#clock.isAnswered;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      if (this.#stopped === undefined) this.#clock.onCancel('aborted', { view: this, callback: ({ reason }) => controller.abort(reason) });
      else controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    this.#stopped ??= reason;
    this.#controller?.abort(reason);
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#clock.onCancel('canceled', { view: this, callback: ({ error }) => callback(error) });
  }

  onLastMoment(callback: () => void): () => void {
    return this.#clock.onLate({ view: this, callback });
  }

  inTime<T>(work: Promise<T>, { onCancel, onLastMoment }: LateFallbacks<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (fallback: () => PromiseOrValue<T> | undefined): void => {
        try {
          const value = fallback();
          if (value !== undefined) resolve(value);
        } catch (error) {
          reject(error);
        }
      };
      const stopCancel = onCancel && this.onCancel((reason) => settle(() => onCancel(reason)));
      const stopLate = this.onLastMoment(() => settle(onLastMoment));
      const stopAnd =
        <TValue>(end: (value: TValue) => void) =>
        (value: TValue): void => {
          stopCancel?.();
          stopLate();
          end(value);
        };
      work.then(stopAnd(resolve), stopAnd(reject));
    });
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#clock.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#call.waitUntil(work);
  }
}

/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

function timerAt(at: Milliseconds, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(callback, left) : undefined;
}

/** Adds a listener, and returns a function that removes it. */
function listen(waiting: Waiting | undefined, moment: Moment, listener: Listener): () => void {
  if (waiting === undefined) return () => {};
  waiting[moment] = [...waiting[moment], listener];
  return () => {
    waiting[moment] = waiting[moment].filter((one) => one !== listener);
  };
}

/** Calls the listeners that are due, and removes them. */
function notify(waiting: Waiting | undefined, moment: Moment, isDue: (listener: Listener) => boolean, cancellation: Cancellation): void {
  if (waiting === undefined) return;
  const due = waiting[moment].filter(isDue);
  waiting[moment] = waiting[moment].filter((listener) => !due.includes(listener));
  for (const { callback } of due) callback(cancellation);
}

function stopWaiting(waiting: Waiting): void {
  if (waiting.turn !== undefined) globalThis.clearImmediate(waiting.turn);
  clearTimeout(waiting.timer);
  waiting.canceled = waiting.aborted = waiting.late = [];
}

function clientLeft(): Error {
  return new Error('The client disconnected before the answer was sent.');
}
