import { Call } from './call.ts';
import type { CallArguments, Serving } from './call.ts';
import type { Streaming } from './http/streams/streaming.ts';
import { createClose } from './startup/close.ts';
import { createObserved } from './handler-observer.ts';
import { serve } from './pipeline.ts';
import { findAdapter } from './platform/adapter.ts';
import type { PlatformAdapter } from './platform/adapter.ts';
import type { ServerOptions } from './startup/options.ts';
import { Starter } from './startup/start.ts';
import type { OptionsSource } from './startup/start.ts';

/** Takes an event of any of its platforms, or a web `Request`, and returns the result that the platform expects. */
export interface UntypedHandler {
  // At most two declared parameters: AWS Lambda's runtime rejects a handler with three, the old form with a callback.
  (event: unknown, context?: unknown): Promise<unknown>;
  fetch(request: Request, env?: unknown, context?: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** The platforms of a handler, and the streaming code for those that support it. */
export interface Platforms {
  readonly adapters: readonly PlatformAdapter<never>[];
  /** Passed in, so that bundles for platforms without streams do not contain it. Undefined: every operation gets one answer. */
  readonly streaming?: Streaming | undefined;
}

/** Creates a handler. Throws if the options or the schema are invalid. */
export function createHandlerFor(platforms: Platforms, options: unknown): UntypedHandler {
  // The user's type parameters only connect options with each other; the server does not need them.
  return createObserved((source) => createUnobservedHandler(platforms, source), options as OptionsSource<ServerOptions>);
}

/** Creates a handler for `/v3`, whose options the tools do not know. */
export function createUnobservedHandler(platforms: Platforms, source: OptionsSource<ServerOptions>): UntypedHandler {
  const serveCall = createServe(platforms, new Starter(source));
  const handler = (event: unknown, context?: unknown): Promise<unknown> => serveCall({ event, context, env: undefined });
  // Workers call fetch(request, env, context), Deno and Bun fetch(request, info).
  const fetch = (request: Request, env?: unknown, context?: unknown): Promise<Response> =>
    serveCall({ event: request, context: context ?? env, env }) as Promise<Response>;
  return Object.assign(handler, { fetch, close: serveCall.close });
}

/** Serves calls. */
export interface ServeCalls {
  (call: CallArguments): Promise<unknown>;
  close(): Promise<void>;
}

/** Creates the function that serves calls, for callers that have a starter: the handler, the Node server and the tester. */
export function createServe({ adapters, streaming }: Platforms, starter: Starter): ServeCalls {
  const serving: Serving = { starter, streaming };
  const serveCall = async (given: CallArguments): Promise<unknown> => {
    const adapter = findAdapter(adapters, given.event);
    return serve(new Call(adapter, serving, adapter.unwrap === undefined ? given : adapter.unwrap(given)));
  };
  return Object.assign(serveCall, { close: createClose(starter) });
}
