import { waitAtMost } from '../message/eventual.ts';
import type { Logger } from '../operation/types.ts';
import type { ServerListener } from '../operation/plugin.ts';

/** A server that is about to stop. */
export interface Stopping {
  readonly listeners: readonly ServerListener[];
  /** Resolves when the last request has its answer. */
  readonly finished: Promise<void>;
  /** Milliseconds for the whole stop. */
  readonly timeout: number;
  readonly logger: Logger;
}

/**
 * Tells the plugins that the process is about to end, then that it has answered its last request.
 *
 * A hook that hangs must not keep the process from ending: the platform would kill it, together with all requests in flight.
 */
export async function stopListeners({ listeners, finished, timeout, logger }: Stopping): Promise<void> {
  const end = Date.now() + timeout;
  const drained = Promise.all(listeners.map(async (listener) => listener.drainServer?.()));
  if ((await waitAtMost(timeout, drained)) === 'late') logger.warn(`drainServer of a plugin was not done within ${timeout} ms.`);
  await finished;
  const left = Math.max(lastWords, end - Date.now());
  const stopped = Promise.all(listeners.map(async (listener) => listener.serverWillStop?.()));
  if ((await waitAtMost(left, stopped)) === 'late') logger.warn(`serverWillStop of a plugin was not done within ${left} ms.`);
}

/** Milliseconds that `serverWillStop` always has, even if requests have used up the timeout. */
const lastWords = 1000;
