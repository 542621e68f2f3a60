import { createHandlerFor } from '../../../handler/handler.ts';
import type { Invocation } from '../../../message/invocation.ts';
import type { ServerOptions } from '../../../server/options.ts';
import { fetchAPI } from '../../../platform/fetch.ts';
import { lambdaAdapters } from '../../../platform/lambda.ts';
import { netlifyV1 } from '../../../platform/netlify-v1.ts';
import type { CORSOptionsOfVersion2 } from '../http/cors.ts';
import { serveRequest } from '../http/serve.ts';
import type { GetMiddlewareOptions, Serving } from '../http/serve.ts';
import type { HandlerSettings } from './config.ts';

/** The argument of `createHandler`, in both generations. */
export interface CreateHandlerOptions {
  /** Version 3: how the endpoint is served. */
  expressGetMiddlewareOptions?: GetMiddlewareOptions;
  /** Refused: there is no Express here. */
  expressAppFromMiddleware?: (middleware: any) => any;
  /** Version 2: cross-origin resource sharing. */
  cors?: CORSOptionsOfVersion2 | boolean;
  /** Version 2: the health check fails when its promise rejects. */
  onHealthCheck?: (request: any) => Promise<any>;
}

/** What a handler needs of its server, and what each request is answered with. */
type LambdaSettings = HandlerSettings & Pick<Serving, 'ready' | 'options'>;

type Callback = (error: unknown, result?: unknown) => void;

/** The handler. Throws for options that cannot be served. */
export function createLambdaHandler(options: CreateHandlerOptions = {}, settings: LambdaSettings): (...args: any[]) => Promise<unknown> {
  if (options.expressAppFromMiddleware !== undefined) {
    throw new Error(
      'createHandler({ expressAppFromMiddleware }) is withdrawn: there is no Express here. Use context, plugins and ' +
        'expressGetMiddlewareOptions instead, or wrap the handler. See docs/migration.md, "Withdrawn".',
    );
  }
  const serve = createHandlerFor([fetchAPI, ...lambdaAdapters, netlifyV1], lineOptions(settings, servingOf(options, settings)));
  // Rest parameters: AWS's newest runtime refuses a handler that declares three.
  return async (...[event, context, callback]) => answer(serve(event, context), callback as Callback | undefined);
}

/** By promise, and by callback for those who hand one in. Then an error goes there alone: nobody may look at the promise. */
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

function servingOf({ expressGetMiddlewareOptions = {}, cors, onHealthCheck }: CreateHandlerOptions, settings: LambdaSettings): Serving {
  const isVersion2 = typeof cors === 'object';
  return {
    ...settings,
    ...(onHealthCheck && { onHealthCheck }),
    ...(typeof cors === 'boolean' && { cors }),
    ...expressGetMiddlewareOptions,
    corsOfVersion2: isVersion2 && expressGetMiddlewareOptions.cors === undefined ? cors : undefined,
  };
}

/** The line's own server: it knows the platforms and the deadline, and leaves every request to version 3's rules. */
function lineOptions(settings: HandlerSettings, serving: Serving): ServerOptions | (() => Promise<ServerOptions>) {
  const { nodeEnv, logger, schema, isLate, start } = settings;
  const options = (): ServerOptions => ({
    schema: schema(),
    logger,
    ...(nodeEnv !== undefined && { nodeEnv }),
    landingPage: false,
    persistedQueries: false,
    plugins: [{ aroundRequest: ({ request, invocation }) => serveRequest(serving, request, invocation as Invocation) }],
  });
  if (!isLate) return options();
  return async () => {
    await start();
    return options();
  };
}
