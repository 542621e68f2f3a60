import type { HTTPRequest, ResponseHead } from '../message/http-messages.ts';
import type { Invocation } from '../message/invocation.ts';

/** The argument of the `context` function. */
export interface ContextArgument<TEvent = unknown, TPlatformContext = unknown> {
  /** The request in the form that is the same on every platform. */
  readonly request: HTTPRequest;
  /** Set headers and status of the response here. */
  readonly response: ResponseHead;
  /** The platform's own event. */
  readonly event: TEvent;
  /** The platform's own context. */
  readonly context: TPlatformContext;
  /** Bindings and secrets, on platforms that hand them over with the call. */
  readonly env: unknown;
  /** Keeps the function alive for work that outlasts the answer. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Fires when the client has left, or the time is up. */
  readonly signal: AbortSignal;
}

/** The call as one operation sees it. */
export interface CallView {
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  /** The platform's own objects; those of the invocation, or copies of them. */
  readonly platform: Pick<Invocation, 'event' | 'context' | 'env'>;
}

/** Gathers them. `signal` stays a getter all the way: it is made when it is first read. */
export function createContextArgument(response: ResponseHead, view: CallView): ContextArgument {
  const { request, invocation, platform } = view;
  if (platform !== invocation) return createLazyArgument(response, view);
  return {
    request,
    response,
    event: platform.event,
    context: platform.context,
    env: invocation.env,
    waitUntil: (work) => invocation.waitUntil(work),
    get signal() {
      return invocation.signal;
    },
  };
}

/** A plugin's view may note when the platform's own objects are read. */
function createLazyArgument(response: ResponseHead, { request, invocation, platform }: CallView): ContextArgument {
  return {
    request,
    response,
    get event() {
      return platform.event;
    },
    get context() {
      return platform.context;
    },
    get env() {
      return platform.env;
    },
    waitUntil: (work) => invocation.waitUntil(work),
    get signal() {
      return invocation.signal;
    },
  };
}
