import { createStreamingHandlerFor } from './handler/streaming.ts';
import type { ContextFits, ServerOptions } from './server/options.ts';
import { fetchAPI } from './platform/fetch.ts';
import type { NetlifyContext, NetlifyHandlerContext, NetlifyHandlerEvent, NetlifyHandlerResponse } from './platform/netlify.ts';
import { netlifyV1 } from './platform/netlify-v1.ts';
import { ping } from './platform/ping.ts';
import type { OptionsSource } from './server/start.ts';

export type { NetlifyContext, NetlifyHandlerContext, NetlifyHandlerEvent, NetlifyHandlerResponse } from './platform/netlify.ts';

/** What Netlify calls a function with: a `Request`, or the event of `export const handler`. */
export type NetlifyEvent = Request | NetlifyHandlerEvent;

/** A handler for both generations of Netlify Functions. */
export interface NetlifyHandler {
  (request: Request, context?: NetlifyContext): Promise<Response>;
  (event: NetlifyHandlerEvent, context?: NetlifyHandlerContext): Promise<NetlifyHandlerResponse>;
  fetch(request: Request, context?: NetlifyContext): Promise<Response>;
}

/**
 * Makes a handler for Netlify Functions alone: `export default createHandler(…)`, or `export const handler =
 * createHandler(…)` for the older form. Throws for wrong options and wrong schema text.
 *
 * @example
 * ```ts
 * export default createHandler({ csrfPrevention: true, typeDefs, resolvers });
 * export const config = { path: '/graphql' };
 * ```
 */
export function createHandler<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, NetlifyEvent, NetlifyContext | NetlifyHandlerContext>> &
    ContextFits<TContext, TDataSources>,
): NetlifyHandler {
  return createStreamingHandlerFor([fetchAPI, netlifyV1, ping], options) as NetlifyHandler;
}
