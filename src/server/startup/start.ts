import { guardLogger, messageOf, waitAtMost } from '../../shared/index.ts';
import type { ChunkStream, Milliseconds } from '../../shared/index.ts';
import { readNodeEnv, createServer, startServer, startedAtOnce } from './server.ts';
import { createError, deadlineExceeded } from '../operation/errors.ts';
import { callFailureHook } from '../operation/hooks.ts';
import type { ServerListener } from '../operation/plugin.ts';
import type { Logger } from '../operation/types.ts';
import type { ServerOptions } from './options.ts';
import type { Server, StartedServer } from './server.ts';

/** Options, or a promise of them, or a function that returns either. */
export type OptionsSource<TOptions> = TOptions | Promise<TOptions> | (() => TOptions | Promise<TOptions>);

/** The part of a call that a start needs. */
export interface StartingCall {
  /** Milliseconds until the call's deadline; undefined if it has none. */
  deadlineLeft(): Milliseconds | undefined;
}

/** A server that starts when it is first needed. */
export interface Starter {
  /** The server; a promise while it starts. Rejects with an error for the client. With a call, waits at most 10 s and until its deadline. */
  server(call?: StartingCall): StartedServer | Promise<StartedServer>;
  /** The server before its plugins have started. Undefined while the options are loading, or have failed to load. */
  prepared(): Server | undefined;
  logger(): Logger;
  readonly calls: OpenCalls;
  /** Waits until no start is in progress. Returns what the plugins of the last one returned: nothing is started for this. */
  listeners(): Promise<readonly ServerListener[]>;
}

/** A start that is in progress. */
interface Attempt {
  readonly outcome: Promise<StartedServer>;
  readonly limit: Milliseconds;
  /** When it is given up. */
  readonly end: Milliseconds;
}

/** Milliseconds after which a start is given up. */
const longestStart = 10_000;

/**
 * Prepares the start of a server. Plain options are checked at once, so that a mistake throws where it was made. Asynchronous work
 * starts with the first request, because some platforms allow no I/O before it. A start that fails, or has not ended after 10 s or at the
 * deadline of its call, is dropped, and the next request begins another. If one that was dropped still succeeds, its server is used.
 * `assumedNodeEnv`: NODE_ENV for a start that fails before the options are known. Default: that of the process.
 */
export function createStarter(options: OptionsSource<ServerOptions>, assumedNodeEnv?: string): Starter {
  let prepared = typeof options !== 'function' && !(options instanceof Promise) ? createServer(options) : undefined;
  // The first request gets the rejection. Unhandled until then, it would end the process.
  if (options instanceof Promise) options.catch(() => {});

  let started: StartedServer | undefined;
  let starting: Attempt | undefined;
  /** True while the synchronous part of a start runs. */
  let isBeginning = false;
  let reported: string | undefined;
  /** Those of the last start, which may have failed. */
  let listeners: ServerListener[] = [];
  const calls = new OpenCalls();
  /** Also those that no call waits for any more. */
  const starts = new OpenCalls();
  const logger = (): Logger => prepared?.http.operation.logger ?? guardLogger(console);

  async function start(): Promise<StartedServer> {
    prepared ??= createServer(await (typeof options === 'function' ? options() : options));
    const server = await startServer(prepared, (listeners = []));
    return (started ??= server);
  }

  function begin(limit: Milliseconds): Attempt {
    isBeginning = true;
    const outcome = starts.add(start()).catch((error: unknown) => fail(error, attempt));
    isBeginning = false;
    const attempt: Attempt = { limit, end: Date.now() + limit, outcome };
    return attempt;
  }

  /** Logs the failure, once for all calls that wait. Throws the error for the client. */
  async function fail(error: unknown, attempt: Attempt): Promise<never> {
    if (starting === attempt) starting = undefined;
    const message = messageOf(error);
    // Each cause is reported once: a database that is down for an hour must not fill the log. And one that was given up may fail after another has succeeded.
    if (message !== reported && started === undefined) {
      reported = message;
      logger().error('The server could not start: requests are answered with status 500 until it can.', error);
      await callFailureHooks(prepared, { error: error instanceof Error ? error : new Error(String(error)), logger: logger() });
    }
    // Clients get the cause only in development and in tests.
    const nodeEnv = prepared === undefined ? (assumedNodeEnv ?? readNodeEnv()) : prepared.nodeEnv;
    const shown = nodeEnv === 'development' || nodeEnv === 'test' ? `The server could not start: ${message}` : 'Internal server error';
    throw createError('INTERNAL_SERVER_ERROR', shown, { cause: error });
  }

  /** Waits for the start, until it is given up. Each call has a timer, because on Workers the timers of a call that has ended never fire. */
  async function join(call: StartingCall | undefined): Promise<StartedServer> {
    const attempt = (starting ??= begin(Math.min(call?.deadlineLeft() ?? Infinity, longestStart)));
    if (call === undefined) return attempt.outcome;
    const outcome = await waitAtMost(attempt.end - Date.now(), attempt.outcome);
    if (started !== undefined) return started;
    if (outcome !== 'late') return outcome;
    const awaited = prepared === undefined ? 'the options' : 'serverWillStart of a plugin';
    if (attempt.limit === longestStart) {
      const seconds = longestStart / 1000;
      return fail(
        new Error(`The start was given up after ${seconds} s: ${awaited} had not finished. The next request tries again.`),
        attempt,
      );
    }
    if (starting === attempt) starting = undefined;
    // The attempt had the deadline of the call that began it. This call may have more time. Timers may be a millisecond early.
    if ((call.deadlineLeft() ?? Infinity) > 1) return join(call);
    logger().warn(`The deadline passed before the server started: ${awaited} had not finished. The next request tries again.`);
    throw deadlineExceeded();
  }

  return {
    calls,
    logger,
    prepared: () => prepared,
    server(call) {
      if (calls.isClosed) throw createError('SERVICE_UNAVAILABLE', 'The handler has been closed.');
      started ??= startedAtOnce(prepared);
      if (started !== undefined) return started;
      // The start would wait for this request, and this request for the start.
      if (isBeginning)
        throw createError(
          'INTERNAL_SERVER_ERROR',
          'A request of serverWillStart, or of the options, needs the handler that it is starting.',
        );
      return join(call);
    },
    async listeners() {
      // A plugin that is starting may have called `close`.
      await undefined;
      await starts.idle();
      return started?.listeners ?? listeners;
    },
  };
}

/** Milliseconds that the failed requests wait for `startupDidFail` of the plugins. */
const timeForHooks = 1000;

async function callFailureHooks(server: Server | undefined, failure: { readonly error: Error; readonly logger: Logger }): Promise<void> {
  const calls = (server?.plugins ?? []).map((plugin) =>
    callFailureHook(failure.logger, 'startupDidFail', () => plugin.startupDidFail?.(failure)),
  );
  if (calls.length > 0) await waitAtMost(timeForHooks, Promise.all(calls));
}

/** The calls of a handler, or its starts, that have not ended: `close` waits for them. */
export class OpenCalls {
  /** True: later calls are refused. */
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

  /** Counts work until it settles, and returns it. Promises are not kept, because on Workers those of a client that has left never settle. */
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

  /** Resolves when all work has settled, also work that was added meanwhile. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#count === 0) resolve();
      else this.#onIdle.push(resolve);
    });
  }
}
