import { waitAtMost } from '../shared/index.ts';
import type { CallClock, Milliseconds, OperationInvocation, Until } from '../shared/index.ts';
import { createError, unfinishedAtDeadline } from './operation/errors.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import { deadlineOf, defaultDeadline } from './startup/deadline.ts';
import type { Deadline } from './startup/deadline.ts';
import type { Starter } from './startup/start.ts';

/** The call that a lifetime belongs to. */
interface LivingCall {
  readonly adapter: PlatformAdapter<unknown>;
  readonly starter: Starter;
  readonly event: unknown;
  /** The platform's context. */
  readonly context: unknown;
}

/** Signals fire last: by then the callbacks have saved what is finished, and the work that a signal stops is no longer needed. */
type Moment = 'canceled' | 'aborted' | 'late';

interface Listener {
  readonly moment: Moment;
  readonly view: { readonly until: Until };
  readonly callback: (reason: Error) => void;
}

/** Milliseconds that a buffered response waits for work passed to `waitUntil`. */
const longestWait = 1000;
/** The longest delay of a timer: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * How long a call lasts. A call only moves down this list, and may skip any state but the last:
 * - open: work is in progress
 * - canceled: the deadline has passed, or the client has left; finished parts become the answer
 * - late: the last moment has passed; nothing is awaited
 * - answered: the last byte has been sent, or the client has left; no work is started, and no listener is called
 */
export class Lifetime implements CallClock {
  isAnswered = false;
  /** Called when the answer is complete. */
  onAnswered: (() => void) | undefined = undefined;
  readonly #call: LivingCall;
  /** Why work of each kind was canceled. */
  #canceled: { readonly [TUntil in Until]?: Error } = {};
  #isLate = false;
  // Created when first needed.
  #begunAt: Milliseconds | undefined = undefined;
  #deadline: Deadline | undefined = undefined;
  #listeners: Set<Listener> | undefined = undefined;
  /** The immediate that sets the timer and watches the client. Undefined when it has run. */
  #turn: ReturnType<typeof setImmediate> | undefined = undefined;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #watchesClient = false;
  #work: Set<Promise<unknown>> | undefined = undefined;

  constructor(call: LivingCall) {
    this.#call = call;
  }

  view({ until }: { readonly until: Until }): OperationLife {
    return new OperationLife(this, until);
  }

  deadlineLeft(): Milliseconds | undefined {
    const deadline = this.#findDeadline();
    return deadline && deadline.at - Date.now();
  }

  /** Reads the time on first use, because calls that never wait need none. All code before it is synchronous, so little time is lost. */
  #findDeadline(): Deadline | undefined {
    if (this.#begunAt === undefined) {
      this.#begunAt = Date.now();
      this.optionsAreKnown();
    }
    return this.#deadline;
  }

  /** Called when the server has started: its options may not have been known when the call began. */
  optionsAreKnown(): void {
    if (this.#begunAt === undefined || this.isAnswered) return;
    const { adapter, context, starter } = this.#call;
    const settings = starter.prepared === undefined ? defaultDeadline : starter.prepared.deadline;
    const assumed = adapter.timeLimit?.(context);
    this.#deadline = settings && deadlineOf(settings, this.#begunAt, context, assumed);
    if (this.#listeners !== undefined && this.#turn === undefined) this.#setTimer();
  }

  /** Called when the answer is complete. Ignores clients that leave later: some platforms abort the signal after every answer. */
  answered(): void {
    if (this.isAnswered) return;
    this.isAnswered = true;
    if (this.#turn !== undefined) globalThis.clearImmediate(this.#turn);
    clearTimeout(this.#timer);
    this.#listeners?.clear();
    this.onAnswered?.();
  }

  /** Called when the client disconnects before the answer: cancels the work, and ends the call. */
  left(): void {
    this.#leave();
    this.answered();
  }

  waitUntil(work: Promise<unknown>): void {
    const { starter, adapter, context } = this.#call;
    const logged = Promise.resolve(work).catch((error: unknown) => starter.logger().error('Work passed to waitUntil failed.', error));
    const watched = starter.calls.add(logged);
    if (adapter.keepAlive === undefined) {
      const pending = (this.#work ??= new Set());
      pending.add(watched);
      // Finished work is removed, because a long stream may add much of it.
      void watched.then(() => pending.delete(watched));
      return;
    }
    const keepAlive = adapter.keepAlive(context);
    if (keepAlive === undefined) warnOfLostWork(starter);
    else keepAlive(watched);
  }

  closeAfter(work: PromiseLike<unknown>): void {
    void this.#call.starter.calls.add(Promise.resolve(work)).catch(() => {});
  }

  /** True if {@link settled} would wait: where the platform freezes the process after the response, it waits for work. */
  get hasWork(): boolean {
    return this.#work !== undefined && this.#work.size > 0;
  }

  /** Resolves when all work passed to `waitUntil` is done, at the last moment, or after one second, whichever is first. */
  async settled(): Promise<void> {
    const work = this.#work ?? new Set();
    // Work may add more work before it ends.
    const done = async (): Promise<void> => {
      while (work.size > 0) await Promise.all(work);
    };
    const left = (this.#findDeadline()?.lastMoment ?? Infinity) - Date.now();
    const limit = Math.max(0, Math.min(longestWait, Math.floor(left)));
    if ((await waitAtMost(limit, done())) === 'late')
      this.#call.starter
        .logger()
        .warn(`Work passed to waitUntil did not finish within ${limit} ms of the answer. The platform may freeze it.`);
  }

  /** Calls back once, when the moment comes for the view, or at once if it has passed. Returns a function that removes the callback. */
  listen(listener: Listener): () => void {
    const { moment, view, callback } = listener;
    const listeners = this.isAnswered ? undefined : (this.#listeners ?? this.#begin());
    // A signal is read at once. A callback may wait for the next turn, in which there may be an answer.
    if (moment === 'aborted' || (moment === 'canceled' && this.#turn === undefined)) this.#watchClient(listener);
    const reason = moment === 'late' ? (this.#isLate ? this.#canceled.deadline : undefined) : this.#canceled[view.until];
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
    this.#findDeadline();
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
  #watchClient({ moment, view }: Listener): void {
    // Deadlines have a timer; the platform watches the client, which costs more.
    if (this.#watchesClient || this.isAnswered || moment === 'late' || view.until !== 'disconnect') return;
    this.#watchesClient = true;
    this.#call.adapter.onLeave?.(this.#call.event, () => this.#leave());
  }

  /** Sets the timer, or replaces it when the options change the deadline. */
  #setTimer(): void {
    clearTimeout(this.#timer);
    const deadline = this.#deadline;
    if (deadline === undefined) return;
    this.#timer = timerAt(deadline.at, () => {
      this.#timer = timerAt(deadline.lastMoment, () => {
        this.#isLate = true;
        this.#notify(({ moment }) => moment === 'late', this.#canceled.deadline!);
      });
      this.#cancel(['disconnect', 'deadline'], unfinishedAtDeadline());
    });
  }

  #leave(): void {
    this.#cancel(['disconnect'], createError('CLIENT_LEFT', 'The client disconnected before the answer was sent.'));
  }

  /** Cancels the work of these views. The first reason counts. */
  #cancel(untils: readonly Until[], reason: Error): void {
    const due = untils.filter((until) => this.#canceled[until] === undefined);
    if (this.isAnswered || due.length === 0) return;
    this.#canceled = { ...Object.fromEntries(due.map((until) => [until, reason])), ...this.#canceled };
    for (const moment of ['canceled', 'aborted'])
      this.#notify((listener) => listener.moment === moment && due.includes(listener.view.until), reason);
  }

  /** Calls the listeners that are due, and removes them. */
  #notify(isDue: (listener: Listener) => boolean, reason: Error): void {
    const due = Array.from(this.#listeners ?? []).filter(isDue);
    for (const listener of due) this.#listeners!.delete(listener);
    for (const { callback } of due) callback(reason);
  }
}

/** The lifetime of a call as one operation sees it, with a separate signal. Data sources get it too: it does not have the platform's objects. */
export class OperationLife implements OperationInvocation {
  until: Until;
  readonly #life: Lifetime;
  // Created when first read: most operations have no use for it.
  #controller: AbortController | undefined = undefined;
  #stopped: Error | undefined = undefined;

  constructor(life: Lifetime, until: Until) {
    this.#life = life;
    this.until = until;
  }

  get isAnswered(): boolean {
    return this.#life.isAnswered;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      if (this.#stopped === undefined) this.#life.listen({ moment: 'aborted', view: this, callback: (reason) => controller.abort(reason) });
      else controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  stop(reason: Error): void {
    this.#stopped ??= reason;
    this.#controller?.abort(reason);
  }

  onCancel(callback: (reason: Error) => void): () => void {
    return this.#life.listen({ moment: 'canceled', view: this, callback });
  }

  onLastMoment(callback: (reason: Error) => void): () => void {
    return this.#life.listen({ moment: 'late', view: this, callback });
  }

  async untilLate<T>(
    work: Promise<T>,
    fallback: (reason: Error) => T | Promise<T>,
    moment: 'onCancel' | 'onLastMoment' = 'onLastMoment',
  ): Promise<T> {
    let stop: (() => void) | undefined;
    const late = new Promise<T>((resolve) => {
      stop = this[moment]((reason) => resolve((async () => fallback(reason))()));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      stop?.();
    }
  }

  deadlineLeft(): Milliseconds | undefined {
    return this.#life.deadlineLeft();
  }

  waitUntil(work: Promise<unknown>): void {
    this.#life.waitUntil(work);
  }

  closeAfter(work: PromiseLike<unknown>): void {
    this.#life.closeAfter(work);
  }
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
