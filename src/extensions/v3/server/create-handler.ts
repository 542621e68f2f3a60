import { createHandlerFor } from '../../../handler/handler.ts';
import { fetchAPI } from '../../../platform/fetch.ts';
import { lambdaAdapters } from '../../../platform/lambda.ts';
import { netlifyV1 } from '../../../platform/netlify-v1.ts';
import { createAppHandler } from '../hosts/app-handler.ts';
import { lineOptions, servingOf } from './serving.ts';
import type { CreateHandlerOptions, HostSettings } from './serving.ts';

type Callback = (error: unknown, result?: unknown) => void;

/** The handler. Throws for options that cannot be served. */
export function createLambdaHandler(options: CreateHandlerOptions = {}, settings: HostSettings): (...args: any[]) => Promise<unknown> {
  const { expressAppFromMiddleware: makeApp } = options;
  const serving = servingOf(options, settings);
  const serve =
    makeApp === undefined
      ? createHandlerFor([fetchAPI, ...lambdaAdapters, netlifyV1], lineOptions(settings, serving))
      : createAppHandler(makeApp, settings, serving);
  // Rest parameters: AWS's newest runtime refuses a handler that declares three.
  return (...[event, context, callback]) => answer(serve(event, context), callback as Callback | undefined);
}

/**
 * Answers by promise and by the callback. Lambda's own callback is called only if nobody waits for the promise: a function that
 * awaits the result and changes it may have passed that callback on, and the platform takes what comes first. A callback
 * that reads the result, as filters of version 2 did, is called before the promise has it.
 */
function answer(result: Promise<unknown>, callback: Callback | undefined): Promise<unknown> {
  if (typeof callback !== 'function') return result;
  // Lambda's declares no parameters.
  const readsResult = callback.length >= 2;
  const answering = new WatchedPromise((resolve, reject) => {
    const settle = async (outcome: Outcome): Promise<void> => {
      // A caller's `await` takes effect one turn after the call, which may be later than this.
      await undefined;
      const { isAwaited } = answering;
      const isCalled = readsResult || !isAwaited;
      if ('value' in outcome) {
        if (isCalled) callback(null, outcome.value);
        resolve(outcome.value);
        return;
      }
      if (isCalled) callback(outcome.error);
      // Without a reader of the promise the callback alone gets the error.
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

/** A promise that knows whether anybody waits for it: `await` of a promise that is not the language's own calls `then`. */
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
