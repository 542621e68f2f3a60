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
  /** Call when the last byte of the answer has been passed on: nothing ends the call early any more. */
  answered(): void;
  /** Call when the client disconnects before that: fires the signal. */
  left(): void;
  /** The same call for work that continues when the client disconnects: only the deadline ends it. */
  readonly untilDeadline: OperationInvocation;
  /** True after the answer: no new work starts. */
  readonly isOver: boolean;
  /** Milliseconds until the deadline, negative after it; undefined if there is none. */
  deadlineLeft(): Milliseconds | undefined;
  /**
   * Calls back at the deadline, or when the client disconnects; immediately if that has happened. Returns a function that
   * unsubscribes. It sets a timer, so call it only while waiting for something.
   */
  onCancel(callback: (reason: Error) => void): () => void;
  /** Calls back later than that: at the last moment at which an answer can still be sent. */
  onLastMoment(callback: () => void): () => void;
}

/** The part of an invocation that operations, with their resolvers and data sources, may use. */
export type OperationInvocation = Pick<
  Invocation,
  'signal' | 'waitUntil' | 'isOver' | 'deadlineLeft' | 'onCancel' | 'onLastMoment' | 'untilDeadline'
>;

/** The part of an invocation that executors use. */
export interface ExecutionInvocation extends Pick<Invocation, 'signal' | 'onCancel'> {
  /** Fires the signal of this operation alone. Undefined where executions are not ended by an error. */
  stop?(reason: Error): void;
}
