import type { HTTPRequest, ResponseHead } from '../../shared/index.ts';

/** The argument of the `context` function. */
export interface ContextArgument<TEvent = unknown, TPlatformContext = unknown, TEnv = unknown> {
  /** The request, in the same form on every platform. */
  readonly request: HTTPRequest;
  /** Headers and status of the response, to be set. */
  readonly response: ResponseHead;
  /** The platform's event. */
  readonly event: TEvent;
  /** The platform's context. */
  readonly context: TPlatformContext;
  /** Bindings and secrets, on platforms that pass them with the call. */
  readonly env: TEnv;
  /** Keeps the function alive for work that continues after the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Fires when the client disconnects, at the deadline, and when an error ends the operation (`onError: HALT`). */
  readonly signal: AbortSignal;
}
