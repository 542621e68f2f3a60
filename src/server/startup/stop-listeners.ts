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
 * kill the process, with all requests in flight. Throws the first error of a hook when all of them have been called.
 */
export async function stopListeners({ listeners, finished, timeout, logger }: Stopping): Promise<void> {
  const end = Date.now() + timeout;
  const errors: unknown[] = [];
  const callAll = async (name: 'drainServer' | 'serverWillStop', limit: number): Promise<void> => {
    const call = async (listener: ServerListener): Promise<void> => listener[name]?.();
    const all = Promise.all(listeners.map((listener) => call(listener).catch((error: unknown) => void errors.push(error))));
    if ((await waitAtMost(limit, all)) === 'late') logger.warn(`${name} of a plugin did not finish within ${limit} ms.`);
  };
  await callAll('drainServer', timeout);
  await finished;
  await callAll('serverWillStop', Math.max(minStopTime, end - Date.now()));
  for (const error of errors.slice(1)) logger.error('A plugin could not stop.', error);
  if (errors.length > 0) throw errors[0];
}

/** Milliseconds that `serverWillStop` always has, even after the timeout. */
const minStopTime = 1000;
