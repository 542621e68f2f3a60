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
  return async (...[event, context, callback]) => answer(serve(event, context), callback as Callback | undefined);
}

/** Answers by promise, and by the callback if there is one. Then an error goes to the callback alone: the promise may have no reader. */
async function answer(result: Promise<unknown>, callback: Callback | undefined): Promise<unknown> {
  if (typeof callback !== 'function') return result;
  try {
    const value = await result;
    callback(null, value);
    return value;
  } catch (error) {
    callback(error);
    return undefined;
  }
}
