import type { ResultLimit } from './answer-size.ts';

/** A number of milliseconds. */
export type Milliseconds = number;

/** The platform's objects that come with a request, and the lifetime of the call. */
export interface Invocation {
  /** The platform's event: a Lambda event, a web `Request`, a Node request and response. */
  readonly event: unknown;
  /** The platform's second argument: Lambda's or Netlify's context, or a worker's execution context. */
  readonly context: unknown;
  /** Bindings and secrets, on platforms that pass them with the call. */
  readonly env: unknown;
  /** The platform's limit for the result. */
  readonly resultLimit: ResultLimit;
  /** Fires at the deadline, or when the client disconnects; never after the answer. Created when first read. */
  readonly signal: AbortSignal;
  /** True if the process may freeze after the answer. Then the answer waits for background work, for up to a second. */
  readonly waitsForWork: boolean;
  /** Keeps the function alive for work that continues after the answer. */
  waitUntil(work: Promise<unknown>): void;
  /** Milliseconds until the deadline, negative after it; undefined if there is none. */
  deadlineLeft(): Milliseconds | undefined;
  /** The lifetime of the call as one operation sees it: its work is canceled at the deadline, and when the client leaves. */
  forOperation(): OperationInvocation;
}

/** The end of work. 'disconnect': when the client disconnects, at the latest at the deadline. 'deadline': at the deadline in any case. */
export type Until = 'disconnect' | 'deadline';

/** The lifetime of a call as one operation, with its resolvers and data sources, sees it. */
export interface OperationInvocation {
  /** Set it to `deadline` when the operation must run to its end. */
  until: Until;
  /** Fires when the work is canceled, and when the operation is stopped. Created when first read. */
  readonly signal: AbortSignal;
  /** True after the answer: no new work starts. */
  readonly isAnswered: boolean;
  /** Milliseconds until the deadline, negative after it; undefined if there is none. */
  deadlineLeft(): Milliseconds | undefined;
  /** Keeps the function alive for work that continues after the answer. */
  waitUntil(work: Promise<unknown>): void;
  /**
   * Calls back when the work is canceled: at the deadline, or when the client disconnects; immediately if that has happened. Returns a
   * function that unsubscribes. It sets a timer, so call it only while waiting for something.
   */
  onCancel(callback: (reason: Error) => void): () => void;
  /** Calls back at the last moment at which an answer can still be sent, which is later than the deadline. */
  onLastMoment(callback: (reason: Error) => void): () => void;
  /**
   * Waits for work until the last moment, or until it is canceled; then for the fallback, which may return the work to go on waiting. Work that
   * ends later is ignored.
   */
  untilLate<T>(work: Promise<T>, fallback: (reason: Error) => T | Promise<T>, moment?: 'onCancel' | 'onLastMoment'): Promise<T>;
  /** Fires the signal of this operation alone: an error ends it. */
  stop(reason: Error): void;
  /** Lets `close` of the handler wait for work that nothing else awaits, such as the end of a source. */
  closeAfter?(work: PromiseLike<unknown>): void;
}

/** The part of an operation's lifetime that executors use. `stop` is undefined where an error does not end the operation. */
export type ExecutionInvocation = Pick<OperationInvocation, 'signal' | 'onCancel'> &
  Partial<Pick<OperationInvocation, 'stop' | 'closeAfter'>>;
