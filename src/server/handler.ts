import type { Platforms, Serving } from './call.ts';
import { createClose, Starter } from './startup/start.ts';
import { serve } from './pipeline.ts';
import type { ServerOptions } from './startup/options.ts';
import type { OptionsSource } from './startup/start.ts';

/** Takes an event of any of its platforms, or a web `Request`, and returns the result that the platform expects. */
export interface UntypedHandler {
  // At most two declared parameters: AWS Lambda's runtime rejects a handler with three, the old form with a callback.
  (event: unknown, context?: unknown): Promise<unknown>;
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Creates a handler. Throws if the options or the schema are invalid. */
export function createHandlerFor(platforms: Platforms, options: unknown): UntypedHandler {
  // The user's type parameters only connect options with each other; the server does not need them.
  return createObserved((source) => createUnobservedHandler(platforms, source), options as OptionsSource<ServerOptions>);
}

/** Creates a handler for `/v3`, whose options the tools do not know. */
export function createUnobservedHandler(platforms: Platforms, source: OptionsSource<ServerOptions>): UntypedHandler {
  const starter = new Starter(source);
  const serving: Serving = { ...platforms, starter };
  const handler = (event: unknown, context?: unknown): Promise<unknown> => serve(serving, { event, context, env: undefined });
  // Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
  const fetch = (request: Request, env?: unknown, context?: unknown): Promise<Response> =>
    serve(serving, { event: request, context: context ?? env, env }) as Promise<Response>;
  return Object.assign(handler, { fetch, close: createClose(starter) });
}

/** Creates a handler from options. Throws if they are invalid. */
export type CreateFromOptions<THandler> = (options: OptionsSource<ServerOptions>) => THandler;

/** Called instead of every `create`, with its argument. Returns the handler of `create(options)`, or what is to replace it. */
export type HandlerObserver = <THandler>(create: CreateFromOptions<THandler>, options: OptionsSource<ServerOptions>) => THandler;

/** On the global object, because a bundled function has a copy of this module for itself. */
const mark = Symbol.for('graphql-functions.observer');

/**
 * Creates a handler, through the observer if there is one: `dev` logs operations, `check` reads the options, and `build` warms up the
 * code cache. In production no observer is set: this adds 60 bytes to a bundle, the code of the tools adds none, and they bundle the user's
 * code unchanged.
 */
export function createObserved<THandler>(create: CreateFromOptions<THandler>, options: OptionsSource<ServerOptions>): THandler {
  const observer = (globalThis as { [mark]?: HandlerObserver })[mark];
  return observer === undefined ? create(options) : observer(create, options);
}
