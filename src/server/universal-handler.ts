import type { Context as LambdaContext } from 'aws-lambda';

import type { Closable, CreateHandler } from './startup/start.ts';
import { createHandlerFor } from './pipeline.ts';
import { streaming } from './doors/graphql/streams/streaming.ts';
import { fetchAPI } from './platform/fetch.ts';
import { lambdaAdapters } from './platform/aws.ts';
import type { NetlifyContext } from './platform/netlify.ts';
import { netlifyV1 } from './platform/netlify.ts';

/** A handler for every platform: each event gets the result object of its platform, each `Request` a `Response`. */
export interface Handler extends Closable {
  (request: Request, context?: NetlifyContext): Promise<Response>;
  // Any: event and result types differ from platform to platform. The subpaths /aws-lambda and /netlify have precise types.
  (event: any, context?: LambdaContext | NetlifyContext | object): Promise<any>;
  /** The function that Workers call with `request, env, context`, and Deno and Bun with `request, info`. */
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
}

/**
 * Makes the handler of a GraphQL function, whatever platform it is deployed to: Netlify, AWS Lambda behind any event
 * source, and everything that speaks the web's `Request`.
 *
 * Options may also be a promise, or a function, for a schema or a database that must be loaded first. Throws for wrong
 * options and wrong schema text; an asynchronous failure is logged, answered with status 500, and tried again.
 *
 * @example
 * ```ts
 * import { createHandler } from 'graphql-functions';
 *
 * export default createHandler({
 *   csrfPrevention: true,
 *   typeDefs: 'type Query { hello(name: String = "world"): String! }',
 *   resolvers: { Query: { hello: (_, { name }) => `Hello, ${name}!` } },
 * });
 * ```
 */
// Any: Workers pass bindings, whose types only the project knows.
export const createHandler: CreateHandler<Handler, unknown, unknown, any> = (options) =>
  createHandlerFor({ adapters: [fetchAPI, ...lambdaAdapters, netlifyV1], streaming }, options) as Handler;
