import type { Invocation } from '../../../message/invocation.ts';
import type { ServerOptions } from '../../../server/options.ts';
import type { CORSOptionsOfVersion2 } from '../http/cors.ts';
import { serveRequest } from '../http/serve.ts';
import type { GetMiddlewareOptions, Serving } from '../http/serve.ts';
import type { HandlerSettings } from './config.ts';
import { completeOptions } from './query-options.ts';
import type { GraphQLServerOptions } from './query-options.ts';

/** The argument of `createHandler`, in both generations. */
export interface CreateHandlerOptions {
  /** Version 3: how the endpoint is served. */
  expressGetMiddlewareOptions?: GetMiddlewareOptions;
  /** Version 3: makes the Express app that answers, and puts the middleware into it. Express is the project's own. */
  expressAppFromMiddleware?: (middleware: any) => any;
  /** Version 2: cross-origin resource sharing. */
  cors?: CORSOptionsOfVersion2 | boolean;
  /** Version 2: the health check fails when its promise rejects. */
  onHealthCheck?: (request: any) => Promise<any>;
}

/** The parts of a server that a handler needs, and the settings of each request. */
export type HostSettings = HandlerSettings &
  Pick<Serving, 'ready'> & { readonly options: (...args: Parameters<Serving['options']>) => Promise<GraphQLServerOptions> };

/** The options of both generations and the settings of each request in one object. */
export function servingOf(
  { expressGetMiddlewareOptions = {}, cors, onHealthCheck }: CreateHandlerOptions,
  settings: HostSettings,
): Serving {
  const isVersion2 = typeof cors === 'object';
  return {
    ...settings,
    options: async (...args) => completeOptions(await settings.options(...args)),
    ...(onHealthCheck && { onHealthCheck }),
    ...(typeof cors === 'boolean' && { cors }),
    ...expressGetMiddlewareOptions,
    corsOfVersion2: isVersion2 && expressGetMiddlewareOptions.cors === undefined ? cors : undefined,
  };
}

/** The line's own server: it knows the platforms and the deadline, and leaves every request to version 3's rules. */
export function lineOptions(
  settings: HandlerSettings,
  serving: Serving,
  answer: typeof serveRequest = serveRequest,
): ServerOptions | (() => Promise<ServerOptions>) {
  const { nodeEnv, logger, schema, isLate, start } = settings;
  const options = (): ServerOptions => ({
    schema: schema(),
    logger,
    ...(nodeEnv !== undefined && { nodeEnv }),
    landingPage: false,
    persistedQueries: false,
    plugins: [{ aroundRequest: ({ request, invocation }) => answer(serving, request, invocation as Invocation) }],
  });
  if (!isLate) return options();
  return async () => {
    await start();
    return options();
  };
}
