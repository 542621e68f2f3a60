import { createHandlerFor, fetchAPI, streaming } from '../server/index.ts';
import type { ContextFits, OptionsSource, ServerOptions } from '../server/index.ts';

/**
 * A handler for the web's `Request`, to be called or to be exported as `{ fetch }`. Deno and Bun also take the handler
 * itself as a default export; Cloudflare Workers take a function for a class, and need the object.
 */
export interface FetchHandler {
  (request: Request, context?: unknown): Promise<Response>;
  /** As Workers call it (`request, env, context`), and Deno and Bun (`request, info`). */
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
}

/**
 * Makes a handler for platforms that speak the web's `Request` and `Response`: Cloudflare Workers, Deno, Bun, Vercel.
 * Throws for wrong options and wrong schema text.
 *
 * @example
 * ```ts
 * const { fetch } = createHandler({ typeDefs, resolvers });
 * export default { fetch };
 * ```
 */
export function createHandler<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, Request>> & ContextFits<TContext, TDataSources>,
): FetchHandler {
  return createHandlerFor({ adapters: [fetchAPI], streaming }, options) as FetchHandler;
}
