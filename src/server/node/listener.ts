import type { IncomingMessage, ServerResponse } from 'node:http';

import { assertEntries, boolean, describe, isRecord } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { Serving } from '../call.ts';
import { uncacheable } from '../doors/response-head.ts';
import { createClose, Starter } from '../startup/start.ts';
import type { Closable, OptionsSource } from '../startup/start.ts';
import { serve } from '../pipeline.ts';
import { streaming } from '../doors/graphql/streams/streaming.ts';
import type { ContextFits, ServerOptions } from '../startup/options.ts';
import { nodeHTTP } from '../platform/node.ts';
import type { NodeExchange } from '../platform/node.ts';

/** Serves the requests of a node:http server, or of a route in Express and Connect. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** A listener, with the functions that a graceful shutdown needs. */
export interface TrackedListener {
  readonly listener: NodeListener & Closable;
  /** Idle when all requests have their answers, and the work passed to `waitUntil` is done. */
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
  assertListenOptions(listen, 'createListener');
  return createTrackedListener(options as OptionsSource<ServerOptions>, listen.allowedHosts ?? []).listener;
}

const notNode =
  'createListener takes the request and the response of a Node server, and was called without such a response. ' +
  'For a function that gets a Request or an event, use createHandler of graphql-functions.';

/** `allowedHosts`: undefined if every Host is allowed, also in development. */
export function createTrackedListener(options: OptionsSource<ServerOptions>, allowedHosts: readonly string[] | undefined): TrackedListener {
  const starter = new Starter(options);
  const serving: Serving = { adapters: [nodeHTTP], streaming, starter };
  const answer = async (event: NodeExchange): Promise<void> => {
    try {
      const isChecked = allowedHosts !== undefined && starter.prepared?.http.development !== false;
      if (isChecked && (await isRebound(starter, event.request, allowedHosts))) refuseHost(event.request, event.response);
      else await serve(serving, { event, context: undefined, env: undefined });
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
  return { listener: Object.assign(listener, { close: createClose(starter) }), starter };
}

/** The address at which a server listens, the hosts that it answers, and the way it stops. */
export interface ListenOptions {
  /** 0: any free port. Default: 4000. */
  readonly port?: number;
  /** If set to another interface than localhost, a server in development answers requests for any Host. Default: all interfaces. */
  readonly host?: string;
  /**
   * In development, a request whose Host is neither one of these names nor localhost gets a 403: the page of another site could have sent it
   * (DNS rebinding). Names without a port. No effect outside of development. Default: none.
   */
  readonly allowedHosts?: readonly string[];
  /** Stop gracefully on SIGTERM and SIGINT. Default: true. */
  readonly signals?: boolean;
  /** Milliseconds that requests in flight may take to finish when the server stops. Default: 10,000. */
  readonly shutdownTimeout?: number;
}

/** Throws for unknown options and wrong values, like `assertOptions`. */
export function assertListenOptions(options: unknown, of: 'createListener' | 'serve'): asserts options is ListenOptions {
  const [example, known] = of === 'serve' ? ['{ port: 4000 }', expectations] : ['{ allowedHosts: ["api"] }', { allowedHosts: hostNames }];
  if (!isRecord(options)) throw new TypeError(`Expected the second argument of ${of} to be like ${example}, got ${describe(options)}.`);
  assertEntries('', options, known, of);
}

const hostNames: Expectation = {
  words: 'a list of host names without scheme and port',
  holds: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(name)),
};

const expectations: Readonly<Record<keyof ListenOptions, Expectation>> = {
  port: { words: 'a number from 0 to 65535', holds: isPort },
  host: { words: 'the name or the address of an interface', holds: (value) => typeof value === 'string' && value !== '' },
  allowedHosts: hostNames,
  signals: boolean,
  shutdownTimeout: { words: 'a number of milliseconds that is not negative', holds: (value) => typeof value === 'number' && value >= 0 },
};

/** True for a port, also as a string from an environment variable: node:net takes both. */
function isPort(value: unknown): boolean {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536;
}

/** True for a Host header that names this machine. */
export function isLocalHost(header: string): boolean {
  const name = nameIn(header);
  return name === 'localhost' || name.endsWith('.localhost') || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '[::1]';
}

/**
 * True for an interface that only this machine can reach. A request with another name in Host then comes from a page whose name points to
 * this machine.
 */
export function isLoopback(host = ''): boolean {
  return isLocalHost(host) || host === '::1';
}

/** The name in a URL for a browser. The address of all interfaces is not one. */
export function browsableHost(host = 'localhost'): string {
  if (host === '0.0.0.0' || host === '::' || host === '') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function nameIn(header: string): string {
  return header.replace(/:\d*$/, '').toLowerCase();
}

/**
 * Prevents DNS rebinding in development: any page can point its host name to this machine, and would then have the same origin as this
 * server, which has a playground and shows every error. Browsers always send a Host.
 */
async function isRebound(starter: Starter, { headers }: IncomingMessage, allowedHosts: readonly string[]): Promise<boolean> {
  const host = headers.host ?? headers[':authority'];
  if (typeof host !== 'string' || isLocalHost(host) || allowedHosts.some((name) => name.toLowerCase() === nameIn(host))) return false;
  // Waits for the options, if they are not known yet. If they fail, the error with the reason must not reach other sites either.
  if (starter.prepared === undefined) await Promise.allSettled([starter.server()]);
  return starter.prepared?.http.development ?? true;
}

/** The answer to such a request. */
function refuseHost({ method }: IncomingMessage, response: ServerResponse): void {
  const message =
    'In development, this server answers only requests for localhost. For other names, such as that of a container, ' +
    'set the option allowedHosts of serve() or createListener().';
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'FORBIDDEN' } }] });
  response.writeHead(403, { 'content-type': 'application/json; charset=utf-8', 'cache-control': uncacheable });
  response.end(method === 'HEAD' ? undefined : body);
}
