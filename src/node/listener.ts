import type { IncomingMessage, ServerResponse } from 'node:http';

import { createStreamingServe } from '../handler/streaming.ts';
import type { ChunkStream } from '../message/http-messages.ts';
import type { ContextFits, ServerOptions } from '../server/options.ts';
import { nodeHTTP } from '../platform/node.ts';
import type { NodeExchange } from '../platform/node.ts';
import { createStarter } from '../server/start.ts';
import type { OptionsSource, Starter } from '../server/start.ts';

/** Serves the requests of a node:http server; also fits into Express and Connect as the handler of a route. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A listener and what a graceful shutdown needs of it. */
export interface TrackedListener {
  readonly listener: NodeListener;
  readonly starter: Starter;
  /** Resolves when all requests have their answers, and the work handed to `waitUntil` is done. */
  idle(): Promise<void>;
  /** Ends the streams that are open: no answer of theirs would ever be the last. */
  endStreams(): void;
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
  options: OptionsSource<ServerOptions<TContext, TDataSources, NodeExchange>> & ContextFits<TContext, TDataSources>,
): NodeListener {
  return createTrackedListener(options as OptionsSource<ServerOptions>).listener;
}

export function createTrackedListener(options: OptionsSource<ServerOptions>): TrackedListener {
  const starter = createStarter(options);
  const streams = new Set<ChunkStream>();
  let isStopping = false;
  const adapter: typeof nodeHTTP = {
    ...nodeHTTP,
    async toStreamResult(response, exchange) {
      streams.add(response.body);
      if (isStopping) response.body.stop();
      await nodeHTTP.toStreamResult?.(response, exchange);
      streams.delete(response.body);
    },
  };
  const pending = new Set<Promise<unknown>>();
  const waitUntil = (work: Promise<unknown>): void => {
    const tracked = work.finally(() => pending.delete(tracked));
    pending.add(tracked);
  };

  const serve = createStreamingServe([adapter], starter);
  const answer = async (event: NodeExchange, done: () => void): Promise<void> => {
    try {
      await serve({ event, context: { waitUntil }, env: undefined });
    } catch (error) {
      // No answer can be sent any more. An uncaught error would end the process, and every other request with it.
      starter.logger().error('A response could not be sent. Its connection is closed.', error);
      event.response.destroy();
    } finally {
      done();
    }
  };
  const listener: NodeListener = (request, response) => {
    const served: Promise<void> = answer({ request, response }, () => pending.delete(served));
    pending.add(served);
    return served;
  };

  return {
    listener,
    starter,
    endStreams() {
      isStopping = true;
      for (const stream of streams) stream.stop();
    },
    // Work may hand over more work before it ends.
    async idle() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
