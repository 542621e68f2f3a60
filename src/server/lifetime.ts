import { waitAtMost } from '../shared/index.ts';
import type { ChunkStream, Milliseconds, Until } from '../shared/index.ts';
import { clientLeft, unfinishedAtDeadline } from './operation/errors.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import { deadlineOf } from './startup/deadline.ts';
import type { Deadline } from './startup/deadline.ts';
import type { Starter } from './startup/start.ts';

/** Signals fire last: by then the callbacks have saved what is finished, and the work that a signal stops is no longer needed. */
type Moment = 'canceled' | 'aborted' | 'late';

interface Listener {
  readonly moment: Moment;
  readonly view: { readonly until: Until };
  readonly callback: (reason: Error) => void;
}

/** The call that a lifetime belongs to. */
interface LivingCall {
  readonly event: unknown;
  readonly context: unknown;
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  readonly isAnswered: boolean;
  /** Work passed to `waitUntil` on a platform that has none: the response waits for it. */
  work: Set<Promise<unknown>> | undefined;
}

/** Milliseconds that a buffered response waits for work passed to `waitUntil`. */
const longestWait = 1000;
/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * The clock of a call, its listeners, and the work that it leaves behind. Created when first needed, because calls that never wait need
 * none: all code before that is synchronous, so little time is lost. A lifetime only moves down this list, and may skip any state but the
 * last:
 * - open: work is in progress
 * - canceled: the deadline has passed, or the client has left; finished parts become the answer
 * - late: the last moment has passed; nothing is awaited
 * - answered: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
export class Lifetime {
  readonly #call: LivingCall;
  readonly #begunAt: Milliseconds = Date.now();
  #deadline: Deadline | undefined = undefined;
  /** Why work of each kind was canceled, and why nothing is awaited. */
  readonly #reasons: { [TCause in Until | 'late']?: Error } = {};
  // Created when first needed.
  #listeners: Set<Listener> | undefined = undefined;
  /** The immediate that sets the timer and watches the client. Undefined when it has run. */
  #turn: ReturnType<typeof setImmediate> | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #watchesClient = false;
  #onEnd: (() => void) | undefined = undefined;

  constructor(call: LivingCall) {
    this.#call = call;
    this.optionsAreKnown();
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#deadline && this.#deadline.at - Date.now();
  }

  /** Called when the server has started: its options may not have been known when the call began. */
  optionsAreKnown(): void {
    const { adapter, context, starter, isAnswered } = this.#call;
    if (isAnswered) return;
    this.#deadline = deadlineOf(starter.prepared?.deadline, this.#begunAt, context, adapter.timeLimit?.(context));
    if (this.#listeners !== undefined && this.#turn === undefined) this.#setTimer();
  }

  /** Called when the call is answered. */
  end(): void {
    if (this.#turn !== undefined) globalThis.clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#listeners?.clear();
    this.#onEnd?.();
  }

  /** A stream has the answer: its end is the end of the call. */
  endWith(stream: ChunkStream): void {
    const { adapter, starter } = this.#call;
    if (adapter.dropsStreams?.() !== true) this.#onEnd = starter.calls.addStream(stream);
  }

  waitUntil(work: Promise<unknown>): void {
    const { starter, adapter, context } = this.#call;
    const logged = Promise.resolve(work).catch((error: unknown) => starter.logger().error('Work passed to waitUntil failed.', error));
    const watched = starter.calls.add(logged);
    if (adapter.keepAlive === undefined) {
      const pending = (this.#call.work ??= new Set());
      pending.add(watched);
      // Finished work is removed, because a long stream may add much of it.
      void watched.then(() => pending.delete(watched));
      return;
    }
    const keepAlive = adapter.keepAlive(context);
    if (keepAlive === undefined) warnOfLostWork(starter);
    else keepAlive(watched);
  }

  /** Resolves when all work passed to `waitUntil` is done, at the last moment, or after one second, whichever is first. */
  async settled(): Promise<void> {
    const { starter, work = new Set() } = this.#call;
    // Work may add more work before it ends.
    const done = async (): Promise<void> => {
      while (work.size > 0) await Promise.all(work);
    };
    const left = (this.#deadline?.lastMoment ?? Infinity) - Date.now();
    const limit = Math.max(0, Math.min(longestWait, Math.floor(left)));
    if ((await waitAtMost(limit, done())) === 'late')
      starter.logger().warn(`Work passed to waitUntil did not finish within ${limit} ms of the answer. The platform may freeze it.`);
  }

  /** Calls back once, when the moment comes for the view, or at once if it has passed. Returns a function that removes the callback. */
  listen(listener: Listener): () => void {
    const { moment, callback } = listener;
    const listeners = this.#call.isAnswered ? undefined : (this.#listeners ?? this.#begin());
    // A signal is read at once. A callback may wait for the next turn, in which there may be an answer.
    if (moment === 'aborted' || (moment === 'canceled' && this.#turn === undefined)) this.#watchClient(listener);
    const reason = this.#reasons[causeOf(listener)];
    if (reason === undefined) listeners?.add(listener);
    else callback(reason);
    return () => listeners?.delete(listener);
  }

  /**
   * Starts the clock. The timer is set, and the client watched, in the next turn of the event loop, unless there is an answer by then, as with
   * promises that resolve at once: a timer costs 1 µs, a listener on the signal of a `Request` 2 µs on Node and 6 on Deno and workerd, an
   * immediate 0.1.
   */
  #begin(): Set<Listener> {
    const listeners = (this.#listeners = new Set<Listener>());
    const watch = (): void => {
      this.#turn = undefined;
      for (const listener of listeners) this.#watchClient(listener);
      this.#setTimer();
    };
    // Cloudflare Workers may lack setImmediate.
    if (globalThis.setImmediate === undefined) watch();
    else this.#turn = globalThis.setImmediate(watch);
    return listeners;
  }

  /** Watches for the client to leave, once there is work to cancel. The platform reports at once if the client has left already. */
  #watchClient(listener: Listener): void {
    // Deadlines have a timer; the platform watches the client, which costs more.
    if (this.#watchesClient || this.#call.isAnswered || causeOf(listener) !== 'disconnect') return;
    this.#watchesClient = true;
    const { adapter, event } = this.#call;
    adapter.onLeave?.(event, () => this.leave());
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const deadline = this.#deadline;
    if (deadline === undefined) return;
    this.#timer = timerAt(deadline.at, () => {
      this.#timer = timerAt(deadline.lastMoment, () => this.#cancel(['late'], this.#reasons.deadline!));
      this.#cancel(['disconnect', 'deadline'], unfinishedAtDeadline());
    });
  }

  /** Called when the client has left: cancels the work for it. */
  leave(): void {
    this.#cancel(['disconnect'], clientLeft());
  }

  /** Calls the listeners of these causes, and removes them. The first reason counts. */
  #cancel(causes: readonly (Until | 'late')[], reason: Error): void {
    if (this.#call.isAnswered) return;
    const due = causes.filter((cause) => this.#reasons[cause] === undefined);
    for (const cause of due) this.#reasons[cause] = reason;
    for (const moment of ['canceled', 'aborted', 'late'])
      for (const listener of this.#listeners ?? [])
        if (listener.moment === moment && due.includes(causeOf(listener)) && this.#listeners!.delete(listener)) listener.callback(reason);
  }
}

function causeOf({ moment, view }: Listener): Until | 'late' {
  return moment === 'late' ? moment : view.until;
}

function timerAt(at: Milliseconds, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  const left = Math.max(0, at - Date.now());
  return left <= longestTimer ? setTimeout(callback, left) : undefined;
}

/** The handlers for which a warning has been logged. */
const warned = new WeakSet<Starter>();

function warnOfLostWork(starter: Starter): void {
  if (warned.has(starter)) return;
  warned.add(starter);
  starter
    .logger()
    .warn(
      'Work was passed to waitUntil, but this call has no waitUntil of the platform: the process may freeze before the work finishes. ' +
        'Pass the context of the platform to the handler, or { waitUntil }: on Next.js handler(request, { waitUntil: after }).',
    );
}
