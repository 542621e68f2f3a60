import { createUnobservedHandler, fetchAPI, lambdaAdapters, netlifyV1 } from '../../server/for-v3.ts';
import { toServerOptions } from './serving.ts';
import type { HandlerSettings, CreateHandlerOptions } from './serving.ts';

type Callback = (error: unknown, result?: unknown) => void;

/** Creates the handler. Throws for invalid options. */
export function createLambdaHandler(options: CreateHandlerOptions = {}, settings: HandlerSettings): (...args: any[]) => Promise<unknown> {
  const serve = createUnobservedHandler({ adapters: [fetchAPI, ...lambdaAdapters, netlifyV1] }, toServerOptions(options, settings));
  // Rest parameters, because AWS's newest runtime refuses a handler that declares three.
  return (...[event, context, callback]) => {
    const result = serve(event, context);
    return typeof callback === 'function' ? answer(result, callback as Callback) : result;
  };
}

/**
 * Answers by promise and by callback. Lambda's callback is called only if the promise is not awaited: a function that awaits the
 * result and changes it may have passed that callback on, and the platform takes whatever comes first. A callback that reads
 * the result is called before the promise resolves.
 */
function answer(result: Promise<unknown>, callback: Callback): Promise<unknown> {
  const settle = async (): Promise<unknown> => {
    // Two microtasks, for a caller's `await` calls `then` one microtask after the call.
    const [outcome] = await Promise.allSettled([result]);
    const hasFailed = outcome.status === 'rejected';
    // Lambda's callback declares no parameters.
    if (callback.length >= 2 || !promise.isAwaited) callback(hasFailed ? outcome.reason : null, hasFailed ? undefined : outcome.value);
    // If the promise is not awaited, only the callback gets the error.
    return hasFailed && !promise.isAwaited ? undefined : result;
  };
  const promise = new WatchedPromise((resolve) => resolve(settle()));
  return promise;
}

/** A promise that records whether it is awaited: `await` calls `then` of a subclass of Promise. */
class WatchedPromise extends Promise<unknown> {
  isAwaited = false;

  // Any: the types of both callbacks.
  // oxlint-disable-next-line unicorn/no-thenable
  override then(...callbacks: [any?, any?]): Promise<any> {
    this.isAwaited = true;
    return super.then(...callbacks);
  }
}
