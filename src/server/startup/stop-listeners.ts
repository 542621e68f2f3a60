import { waitAtMost } from '../../shared/index.ts';
import type { Logger } from '../operation/types.ts';
import type { ServerListener } from '../operation/plugin.ts';

/** A server that is about to stop. */
export interface Stopping {
  readonly listeners: readonly ServerListener[];
  /** Resolves after the last answer. */
  readonly finished: Promise<void>;
  /** Milliseconds for the whole stop. */
  readonly timeout: number;
  readonly logger: Logger;
}

/**
 * Calls `drainServer` of the plugins, and after the last request `serverWillStop`. Hooks that hang are not awaited: the platform would
 * kill the process, with all requests in flight.
 */
export async function stopListeners({ listeners, finished, timeout, logger }: Stopping): Promise<void> {
  const end = Date.now() + timeout;
  const drained = Promise.all(listeners.map(async (listener) => listener.drainServer?.()));
  if ((await waitAtMost(timeout, drained)) === 'late') logger.warn(`drainServer of a plugin did not finish within ${timeout} ms.`);
  await finished;
  const left = Math.max(minStopTime, end - Date.now());
  const stopped = Promise.all(listeners.map(async (listener) => listener.serverWillStop?.()));
  if ((await waitAtMost(left, stopped)) === 'late') logger.warn(`serverWillStop of a plugin did not finish within ${left} ms.`);
}

/** Milliseconds that `serverWillStop` always has, even after the timeout. */
const minStopTime = 1000;
