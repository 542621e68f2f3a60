import { createHandlerFor, fetchAPI, netlifyV1, ping, streaming } from '../server/index.ts';
import type {
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
export interface NetlifyHandler {
  (request: Request, context?: NetlifyContext): Promise<Response>;
  (event: NetlifyHandlerEvent, context?: NetlifyHandlerContext): Promise<NetlifyHandlerResponse>;
  fetch(request: Request, context?: NetlifyContext): Promise<Response>;
  /**
   * Ends the handler, for tests and long-lived processes: waits up to 10 s for its calls and their work, ends its streams, and calls
   * `drainServer` and `serverWillStop` of the plugins. Later calls are answered with status 503. Never starts the server. A second call
   * waits for the same end.
   */
  close(): Promise<void>;
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
