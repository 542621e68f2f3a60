import type { GraphQLError } from 'graphql';

import { guardLogger, messageOf, waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import { OpenCalls } from './open-calls.ts';
import { defaultDeadline } from './deadline.ts';
import type { DeadlineSettings } from './deadline.ts';
import { readNodeEnv, createServer, startServer, startedAtOnce } from './server.ts';
import type { CORSOptions } from '../http/cors.ts';
import { defaultStatusProfile } from '../http/status.ts';
import type { HTTPStatusProfile } from '../http/status.ts';
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
  logger(): Logger;
  /** Undefined while the options are loading, or have failed to load. */
  isDevelopment(): boolean | undefined;
  /** Undefined if the option is unset, or while the options are loading or have failed to load. */
  cors(): CORSOptions | undefined;
  /** The default while the options are loading. */
  httpStatusProfile(): HTTPStatusProfile;
  /** The time limit of calls; undefined: none. The defaults while the options are loading. */
  deadline(): DeadlineSettings | undefined;
  readonly calls: OpenCalls;
  /** Waits until no start is in progress. Returns what the plugins of the last one returned: nothing is started for this. */
  listeners(): Promise<readonly ServerListener[]>;
}

/**
 * Prepares the start of a server. Plain options are checked at once, so that a mistake throws where it was made. Asynchronous work
 * starts with the first request, because some platforms allow no I/O before it. A start that fails, or has not ended after 10 s or at the
 * deadline of its call, is dropped, and the next request begins another. If one that was dropped still succeeds, its server is used.
 * `assumedNodeEnv`: NODE_ENV for a start that fails before the options are known. Default: that of the process.
 */
export function createStarter(options: OptionsSource<ServerOptions>, assumedNodeEnv?: string): Starter {
  let prepared: Server | undefined = isPlain(options) ? createServer(options) : undefined;
  // The first request gets the rejection. Unhandled until then, it would end the process.
  if (options instanceof Promise) options.catch(() => {});

  let started: StartedServer | undefined;
  let starting: Attempt | undefined;
  /** True while the synchronous part of a start runs. */
  const beginning = { isSet: false };
  let reported: string | undefined;
  /** Those of the last start, which may have failed. */
  let listeners: ServerListener[] = [];
  /** Also those that no call waits for any more. */
  const starts = new OpenCalls();

  async function start(): Promise<StartedServer> {
    prepared ??= createServer(await (typeof options === 'function' ? options() : options));
    const server = await startServer(prepared, (listeners = []));
    return (started ??= server);
  }

  function begin(limit: Milliseconds): Attempt {
    const attempt: Attempt = { limit, end: Date.now() + limit, outcome: starts.add(start()).catch((error) => fail(error, attempt)) };
    return attempt;
  }

  /** Logs the failure, once for all calls that wait. Throws the error for the client. */
  async function fail(error: unknown, attempt: Attempt): Promise<never> {
    if (starting === attempt) starting = undefined;
    const message = messageOf(error);
    // One that was given up may fail after another has succeeded.
    if (message !== reported && started === undefined) {
      reported = message;
      await report(prepared, error);
    }
    throw startFailure(message, error, prepared === undefined ? (assumedNodeEnv ?? readNodeEnv()) : prepared.nodeEnv);
  }

  /** Waits for the start, until it is given up. Each call has a timer, because on Workers the timers of a call that has ended never fire. */
  async function join(call: StartingCall | undefined): Promise<StartedServer> {
    const attempt = (starting ??= whileSet(beginning, () => begin(Math.min(call?.deadlineLeft() ?? Infinity, longestStart))));
    if (call === undefined) return attempt.outcome;
    const outcome = await waitAtMost(attempt.end - Date.now(), attempt.outcome);
    if (started !== undefined) return started;
    if (outcome !== 'late') return outcome;
    const awaited = prepared === undefined ? 'the options' : 'serverWillStart of a plugin';
    if (attempt.limit === longestStart)
      return fail(
        new Error(`The start was given up after ${longestStart / 1000} s: ${awaited} had not finished. The next request tries again.`),
        attempt,
      );
    if (starting === attempt) starting = undefined;
    // The attempt had the deadline of the call that began it. This call may have more time. Timers may be a millisecond early.
    if ((call.deadlineLeft() ?? Infinity) > 1) return join(call);
    starter.logger().warn(`The deadline passed before the server started: ${awaited} had not finished. The next request tries again.`);
    throw deadlineExceeded();
  }

  const calls = new OpenCalls();
  const starter: Starter = {
    calls,
    server(call) {
      if (calls.isClosed) throw createError('SERVICE_UNAVAILABLE', 'The handler has been closed.');
      // The start would wait for this request, and this request for the start.
      return (started ??= startedAtOnce(prepared)) ?? (beginning.isSet ? refuseItself() : join(call));
    },
    async listeners() {
      // A plugin that is starting may have called `close`.
      await undefined;
      await starts.idle();
      return started?.listeners ?? listeners;
    },
    ...settingsOf(() => prepared),
  };
  return starter;
}

function refuseItself(): never {
  throw createError('INTERNAL_SERVER_ERROR', 'A request of serverWillStart, or of the options, needs the handler that it is starting.');
}

function whileSet<T>(flag: { isSet: boolean }, work: () => T): T {
  flag.isSet = true;
  try {
    return work();
  } finally {
    flag.isSet = false;
  }
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

function settingsOf(
  prepared: () => Server | undefined,
): Pick<Starter, 'logger' | 'isDevelopment' | 'cors' | 'httpStatusProfile' | 'deadline'> {
  return {
    logger: () => prepared()?.http.operation.logger ?? guardLogger(console),
    isDevelopment: () => prepared()?.development,
    cors: () => prepared()?.http.cors,
    httpStatusProfile: () => prepared()?.http.httpStatusProfile ?? defaultStatusProfile,
    deadline: () => {
      const server = prepared();
      return server === undefined ? defaultDeadline : server.deadline;
    },
  };
}

function isPlain(options: OptionsSource<ServerOptions>): options is ServerOptions {
  return typeof options !== 'function' && !(options instanceof Promise);
}

/** Each cause is reported once: a database that is down for an hour must not fill the log. */
async function report(server: Server | undefined, error: unknown): Promise<void> {
  const logger = server?.http.operation.logger ?? guardLogger(console);
  logger.error('The server could not start: requests are answered with status 500 until it can.', error);
  const failure = { error: error instanceof Error ? error : new Error(String(error)), logger };
  const calls = (server?.plugins ?? []).map((plugin) => callFailureHook(logger, 'startupDidFail', () => plugin.startupDidFail?.(failure)));
  if (calls.length > 0) await waitAtMost(timeForHooks, Promise.all(calls));
}

/** Milliseconds that the failed requests wait for `startupDidFail` of the plugins. */
const timeForHooks = 1000;

/** The error for the client, which has the cause only in development and in tests. */
function startFailure(message: string, cause: unknown, nodeEnv: string | undefined): GraphQLError {
  const shown = nodeEnv === 'development' || nodeEnv === 'test' ? `The server could not start: ${message}` : 'Internal server error';
  return createError('INTERNAL_SERVER_ERROR', shown, { cause });
}
