import type { HTTPRequest, Invocation, ResponseHead } from '../../shared/index.ts';

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

/** The call as one operation sees it. */
export interface CallView {
  readonly request: HTTPRequest;
  readonly invocation: Invocation;
  /** The platform's objects, in place of those of the invocation. */
  readonly platform?: Pick<Invocation, 'event' | 'context' | 'env'>;
}

/**
 * `signal` is created when it is first read, and a plugin's view may notice when the platform's objects are read. A proxy, because an
 * object with four accessors takes 0.8 µs, and a copy (`{ ...argument }`) must have all members.
 */
export function createContextArgument(
  response: ResponseHead,
  view: CallView,
  operation: { readonly signal: AbortSignal },
): ContextArgument {
  const { request, invocation, platform = invocation } = view;
  const waitUntil = (work: Promise<unknown>): void => invocation.waitUntil(work);
  const target =
    platform === invocation
      ? { request, response, event: platform.event, context: platform.context, env: platform.env, waitUntil, signal: late }
      : { request, response, event: late, context: late, env: late, waitUntil, signal: late };
  return new Proxy(target as unknown as ContextArgument, new LateMembers(view, operation));
}

/** The placeholder of a member that has not been read. */
const late = Symbol('created when read');

class LateMembers implements ProxyHandler<ContextArgument> {
  readonly #view: CallView;
  readonly #operation: { readonly signal: AbortSignal };

  constructor(view: CallView, operation: { readonly signal: AbortSignal }) {
    this.#view = view;
    this.#operation = operation;
  }

  get(target: ContextArgument, member: keyof ContextArgument): unknown {
    const value: unknown = target[member];
    if (value !== late) return value;
    const { invocation, platform = invocation } = this.#view;
    return member === 'signal' ? this.#operation.signal : platform[member as keyof CallView['platform']];
  }

  /** Reads all members for `Object.freeze`, because a proxy must return the members of a frozen object unchanged. */
  preventExtensions(target: ContextArgument): boolean {
    for (const member of ['event', 'context', 'env', 'signal'] as const) Reflect.set(target, member, this.get(target, member));
    return Reflect.preventExtensions(target);
  }
}
