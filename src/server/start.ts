import type { GraphQLError } from 'graphql';

import { defaultDeadline } from './deadline.ts';
import type { DeadlineSettings } from './deadline.ts';
import { readNodeEnv } from './environment.ts';
import type { CORSOptions } from '../http/cors.ts';
import { createError } from '../operation/errors.ts';
import { tellOfFailure } from '../operation/hooks.ts';
import type { Logger } from '../operation/logger.ts';
import type { ServerOptions } from './options.ts';
import { createServer, startServer } from './server.ts';
import type { Server, StartedServer } from './server.ts';

/** Options, or what will give them: a promise, or a function that may be asynchronous. */
export type OptionsSource<TOptions> = TOptions | Promise<TOptions> | (() => TOptions | Promise<TOptions>);

/** A server that starts when it is first needed. */
export interface Starter {
  /** The server, started. A promise only while it starts; rejects with an error that is fit for the client. */
  server(): StartedServer | Promise<StartedServer>;
  logger(): Logger;
  /** Undefined also while there are no options, because they come late or could not be had. */
  cors(): CORSOptions | undefined;
  /** How long calls may take; undefined: as long as they like. The defaults, until there are options. */
  deadline(): DeadlineSettings | undefined;
}

/**
 * Prepares the start of a server. Plain options are checked at once, so that a mistake in them throws where it was
 * made; what is asynchronous starts with the first request, because some platforms allow no I/O before it.
 * A start that fails is logged, fails that request, and is tried again with the next one.
 */
export function createStarter(options: OptionsSource<ServerOptions>): Starter {
  let prepared: Server | undefined = isPlain(options) ? createServer(options) : undefined;
  // A promise rejects where it is awaited, in the first request; left alone until then it would end the process.
  if (options instanceof Promise) options.catch(() => {});

  let started: StartedServer | undefined;
  let starting: Promise<StartedServer> | undefined;
  let reported: string | undefined;

  async function start(): Promise<StartedServer> {
    prepared ??= createServer(await (typeof options === 'function' ? options() : options));
    started = await startServer(prepared);
    return started;
  }

  async function fail(error: unknown): Promise<never> {
    starting = undefined;
    const message = error instanceof Error ? error.message : String(error);
    if (message !== reported) await report(prepared, error);
    reported = message;
    throw startFailure(message, error, prepared?.development ?? readNodeEnv() === 'development');
  }

  return {
    server: () => started ?? (starting ??= start().catch(fail)),
    logger: () => prepared?.http.operation.logger ?? console,
    cors: () => prepared?.http.cors,
    deadline: () => (prepared === undefined ? defaultDeadline : prepared.deadline),
  };
}

function isPlain(options: OptionsSource<ServerOptions>): options is ServerOptions {
  return typeof options !== 'function' && !(options instanceof Promise);
}

/** Once for each cause: a database that stays away for an hour must not fill the log. */
async function report(server: Server | undefined, error: unknown): Promise<void> {
  const logger = server?.http.operation.logger ?? console;
  logger.error('The server could not start: requests are answered with status 500 until it can.', error);
  const failure = { error: error instanceof Error ? error : new Error(String(error)), logger };
  await Promise.all(
    (server?.plugins ?? []).map((plugin) => tellOfFailure(logger, 'startupDidFail', () => plugin.startupDidFail?.(failure))),
  );
}

/** What the client is told. The cause is in the log; only a developer's own machine shows it in the answer too. */
function startFailure(message: string, cause: unknown, development: boolean): GraphQLError {
  const shown = development ? `The server could not start: ${message}` : 'Internal server error';
  return createError('INTERNAL_SERVER_ERROR', shown, { cause });
}
