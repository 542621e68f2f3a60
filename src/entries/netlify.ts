import { createHandlerFor, fetchAPI, netlifyV1, ping, streaming } from '../server/index.ts';
import type {
  Closable,
  ContextFits,
  NetlifyContext,
  NetlifyHandlerContext,
  NetlifyHandlerEvent,
  NetlifyHandlerResponse,
  OptionsSource,
  ServerOptions,
} from '../server/index.ts';

export type { NetlifyContext, NetlifyHandlerContext, NetlifyHandlerEvent, NetlifyHandlerResponse } from '../server/index.ts';

/** What Netlify calls a function with: a `Request`, or the event of `export const handler`. */
export type NetlifyEvent = Request | NetlifyHandlerEvent;

/** A handler for both generations of Netlify Functions. */
export interface NetlifyHandler extends Closable {
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
): NetlifyHandler;
/** TypeScript suggests the name of a misspelled option only for this signature, which is the last: it does not for a union. */
export function createHandler<TContext extends object = object, TDataSources extends object = object>(
  options: ServerOptions<TContext, TDataSources, NetlifyEvent, NetlifyContext | NetlifyHandlerContext> &
    ContextFits<TContext, TDataSources>,
): NetlifyHandler;
export function createHandler(options: unknown): NetlifyHandler {
  return createHandlerFor({ adapters: [fetchAPI, netlifyV1, ping], streaming }, options) as NetlifyHandler;
}
