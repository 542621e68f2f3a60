import type { GraphQLSchema } from 'graphql';

import type { Invocation } from '../../shared/index.ts';
import type { ServerOptions } from '../../server/for-v3.ts';
import type { CORSOptions } from '../http/cors.ts';
import type { ExpressRequest, ExpressResponse } from '../http/express.ts';
import { serveRequest } from '../http/serve.ts';
import type { GetMiddlewareOptions, Serving } from '../http/serve.ts';
import type { LandingPage, Logger } from '../types.ts';
import { assertDocuments } from './query-options.ts';
import type { GraphQLServerOptions } from './query-options.ts';

/** The argument of `createHandler`. */
export interface CreateHandlerOptions {
  /** How the endpoint is served. */
  expressGetMiddlewareOptions?: GetMiddlewareOptions;
  /** `expressGetMiddlewareOptions.cors`, but without `origin`, no origin is allowed. `{}`: no answer has CORS headers. */
  cors?: CORSOptions | boolean;
  /** `expressGetMiddlewareOptions.onHealthCheck`. */
  onHealthCheck?: (request: any) => Promise<any>;
}

/** What a handler needs of a server. */
export interface HandlerSettings {
  readonly nodeEnv: string | undefined;
  readonly logger: Logger;
  readonly schema: GraphQLSchema;
  /** Rejects when the server could not start. */
  readonly ready: () => Promise<void>;
  /** The settings of one request. */
  readonly options: (request: ExpressRequest, response: ExpressResponse) => Promise<GraphQLServerOptions>;
  /** Header fields that CSRF prevention requires; undefined: it is off. */
  readonly csrfRequestHeaders: readonly string[] | undefined;
  readonly landingPage: () => LandingPage | undefined;
}

/** Options of this package's server: it handles platforms and deadlines, and `serveRequest` answers every request by version 3's rules. */
export function toServerOptions(given: CreateHandlerOptions, settings: HandlerSettings): ServerOptions {
  if ((given as { readonly expressAppFromMiddleware?: unknown }).expressAppFromMiddleware !== undefined)
    throw new TypeError(
      'createHandler does not take expressAppFromMiddleware: your app would be ignored. Use getMiddleware of graphql-functions/v3/express in your app, and serverless-http for Lambda: see docs/migration.md, "Other hosts".',
    );
  const serving = servingOf(given, settings);
  const { nodeEnv, logger, schema } = settings;
  return {
    schema,
    logger,
    ...(nodeEnv !== undefined && { nodeEnv }),
    landingPage: false,
    persistedQueries: false,
    plugins: [
      {
        request: async ({ request, invocation }) => ({
          ...(await serveRequest(serving, request, invocation as Invocation)),
          defaultCacheControl: false,
        }),
      },
    ],
  };
}

/** Merges the options of a handler with the settings of a server. */
function servingOf({ expressGetMiddlewareOptions, cors, onHealthCheck }: CreateHandlerOptions, settings: HandlerSettings): Serving {
  const isObject = typeof cors === 'object';
  return {
    ...settings,
    options: async (...args) => assertDocuments(await settings.options(...args)),
    answersPreflights: isObject,
    ...(onHealthCheck && { onHealthCheck }),
    ...(cors !== undefined && { cors: isObject ? { origin: false, ...cors } : cors }),
    ...expressGetMiddlewareOptions,
  };
}
