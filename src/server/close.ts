import { waitAtMost } from '../shared/index.ts';
import type { ServerListener } from './operation/plugin.ts';
import type { Starter } from './startup/start.ts';
import { stopListeners } from './startup/stop-listeners.ts';

/** What all handlers have in common. */
export interface Closable {
  /**
   * Ends the handler, for tests and long-lived processes: ends its streams, calls `drainServer` of the plugins, waits up to 10 s for its
   * calls, their sources and their work, and then calls `serverWillStop`. Later calls are answered with status 503. Never starts the
   * server. A second call waits for the same end.
   */
  close(): Promise<void>;
}

/** Milliseconds that `close` waits for calls, and for the hooks of plugins. */
const closeTimeout = 10_000;

/** Creates the `close` of a handler. All its calls return the same promise. */
export function createClose(starter: Starter): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close(starter));
}

async function close(starter: Starter): Promise<void> {
  starter.calls.close();
  const starting = starter.listeners();
  const stop = (listeners: readonly ServerListener[]): Promise<void> =>
    stopListeners({ listeners, finished: finished(starter), timeout: closeTimeout, logger: starter.logger() });
  const listeners = await waitAtMost(closeTimeout, starting);
  if (listeners !== 'late') return stop(listeners);
  starting.then(stop).catch((error: unknown) => starter.logger().error('A server that started after it was closed could not stop.', error));
  return stop([]);
}

async function finished(starter: Starter): Promise<void> {
  if ((await waitAtMost(closeTimeout, starter.calls.idle())) === 'late')
    starter
      .logger()
      .warn(
        `The handler was closed although calls, sources of streams, or work passed to waitUntil, did not end within ${closeTimeout} ms.`,
      );
}
