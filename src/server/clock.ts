import type { CallClock, PromiseOrValue, LateFallbacks, Milliseconds, OperationInvocation, Until } from '../shared/index.ts';
import { createError, unfinishedAtDeadline } from './operation/errors.ts';
import { isGraphQLError } from '../shared/index.ts';
import type { Deadline } from './startup/deadline.ts';

/** The members of a call that its clock uses. */
export interface TimedCall {
  readonly isAnswered: boolean;
  /** Marks the call as answered, which stops its clock. */
  answered(): void;
  /** The moments at which a call that began then must end. Undefined: there is no limit. */
  findDeadline(begunAt: Milliseconds): Deadline | undefined;
  /** Calls back if the client disconnects, or has disconnected already. */
  watchClient(leave: () => void): void;
  waitUntil(work: Promise<unknown>): void;
  /** Lets `close` of the handler wait for work. */
  closeAfter(work: PromiseLike<unknown>): void;
}

/** A call and its clock. */
interface ClockedCall extends TimedCall {
  readonly clock: Clock;
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
  readonly moment: Moment;
  readonly view: { readonly until: Until };
  readonly callback: (cancellation: Cancellation) => void;
}

/** What a call waits with. */
interface Waiting {
  readonly listeners: Set<Listener>;
  /** The immediate that sets the timer and watches the client. Undefined when it has run. */
  turn: ReturnType<typeof setImmediate> | undefined;
  /** Undefined if there is no deadline. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** True when the platform has been asked to report that the client leaves. */
  watchesClient: boolean;
}

/**
 * The clock of a call, created when something waits. A call only moves down this list, and may skip any state but the last:
 * - open: work is in progress
 * - canceled: the deadline has passed, or the client has left; finished parts become the answer
 * - late: the last moment has passed; nothing is awaited
 * - answered: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
export class Clock implements CallClock {
  readonly #call: ClockedCall;
  #canceled = none;
  #isLate = false;
  // Created when first needed.
  #begunAt: Milliseconds | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #waiting: Waiting | undefined = undefined;

  constructor(call: ClockedCall) {
    this.#call = call;
  }

  view({ until }: { readonly until: Until }): ClockView {
    return new ClockView(this.#call, until);
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
    if (this.#begunAt === undefined || this.#call.isAnswered) return;
    this.#deadline = this.#call.findDeadline(this.#begunAt);
    if (this.#waiting !== undefined) this.#setTimer(this.#waiting);
  }

  answered(): void {
    this.#call.answered();
  }

  left(): void {
    this.#cancel(['disconnect'], clientLeft());
    this.#call.answered();
  }

  /** Called when the answer is complete. */
  stop(): void {
    if (this.#waiting === undefined) return;
    if (this.#waiting.turn !== undefined) globalThis.clearImmediate(this.#waiting.turn);
    clearTimeout(this.#waiting.timer);
    this.#waiting.listeners.clear();
  }

  /** Calls back once, when the moment comes for the view, or at once if it has passed. Returns a function that removes the callback. */
  listen(listener: Listener): () => void {
    const waiting = this.#wait();
    const { moment, view, callback } = listener;
    // A signal is read at once. A callback may wait for the next turn, in which there may be an answer.
    if (waiting !== undefined && (moment === 'aborted' || (moment === 'canceled' && waiting.turn === undefined)))
      this.#watchClient(waiting, [listener]);
    const cancellation = moment === 'late' && !this.#isLate ? undefined : this.#canceled[moment === 'late' ? 'deadline' : view.until];
    if (cancellation === undefined) waiting?.listeners.add(listener);
    else callback(cancellation);
    return () => waiting?.listeners.delete(listener);
  }

  /** Cancels the work of these views. The first reason counts. */
  #cancel(untils: readonly Until[], reason: Error): void {
    if (this.#call.isAnswered) return;
    const before = this.#canceled;
    const due = untils.filter((until) => before[until] === undefined);
    if (due.length === 0) return;
    const cancellation: Cancellation = { reason, error: isGraphQLError(reason) ? reason : createError('CLIENT_LEFT', reason.message) };
    this.#canceled = { ...before, ...Object.fromEntries(due.map((until) => [until, cancellation])) };
    for (const moment of ['canceled', 'aborted'] as const)
      this.#notify((one) => one.moment === moment && due.includes(one.view.until), cancellation);
  }

  #endWaiting(): void {
    const cancellation = this.#canceled.deadline;
    if (this.#isLate || this.#call.isAnswered || cancellation === undefined) return;
    this.#isLate = true;
    this.#notify(({ moment }) => moment === 'late', cancellation);
  }

  /** Calls the listeners that are due, and removes them. */
  #notify(isDue: (listener: Listener) => boolean, cancellation: Cancellation): void {
    const listeners = this.#waiting?.listeners ?? [];
    const due = Array.from(listeners).filter(isDue);
    for (const listener of due) this.#waiting!.listeners.delete(listener);
    for (const { callback } of due) callback(cancellation);
  }

  /** Starts the clock and, one turn later, the timer. */
  #wait(): Waiting | undefined {
    if (this.#waiting !== undefined || this.#call.isAnswered) return this.#waiting;
    const waiting: Waiting = { listeners: new Set(), turn: undefined, timer: undefined, watchesClient: false };
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
    this.#watchClient(waiting, waiting.listeners);
    this.#setTimer(waiting);
  }

  /** Watches for the client to leave, once there is work to cancel. The platform reports at once if the client has left already. */
  #watchClient(waiting: Waiting, listeners: Iterable<Listener>): void {
    if (waiting.watchesClient || this.#call.isAnswered || !Array.from(listeners).some(endsWithClient)) return;
    waiting.watchesClient = true;
    this.#call.watchClient(() => this.#cancel(['disconnect'], clientLeft()));
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    const deadline = this.deadline();
    if (deadline === undefined) return;
    waiting.timer = timerAt(deadline.at, () => {
      waiting.timer = timerAt(deadline.lastMoment, () => this.#endWaiting());
      this.#cancel(['disconnect', 'deadline'], unfinishedAtDeadline());
    });
  }
}

/** The clock of a call as one operation sees it, with a separate signal. Data sources get it too: it does not have the platform's objects. */
export class ClockView implements OperationInvocation {
  until: Until;
  readonly #call: ClockedCall;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;
  #stopped: Error | undefined = undefined;

  constructor(call: ClockedCall, until: Until) {
    this.#call = call;
    this.until = until;
  }

  get isAnswered(): boolean {
    return this.#call.isAnswered;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      if (this.#stopped === undefined)
        this.#call.clock.listen({ moment: 'aborted', view: this, callback: ({ reason }) => controller.abort(reason) });
      else controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    this.#stopped ??= reason;
    this.#controller?.abort(reason);
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#call.clock.listen({ moment: 'canceled', view: this, callback: ({ error }) => callback(error) });
  }

  onLastMoment(callback: () => void): () => void {
    return this.#call.clock.listen({ moment: 'late', view: this, callback });
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
    return this.#call.clock.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#call.waitUntil(work);
  }

  closeAfter(work: PromiseLike<unknown>): void {
    this.#call.closeAfter(work);
  }
}

/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

function timerAt(at: Milliseconds, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(callback, left) : undefined;
}

/** Deadlines have a timer; the platform watches the client, which costs more. */
function endsWithClient({ moment, view }: Listener): boolean {
  return moment !== 'late' && view.until === 'disconnect';
}

function clientLeft(): Error {
  return new Error('The client disconnected before the answer was sent.');
}
