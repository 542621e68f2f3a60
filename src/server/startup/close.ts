import { waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import type { ServerListener } from '../operation/apollo-hooks.ts';
import type { Starter } from './start.ts';

/** What all handlers have in common. */
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
