import type { ResultLimit } from './answer-size.ts';

/** A number of milliseconds. */
export type Milliseconds = number;

/** The platform's own objects that come with a request, and the life of the call. */
export interface Invocation {
  /** The platform's event: a Lambda event, a web `Request`, a Node request and response. */
  readonly event: unknown;
  /** The platform's second argument: Lambda's or Netlify's context, or a worker's execution context. */
  readonly context: unknown;
  /** Bindings and secrets, on platforms that hand them over with the call. */
  readonly env: unknown;
  /** The limit of its platform for the result. */
  readonly resultLimit: ResultLimit;
  /** Fires at the deadline, and when the client has left; never once there is an answer. Made when first read. */
  readonly signal: AbortSignal;
  /** Keeps the function alive for work that outlasts the answer. */
  waitUntil(work: Promise<unknown>): void;
  /** The last byte of the answer has been handed over: from now on nothing ends the call early. */
  answered(): void;
  /** The client has left before that: fires the signal. */
  left(): void;
  /** True when there is an answer already: nothing is begun any more. */
  readonly isOver: boolean;
  /** Milliseconds until what is finished is answered, negative when that moment has passed; undefined where none is known. */
  deadlineLeft(): Milliseconds | undefined;
  /**
   * Calls back when the answer has to be made of what is there: at the deadline, or when the client has left; at once
   * when it is so already. Returns what takes it back. Ask for it only when something is waited for: it sets a timer.
   */
  onCancel(callback: (reason: Error) => void): () => void;
  /** Calls back at the last moment at which an answer can still leave, which is later: for what must not hold it up then. */
  onLastMoment(callback: () => void): () => void;
}

/** An invocation as its operations see it: resolvers and data sources may take part in it this far. */
export type OperationInvocation = Pick<Invocation, 'signal' | 'waitUntil' | 'isOver' | 'deadlineLeft' | 'onCancel' | 'onLastMoment'>;

/** An invocation as executors see it. */
export type ExecutionInvocation = Pick<Invocation, 'signal' | 'onCancel'>;
