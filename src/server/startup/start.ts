import { guardLogger, messageOf, waitAtMost, readProcess } from '../../shared/index.ts';
import type { ChunkStream, Milliseconds } from '../../shared/index.ts';
import { explainRefusal } from './load-tools.ts';
import { readNodeEnv, createServer, startServer } from './server.ts';
import { createError, deadlineExceeded } from '../operation/errors.ts';
import { callFailureHooks } from '../operation/apollo-hooks.ts';
import type { ServerListener } from '../operation/server-start.ts';
import type { Logger } from '../operation/types.ts';
import type { ContextFits, ServerOptions } from './options.ts';
import type { Server, StartedServer } from './server.ts';

/** Options, or a promise of them, or a function that returns either. `TEnv`: the environment that the function gets. */
export type OptionsSource<TOptions, TEnv = Environment> = TOptions | OptionsPromise<TOptions> | OptionsFunction<TOptions, TEnv>;

/** The variables of a process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A promise or a function has no options itself. So TypeScript suggests the right name for a misspelled one, as it does not for other unions. */
type NoOptions = { readonly [Name in keyof ServerOptions]?: never };
/** A promise of options. */
export interface OptionsPromise<TOptions> extends Promise<TOptions>, NoOptions {}
/** A function that returns options. It runs at the first request, and again after a start that failed. */
export interface OptionsFunction<TOptions, TEnv = Environment> extends NoOptions {
  (call: OptionsCall<TEnv>): TOptions | Promise<TOptions>;
}

/** The argument of a function of options. */
export interface OptionsCall<TEnv = Environment> {
  /** Variables, secrets and bindings, where the platform passes them with each call, as Workers do; elsewhere `process.env`. */
  readonly env: TEnv;
}

/** A function that takes options. Their type parameters are inferred. */
export type CreateHandler<THandler, TEvent = unknown, TPlatformContext = unknown, TEnv = Environment> = <
  TContext extends object = object,
  TDataSources extends object = object,
>(
  options: OptionsSource<ServerOptions<TContext, TDataSources, TEvent, TPlatformContext>, TEnv> & ContextFits<TContext, TDataSources>,
) => THandler;

/** The part of a call that a start needs. */
export interface StartingCall {
  /** Variables and bindings that the platform passes with the call, if it does. */
  readonly environment: unknown;
  /** Milliseconds until the call's deadline; undefined if it has none. */
  deadlineLeft(): Milliseconds | undefined;
}

/** A start that is in progress. */
interface Attempt {
  readonly outcome: Promise<StartedServer>;
  readonly limit: Milliseconds;
  /** The time at which the start is given up. */
  readonly end: Milliseconds;
}

/** Milliseconds after which a start is given up. */
const longestStart = 10_000;

/**
 * A server that starts when it is first needed. Plain options are checked at once, so that a mistake throws where it was made. Asynchronous
 * work starts with the first request, because some platforms allow no I/O before it. A start that fails, or has not ended after 10 s or at
 * the deadline of its call, is dropped, and the next request begins another. If one that was dropped still succeeds, its server is used.
 */
export class Starter {
  /** The server before its plugins have started; undefined while the options are loading, and if they have failed to load. */
  prepared: Server | undefined;
  readonly calls: OpenCalls = new OpenCalls();
  readonly #options: OptionsSource<ServerOptions>;
  readonly #assumedNodeEnv: string | undefined;
  #started: StartedServer | undefined;
  #starting: Attempt | undefined;
  /** True while the synchronous part of a start runs. */
  #isBeginning = false;
  #reported: string | undefined;
  /**
   * In development, an error made in the call of createHandler: if the options come later, the stack of the start does not have the place
   * of this call.
   */
  readonly #called: Error | undefined;
  /** The listeners of the last start, which may have failed. */
  #listeners: ServerListener[] = [];
  /** All starts, including those for which no call waits any more. */
  readonly #starts = new OpenCalls();

  /** `assumedNodeEnv`: NODE_ENV for a start that fails before the options are known. Default: NODE_ENV of the process. */
  constructor(options: OptionsSource<ServerOptions>, assumedNodeEnv?: string) {
    this.#options = options;
    this.#assumedNodeEnv = assumedNodeEnv;
    // The first request gets the rejection. Unhandled until then, it would end the process.
    if (options instanceof Promise) options.catch(() => {});
    else if (typeof options !== 'function') this.prepared = prepare(options);
    if (this.prepared === undefined && readNodeEnv() === 'development') this.#called = new Error('called from');
  }

  logger(): Logger {
    return this.prepared?.http.operation.logger ?? guardLogger(console);
  }

  /** The server; a promise while it starts. Rejects with an error for the client. With a call, waits at most 10 s and until its deadline. */
  server(call?: StartingCall): StartedServer | Promise<StartedServer> {
    if (this.calls.isClosed) throw createError('SERVICE_UNAVAILABLE', 'The handler has been closed.');
    // Without plugins there is nothing to start.
    if (this.prepared?.listed.length === 0) this.#started ??= { http: this.prepared.http, listeners: [] };
    if (this.#started !== undefined) return this.#started;
    // The start would wait for this request, and this request for the start.
    if (this.#isBeginning)
      throw createError('INTERNAL_SERVER_ERROR', 'A request of serverWillStart, or of the options, needs the handler that it is starting.');
    return this.#join(call);
  }

  /** Waits until no start is in progress. Returns the listeners of the plugins from the last start. Starts nothing. */
  async listeners(): Promise<readonly ServerListener[]> {
    // A plugin that is starting may have called `close`.
    await undefined;
    await this.#starts.idle();
    return this.#started?.listeners ?? this.#listeners;
  }

  /** Waits for the start, until it is given up. Each call has a timer, because on Workers the timers of a call that has ended never fire. */
  async #join(call: StartingCall | undefined): Promise<StartedServer> {
    const attempt = (this.#starting ??= this.#begin(call));
    if (call === undefined) return attempt.outcome;
    const outcome = await waitAtMost(attempt.end - Date.now(), attempt.outcome);
    if (this.#started !== undefined) return this.#started;
    if (outcome !== 'late') return outcome;
    if (this.#starting === attempt) this.#starting = undefined;
    const awaited = `${this.prepared === undefined ? 'the options' : 'serverWillStart of a plugin'} had not finished. The next request tries again.`;
    if (attempt.limit === longestStart)
      return this.#fail(new Error(`The start was given up after ${longestStart / 1000} s: ${awaited}`), attempt);
    // The attempt had the deadline of the call that began it. This call may have more time. Timers may be a millisecond early.
    if ((call.deadlineLeft() ?? Infinity) > 1) return this.#join(call);
    this.logger().warn(`The deadline passed before the server started: ${awaited}`);
    throw deadlineExceeded();
  }

  #begin(call: StartingCall | undefined): Attempt {
    const limit = Math.min(call?.deadlineLeft() ?? Infinity, longestStart);
    this.#isBeginning = true;
    const outcome = this.#starts.add(this.#start(call)).catch((error: unknown) => this.#fail(error, attempt));
    this.#isBeginning = false;
    const attempt: Attempt = { limit, end: Date.now() + limit, outcome };
    return attempt;
  }

  async #start(call: StartingCall | undefined): Promise<StartedServer> {
    const options = this.#options;
    const env = (): Environment => (call?.environment as Environment | undefined) ?? readProcess((process) => process.env) ?? {};
    this.prepared ??= prepare(await (typeof options === 'function' ? options({ env: env() }) : options), this.#called);
    const listeners: ServerListener[] = (this.#listeners = []);
    try {
      const server = await startServer(this.prepared, listeners);
      return (this.#started ??= server);
    } finally {
      // A start that fails, or comes after another one has succeeded, leaves nothing open.
      if (this.#started?.listeners !== listeners)
        await stopListeners(this, listeners.splice(0), { timeout: timeForHooks, finished: Promise.resolve() }).catch((error: unknown) =>
          this.logger().error('A plugin could not stop.', error),
        );
    }
  }

  /** Logs the failure, once for all calls that wait. Throws the error for the client. */
  async #fail(error: unknown, attempt: Attempt): Promise<never> {
    if (this.#starting === attempt) this.#starting = undefined;
    const message = messageOf(error);
    // Each cause is reported once: a database that is down for an hour must not fill the log. A start that was given up may fail after
    // another has succeeded.
    if (message !== this.#reported && this.#started === undefined) {
      this.#reported = message;
      this.logger().error('The server could not start: requests are answered with status 500 until it can.', error);
      const failure = { error: error instanceof Error ? error : new Error(String(error)), logger: this.logger() };
      const plugins = this.prepared?.http.operation.plugins ?? [];
      if (plugins.length > 0) await waitAtMost(timeForHooks, callFailureHooks(plugins, 'startupDidFail', failure));
    }
    // Clients get the cause only in development and in tests.
    const nodeEnv = this.prepared === undefined ? (this.#assumedNodeEnv ?? readNodeEnv()) : this.prepared.nodeEnv;
    const shown = nodeEnv === 'development' || nodeEnv === 'test' ? `The server could not start: ${message}` : 'Internal server error';
    throw createError('INTERNAL_SERVER_ERROR', shown, { cause: error });
  }
}

/** Creates the server. In development, the error for wrong options names all problems, with file and line. */
function prepare(options: ServerOptions, called?: Error): Server {
  try {
    return createServer(options);
  } catch (error) {
    const { nodeEnv = readNodeEnv() } = (options ?? {}) as Partial<ServerOptions>;
    throw nodeEnv === 'development' ? explainRefusal(error, options, called) : error;
  }
}

/** Milliseconds that the failed requests wait for `startupDidFail` of the plugins. */
const timeForHooks = 1000;

/** The calls of a handler, or its starts, that have not ended: `close` waits for them. */
export class OpenCalls {
  /** True once later calls are refused. */
  isClosed = false;
  readonly #streams = new Set<ChunkStream>();
  #count = 0;
  readonly #onIdle: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    if (--this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /**
   * Counts work until it settles, and returns it. Does not keep the promises, because on Workers the promises of a client that has left
   * never settle.
   */
  add<T>(work: Promise<T>): Promise<T> {
    const end = (): void => this.end();
    this.begin();
    work.then(end, end);
    return work;
  }

  /** Adds an open stream. Returns a function that removes it. */
  addStream(stream: ChunkStream): () => void {
    this.#streams.add(stream);
    if (this.isClosed) stream.stop();
    return () => this.#streams.delete(stream);
  }

  /** Refuses later calls. Ends the open streams, which may never end by themselves, and those that begin later. */
  close(): void {
    this.isClosed = true;
    for (const stream of this.#streams) stream.stop();
  }

  /** Resolves when all work has settled, including work that was added meanwhile. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#onIdle.push(resolve);
    });
  }
}

/** A handler of any platform. */
export interface Closable {
  /**
   * Ends the handler, for tests and long-lived processes: ends its streams, calls `drainServer` of the plugins, waits up to 10 s for its
   * calls, their sources and their work, and then calls `serverWillStop`. Later calls are answered with status 503. Never starts the
   * server. A second call waits for the same end.
   */
  close(): Promise<void>;
}

/** How a long-lived server closes. */
interface Closing {
  /** Milliseconds that `close` waits for calls, and for the hooks of plugins. */
  readonly timeout: Milliseconds;
  /** Resolves after the last answer. */
  readonly finish: () => Promise<void>;
}

const closeTimeout = 10_000;

/** Creates the `close` of a handler. All its calls return the same promise. */
export function createClose(
  starter: Starter,
  { timeout = closeTimeout, finish = () => finishCalls(starter) }: Partial<Closing> = {},
): () => Promise<void> {
  const close = async (): Promise<void> => {
    starter.calls.close();
    const starting = starter.listeners();
    const finished = finish();
    const stop = (listeners: readonly ServerListener[]): Promise<void> => stopListeners(starter, listeners, { timeout, finished });
    const listeners = await waitAtMost(timeout, starting);
    if (listeners !== 'late') return stop(listeners);
    starting
      .then(stop)
      .catch((error: unknown) => starter.logger().error('A server that started after it was closed could not stop.', error));
    return stop([]);
  };
  let closing: Promise<void> | undefined;
  return () => (closing ??= close());
}

async function finishCalls(starter: Starter): Promise<void> {
  if ((await waitAtMost(closeTimeout, starter.calls.idle())) === 'late')
    starter
      .logger()
      .warn(
        `The handler was closed although calls, sources of streams, or work passed to waitUntil, did not end within ${closeTimeout} ms.`,
      );
}

/** Milliseconds that `serverWillStop` always has, even after the timeout. */
const minStopTime = 1000;

/**
 * Calls `drainServer` of the plugins, and after the last request `serverWillStop`. Hooks that hang are not awaited: the platform would
 * kill the process, with all requests in flight. Throws the first error of a hook when all of them have been called.
 */
async function stopListeners(
  starter: Starter,
  listeners: readonly ServerListener[],
  { timeout, finished }: { readonly timeout: Milliseconds; readonly finished: Promise<void> },
): Promise<void> {
  const end = Date.now() + timeout;
  const errors: unknown[] = [];
  const callAll = async (name: 'drainServer' | 'serverWillStop', limit: number): Promise<void> => {
    const call = async (listener: ServerListener): Promise<void> => listener[name]?.();
    const all = Promise.all(listeners.map((listener) => call(listener).catch((error: unknown) => void errors.push(error))));
    if ((await waitAtMost(limit, all)) === 'late') starter.logger().warn(`${name} of a plugin did not finish within ${limit} ms.`);
  };
  await callAll('drainServer', timeout);
  await finished;
  await callAll('serverWillStop', Math.max(minStopTime, end - Date.now()));
  for (const error of errors.slice(1)) starter.logger().error('A plugin could not stop.', error);
  if (errors.length > 0) throw errors[0];
}
