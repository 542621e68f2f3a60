import type { HTTPRequest, Invocation, ResponseHead } from '../../shared/index.ts';
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

/**
 * `signal` is created when it is first read, and a plugin's view may notice when the platform's objects are read. A proxy, because an
 * object with four accessors takes 0.8 µs, and a copy (`{ ...argument }`) must have all members.
 */
export function createContextArgument(
  response: ResponseHead,
  call: CallOfContext,
  operation: { readonly signal: AbortSignal },
): ContextArgument {
  const { view } = call;
  const waitUntil = (work: Promise<unknown>): void => call.waitUntil(work);
  const target =
    view === undefined
      ? { request: call.request, response, event: call.event, context: call.context, env: call.env, waitUntil, signal: late }
      : { request: view.request, response, event: late, context: late, env: late, waitUntil, signal: late };
  return new Proxy(target as unknown as ContextArgument, new LateMembers(view?.invocation ?? call, operation));
}

/** The placeholder of a member that has not been read. */
const late = Symbol('created when read');

class LateMembers implements ProxyHandler<ContextArgument> {
  readonly #platform: Pick<Invocation, 'event' | 'context' | 'env'>;
  readonly #operation: { readonly signal: AbortSignal };

  constructor(platform: Pick<Invocation, 'event' | 'context' | 'env'>, operation: { readonly signal: AbortSignal }) {
    this.#platform = platform;
    this.#operation = operation;
  }

  get(target: ContextArgument, member: keyof ContextArgument): unknown {
    const value: unknown = target[member];
    if (value !== late) return value;
    return member === 'signal' ? this.#operation.signal : this.#platform[member as 'event'];
  }

  /** Reads all members for `Object.freeze`, because a proxy must return the members of a frozen object unchanged. */
  preventExtensions(target: ContextArgument): boolean {
    for (const member of ['event', 'context', 'env', 'signal'] as const) Reflect.set(target, member, this.get(target, member));
    return Reflect.preventExtensions(target);
  }
}
