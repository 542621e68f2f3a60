import type { IncomingMessage, ServerResponse } from 'node:http';

import { serveEvent } from '../handler.ts';
import type { ServerOptions } from '../options.ts';
import { nodeHTTP } from '../platform/node.ts';
import type { NodeExchange } from '../platform/node.ts';
import { createStarter } from '../start.ts';
import type { OptionsSource, Starter } from '../start.ts';

/** Serves the requests of a node:http server; also fits into Express and Connect as the handler of a route. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A listener and what a graceful shutdown needs of it. */
export interface TrackedListener {
  readonly listener: NodeListener;
  readonly starter: Starter;
  /** Resolves when all requests have their answers, and the work handed to `waitUntil` is done. */
  idle(): Promise<void>;
}

/**
 * Makes a listener for a server of your own.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * createServer(createListener({ typeDefs, resolvers })).listen(4000);
 * ```
 */
export function createListener<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, NodeExchange>>,
): NodeListener {
  return createTrackedListener(options as OptionsSource<ServerOptions>).listener;
}

export function createTrackedListener(options: OptionsSource<ServerOptions>): TrackedListener {
  const starter = createStarter(options);
  const pending = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    const tracked = work.finally(() => pending.delete(tracked));
    pending.add(tracked);
  };

  const listener: NodeListener = async (request, response) => {
    const serving = serveEvent([nodeHTTP], starter, {
      event: { request, response } satisfies NodeExchange,
      context: { waitUntil: track },
      env: undefined,
    }).catch((error: unknown) => {
      // Nothing is left to answer with. An error that nobody catches would end the process, and every other request with it.
      starter.logger().error('A response could not be sent. Its connection is closed.', error);
      response.destroy();
    });
    track(serving);
    await serving;
  };

  return {
    listener,
    starter,
    // Work may hand over more work before it ends.
    async idle() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
