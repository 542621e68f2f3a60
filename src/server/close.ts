import { waitAtMost } from '../shared/index.ts';
import type { Starter } from './startup/start.ts';
import { stopListeners } from './startup/stop-listeners.ts';

/** Milliseconds that `close` waits for calls, and for the hooks of plugins. */
const closeTimeout = 10_000;

/** Creates the `close` of a handler. All its calls return the same promise. */
export function createClose(starter: Starter): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= close(starter));
}

async function close(starter: Starter): Promise<void> {
  starter.calls.close();
  const server = await waitAtMost(closeTimeout, starter.running());
  const listeners = typeof server === 'object' ? server.listeners : [];
  const logger = starter.logger();
  await stopListeners({ listeners, finished: finished(starter), timeout: closeTimeout, logger });
}

async function finished(starter: Starter): Promise<void> {
  if ((await waitAtMost(closeTimeout, starter.calls.idle())) === 'late')
    starter.logger().warn(`The handler was closed although calls, or work passed to waitUntil, did not end within ${closeTimeout} ms.`);
}
