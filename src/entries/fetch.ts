import { createHandlerFor, fetchAPI, streaming } from '../server/index.ts';
import type { Closable, ContextArgument, ContextFits, OptionsSource, ServerOptions } from '../server/index.ts';

/**
 * The argument of `context` with the types of a platform's bindings and context, for example of a Cloudflare Worker.
 *
 * @example
 * ```ts
 * context: ({ env, context }: FetchContext<Env, ExecutionContext>) => ({ database: env.DB })
 * ```
 */
export type FetchContext<TEnv = unknown, TPlatformContext = unknown> = ContextArgument<Request, TPlatformContext, TEnv>;

/**
 * A handler for the web's `Request`, to be called or to be exported as `{ fetch }`. Deno and Bun also take the handler
 * itself as a default export; Cloudflare Workers take a function for a class, and need the object.
 */
export interface FetchHandler extends Closable {
  /** Takes a Request, or an event that has one, as of SvelteKit and of Cloudflare Pages. */
  (event: Request | { readonly request: Request }, context?: unknown): Promise<Response>;
  /** Takes the arguments of Workers (`request, env, context`), and of Deno and Bun (`request, info`). */
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
export function createHandler<
  TContext extends object = object,
  TDataSources extends object = object,
  TEnv = unknown,
  TPlatformContext = unknown,
>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, Request, TPlatformContext, TEnv>, TEnv> &
    ContextFits<TContext, TDataSources>,
): FetchHandler {
  return createHandlerFor({ adapters: [fetchAPI], streaming }, options) as FetchHandler;
}
