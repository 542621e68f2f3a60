import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Closable } from '../startup/close.ts';
import { createServe } from '../handler.ts';
import { streaming } from '../http/streams/streaming.ts';
import type { ContextFits, ServerOptions } from '../startup/options.ts';
import { nodeHTTP } from '../platform/node.ts';
import type { NodeExchange } from '../platform/node.ts';
import { isRebound, refuseHost } from './hosts.ts';
import { assertListenerOptions } from './listen-options.ts';
import type { ListenOptions } from './listen-options.ts';
import { Starter } from '../startup/start.ts';
import type { OptionsSource } from '../startup/start.ts';

/** Serves the requests of a node:http server, or of a route in Express and Connect. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A listener, with the functions that a graceful shutdown needs. */
export interface TrackedListener {
  readonly listener: NodeListener & Closable;
  /** Its calls are idle when all requests have their answers, and the work passed to `waitUntil` is done. */
  readonly starter: Starter;
}

/**
 * Creates a listener for your node:http server. After you have closed that server, call `close` of the listener.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * createServer(createListener({ typeDefs, resolvers })).listen(4000);
 * ```
 */
export function createListener<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, NodeExchange>> & ContextFits<TContext, TDataSources>,
  listen: Pick<ListenOptions, 'allowedHosts'> = {},
): NodeListener & Closable {
  assertListenerOptions(listen);
  return createTrackedListener(options as OptionsSource<ServerOptions>, listen.allowedHosts ?? []).listener;
}

const notNode =
  'createListener takes the request and the response of a Node server, and was called without such a response. ' +
  'For a function that gets a Request or an event, use createHandler of graphql-functions.';

/** `allowedHosts`: undefined if every Host is allowed, also in development. */
export function createTrackedListener(options: OptionsSource<ServerOptions>, allowedHosts: readonly string[] | undefined): TrackedListener {
  const starter = new Starter(options);
  const serve = createServe({ adapters: [nodeHTTP], streaming }, starter);
  const answer = async (event: NodeExchange): Promise<void> => {
    try {
      const isChecked = allowedHosts !== undefined && starter.prepared?.development !== false;
      if (isChecked && (await isRebound(starter, event.request, allowedHosts))) refuseHost(event.request, event.response);
      else await serve({ event, context: undefined, env: undefined });
    } catch (error) {
      // Uncaught, the error would end the process with every other request.
      starter.logger().error('A response could not be sent. Its connection is closed.', error);
      event.response.destroy();
    }
  };
  const listener: NodeListener = (request, response) => {
    if (typeof (response as Partial<typeof response> | undefined)?.setHeader !== 'function') return Promise.reject(new TypeError(notNode));
    return starter.calls.add(answer({ request, response }));
  };
  return { listener: Object.assign(listener, { close: serve.close }), starter };
}
