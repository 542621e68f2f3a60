import type { HTTPRequest, ResponseHead } from '../../shared/index.ts';
import type { RequestCall } from '../operation/plugin.ts';

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

/** The members of a call that its argument has. */
interface CallOfContext extends Pick<ContextArgument, 'request' | 'event' | 'context' | 'env' | 'waitUntil'> {
  /** What a plugin shows in place of them. */
  readonly view: RequestCall | undefined;
}

/** `signal` is created when it is first read, and a plugin's view may notice when the platform's objects are read. */
export function createContextArgument(
  response: ResponseHead,
  call: CallOfContext,
  operation: { readonly signal: AbortSignal },
): ContextArgument {
  const { view } = call;
  const waitUntil = (work: Promise<unknown>): void => call.waitUntil(work);
  const { event, context, env } = view === undefined ? call : {};
  const argument = { request: (view ?? call).request, response, event, context, env, waitUntil, signal: undefined };
  defineLate(argument, 'signal', () => operation.signal);
  if (view !== undefined) for (const name of ['event', 'context', 'env'] as const) defineLate(argument, name, () => view.invocation[name]);
  return argument as unknown as ContextArgument;
}

/** An accessor that is enumerable, because a copy (`{ ...argument }`) must have all members. It can be overwritten like any other member. */
function defineLate(argument: object, name: string, get: () => unknown): void {
  const set = (value: unknown): void => void Object.defineProperty(argument, name, { value, writable: true });
  Object.defineProperty(argument, name, { get, set, enumerable: true, configurable: true });
}
