import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import { waitAtMost, printable } from '../../shared/index.ts';
import { readNodeEnv } from '../startup/server.ts';
import type { ContextFits, ServerOptions } from '../startup/options.ts';
import type { NodeExchange } from '../platform/node.ts';
import type { OptionsSource } from '../startup/start.ts';
import { assertListenOptions, browsableHost, createTrackedListener, isLoopback } from './listener.ts';
import type { ListenOptions, TrackedListener } from './listener.ts';
import { createClose } from '../startup/start.ts';
import type { Logger } from '../operation/types.ts';
import { packageFolder } from '../startup/package-files.ts';

/** A server that is listening. */
export interface RunningServer {
  /** The address for clients, for example to print it. */
  readonly url: string;
  readonly port: number;
  /** Finishes the requests in flight, refuses new ones, then resolves. A second call waits for the same end. */
  close(): Promise<void>;
}

/**
 * Serves the options of a handler from a long-lived Node process. Every path is the endpoint, and `…/health` answers
 * health checks. Resolves when it listens. Rejects if it cannot listen, if the server cannot start, and for wrong options.
 *
 * @example
 * ```ts
 * const { url } = await serve({ typeDefs, resolvers }, { port: 4000 });
 * ```
 */
export async function serve<TContext extends object = object, TDataSources extends object = object>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, NodeExchange>> & ContextFits<TContext, TDataSources>,
  listen: ListenOptions = {},
): Promise<RunningServer> {
  assertListenOptions(listen, 'serve');
  const allowedHosts = listen.host === undefined || isLoopback(listen.host) ? (listen.allowedHosts ?? []) : listen.allowedHosts;
  const tracked = createTrackedListener(adapted(options as OptionsSource<ServerOptions>), allowedHosts);
  // A failed start is final, unlike in a function: a process that cannot answer should not look alive.
  await orClose(tracked, tracked.starter.server());

  const state: ServerState = { stopping: false, unanswered: new Set() };
  const server = createServer((request, response) => {
    if (state.stopping) response.setHeader('connection', 'close');
    state.unanswered.add(response);
    response.once('close', () => state.unanswered.delete(response));
    void tracked.listener(request, response);
  });
  // Load balancers keep idle connections for up to 60 s; a server that closes one earlier causes sporadic 502s.
  server.keepAliveTimeout = 65_000;
  await orClose(tracked, listening(server, listen));

  const close = createServerClose(server, tracked, state, listen.shutdownTimeout ?? 10_000);
  if (listen.signals !== false)
    closeOnSignals(server, () => close().catch((error: unknown) => tracked.starter.logger().error(cannotStop, error)));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${browsableHost(listen.host)}:${port}/`, port, close };
}

/** Stops plugins that have started if the rest of the start fails: a pool would keep the process alive. */
async function orClose<T>({ listener, starter }: TrackedListener, starting: T | Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    await listener.close().catch((thrown: unknown) => starter.logger().error(cannotStop, thrown));
    throw error;
  }
}

const cannotStop = 'A plugin could not stop.';

function adapted(source: OptionsSource<ServerOptions>): OptionsSource<ServerOptions> {
  if (typeof source === 'function') return async (call) => forServer(await source(call));
  return source instanceof Promise ? source.then(forServer) : forServer(source);
}

/** In development, the log is read in a terminal, so its stacks have only lines of the user's code. */
function forServer(options: ServerOptions): ServerOptions {
  const isDevelopment = (options?.nodeEnv ?? readNodeEnv()) === 'development';
  return isDevelopment ? { logger: withUserFrames(console), ...options } : options;
}

function listening(server: Server, { port = 4000, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(withAdvice(error, port));
    server.once('error', refuse);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** The error with advice which option to change, and Node's code. */
function withAdvice(error: NodeJS.ErrnoException, port: number): Error {
  const advice = Object.hasOwn(adviceFor, error.code ?? '') ? adviceFor[error.code!] : undefined;
  if (advice === undefined) return error;
  return Object.assign(new Error(`serve cannot listen on port ${port}: ${advice}`, { cause: error }), { code: error.code });
}

const adviceFor: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use. Stop the process that listens on it, or choose another with serve(options, { port }); 0 takes any free port.',
  EACCES: 'permission denied. Ports below 1024 need privileges: write for example serve(options, { port: 8080 }).',
  EADDRNOTAVAIL: 'the option host is not an address of this machine. Leave it out, or write "127.0.0.1" or "0.0.0.0".',
  ENOTFOUND: 'the option host is not a known name. Leave it out, or write "127.0.0.1" or "0.0.0.0".',
};

interface ServerState {
  stopping: boolean;
  readonly unanswered: Set<ServerResponse>;
}

function createServerClose(server: Server, tracked: TrackedListener, state: ServerState, timeout: number): () => Promise<void> {
  const close = createClose(tracked.starter, { timeout, finish: () => finished(server, tracked, timeout) });
  return () => {
    state.stopping = true;
    // Tells clients, because they would send the next request on a closed connection.
    for (const response of state.unanswered) if (!response.headersSent) response.setHeader('connection', 'close');
    return close();
  };
}

/**
 * Accepts no new connections. Closes idle connections at once and all others after their answers. Waits until all are closed and the work
 * passed to `waitUntil` has ended, up to the timeout.
 */
async function finished(server: Server, tracked: TrackedListener, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const idle = tracked.starter.calls.idle().then(() => server.closeIdleConnections());
  await waitAtMost(timeout, Promise.all([closed, idle]));
  server.closeAllConnections();
  await closed;
}

function closeOnSignals(server: Server, close: () => Promise<void>): void {
  const stop = (signal: NodeJS.Signals): void => {
    // The signal sent here, like a second one from outside, ends the process.
    void close().finally(() => process.kill(process.pid, signal));
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  server.once('close', () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
  });
}

const root = packageFolder();
const packageFolders = root === undefined ? [] : ['src', 'dist'].map((folder) => `${root}${folder}`);

/** True if a line of a stack is of Node, of a package, or of this one. */
export function isForeign(line: string): boolean {
  return /\(?node:|[\\/]node_modules[\\/]/.test(line) || packageFolders.some((folder) => line.includes(folder));
}

/** The error with its causes, and with the lines of the stack that are the user's code. */
export function stackOf(error: unknown): string {
  const kept: string[] = [];
  for (const line of inspect(error, { depth: 4 }).split('\n')) {
    // "lines matching" are repeated below the cause.
    const isKept = !/^\s+\.\.\. \d+ lines matching/.test(line) && (!/^\s+at /.test(line) || !isForeign(line));
    if (isKept) kept.push(line);
    // The other members of the error follow the last line of its stack.
    else if (line.endsWith(' {')) kept.push(`${kept.pop() ?? ''} {`);
  }
  return kept.join('\n').replaceAll(emptyMembers, '');
}

/** Empty members of a GraphQLError. */
const emptyMembers = / \{\n(?:\s+(?:path|locations): undefined,\n)*\s+extensions: (?:\[Object: null prototype\] )?\{\}\n\s*\}/g;

/** A logger for development, which shows only the lines of stacks that are the user's code, or all if none is. */
export function withUserFrames(logger: Logger): Logger {
  return {
    debug: (message, ...details) => logger.debug(shown(message), ...details.map(shown)),
    info: (message, ...details) => logger.info(shown(message), ...details.map(shown)),
    warn: (message, ...details) => logger.warn(shown(message), ...details.map(shown)),
    error: (message, ...details) => logger.error(shown(message), ...details.map(shown)),
  };
}

function shown<T>(value: T): T | string {
  return value instanceof Error && (isExpected(value) || hasUserFrame(value)) ? stackOf(printable(value)) : value;
}

/** True for errors with `extensions`: their stack does not matter. */
function isExpected(error: Error): boolean {
  const { extensions } = error as { readonly extensions?: unknown };
  return typeof extensions === 'object' && extensions !== null;
}

function hasUserFrame({ stack = '' }: Error): boolean {
  return stack.split('\n').some((line) => /^\s+at .*[\\/]/.test(line) && !isForeign(line));
}
