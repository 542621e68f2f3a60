/** What comes with a request from the platform: its own objects, and the life of the call. */
export interface Invocation {
  /** The platform's event: a Lambda event, a web `Request`, a Node request and response. */
  readonly event: unknown;
  /** The platform's second argument: Lambda's or Netlify's context, or a worker's execution context. */
  readonly context: unknown;
  /** Bindings and secrets, on platforms that hand them over with the call. */
  readonly env: unknown;
  /** Fires when nobody waits for the answer any more. Made when first read. */
  readonly signal: AbortSignal;
  /** Keeps the function alive for work that outlasts the answer. */
  waitUntil(work: Promise<unknown>): void;
}
