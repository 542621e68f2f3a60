import { createHandlerFor, serveEvent } from './handler.ts';
import type { Call, UntypedHandler } from './handler.ts';
import { streaming } from '../http/streams/streaming.ts';
import type { PlatformAdapter } from '../platform/adapter.ts';
import type { ServerOptions } from '../server/options.ts';
import type { OptionsSource, Starter } from '../server/start.ts';

/**
 * Options in, handler out, for platforms that carry streams. A file of its own: bundles for platforms that carry none
 * contain nothing of streams. Throws for wrong options and wrong schema text.
 */
export function createStreamingHandlerFor(adapters: readonly PlatformAdapter<never>[], options: unknown): UntypedHandler {
  // Inside, the user's types are of no use: they flow from option to option, and end here.
  return createHandlerFor(adapters, options as OptionsSource<ServerOptions>, streaming);
}

/** The same for callers that have made the server themselves: the Node server and the tester. */
export function createStreamingServe(adapters: readonly PlatformAdapter<never>[], starter: Starter): (call: Call) => Promise<unknown> {
  const serving = { adapters, starter, streaming };
  return (call) => serveEvent(serving, call);
}
