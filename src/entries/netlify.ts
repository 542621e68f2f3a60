import { createHandlerFor, fetchAPI, netlifyV1, ping, streaming } from '../server/index.ts';
import type {
  Closable,
  CreateHandler,
  NetlifyContext,
  NetlifyHandlerContext,
  NetlifyHandlerEvent,
  NetlifyHandlerResponse,
} from '../server/index.ts';

export type {
  Closable,
  CreateHandler,
  NetlifyContext,
  NetlifyHandlerContext,
  NetlifyHandlerEvent,
  NetlifyHandlerResponse,
} from '../server/index.ts';

/** The argument with which Netlify calls a function: a `Request`, or the event of `export const handler`. */
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
export const createHandler: CreateHandler<NetlifyHandler, NetlifyEvent, NetlifyContext | NetlifyHandlerContext> = (options) =>
  createHandlerFor({ adapters: [fetchAPI, netlifyV1, ping], streaming }, options) as NetlifyHandler;
