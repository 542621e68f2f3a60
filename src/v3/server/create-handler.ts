import { createUnobservedHandler, fetchAPI, lambdaAdapters, netlifyV1 } from '../../server/for-v3.ts';
import { toServerOptions } from './serving.ts';
import type { HandlerSettings, CreateHandlerOptions } from './serving.ts';

type Callback = (error: unknown, result?: unknown) => void;

/** Creates the handler. Throws for invalid options. */
export function createLambdaHandler(options: CreateHandlerOptions = {}, settings: HandlerSettings): (...args: any[]) => Promise<unknown> {
  const serve = createUnobservedHandler({ adapters: [fetchAPI, ...lambdaAdapters, netlifyV1] }, toServerOptions(options, settings));
  // Rest parameters, because AWS's newest runtime refuses a handler that declares three.
  return (...[event, context, callback]) => answer(serve(event, context), callback as Callback | undefined);
}

/**
 * Answers by promise and by callback. Lambda's callback is called only if the promise is not awaited: a function that awaits the
 * result and changes it may have passed that callback on, and the platform takes whatever comes first. A callback that reads
 * the result, as in filters of version 2, is called before the promise resolves.
 */
function answer(result: Promise<unknown>, callback: Callback | undefined): Promise<unknown> {
  if (typeof callback !== 'function') return result;
  // Lambda's callback declares no parameters.
  const readsResult = callback.length >= 2;
  const answering = new WatchedPromise((resolve, reject) => {
    const settle = async (outcome: Outcome): Promise<void> => {
      // A caller's `await` takes effect one microtask after the call, which may be later than this.
      await undefined;
      const { isAwaited } = answering;
      const isCalled = readsResult || !isAwaited;
      if ('value' in outcome) {
        if (isCalled) callback(null, outcome.value);
        resolve(outcome.value);
        return;
      }
      if (isCalled) callback(outcome.error);
      // If the promise is not awaited, only the callback gets the error.
      if (isAwaited) reject(outcome.error);
      else resolve(undefined);
    };
    result
      .then(
        (value) => settle({ value }),
        (error: unknown) => settle({ error }),
      )
      .catch(reject);
  });
  return answering;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A promise that records whether it is awaited: `await` calls `then` of a subclass of Promise. */
class WatchedPromise extends Promise<unknown> {
  isAwaited = false;

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  // oxlint-disable-next-line unicorn/no-thenable
  override then<A = unknown, B = never>(
    onResolve?: ((value: unknown) => A | PromiseLike<A>) | null,
    onReject?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onResolve, onReject);
  }
}
