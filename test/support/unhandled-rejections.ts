import { equal } from 'node:assert/strict';

/** Fails with the seeds of runs that leave a rejection unhandled, which would end a Node process and all of its requests. */
export async function assertAllHandled(rounds: number, runOnce: (seed: number) => Promise<void>): Promise<void> {
  const firstSeed = Number(process.env['REJECTION_SEED'] ?? 1);
  const failing: number[] = [];
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++)
    if ((await unhandledRejections(() => runOnce(seed))) > 0) failing.push(seed);

  equal(failing.join(' '), '');
}

/** Runs a function, waits until all work that it started has run, and counts the rejections that stay unhandled. */
export async function unhandledRejections(run: () => Promise<void>): Promise<number> {
  const rejections = watchRejections();
  try {
    await run();
    // Node reports unhandled rejections after the microtasks, before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return rejections.count();
  } finally {
    rejections.stop();
  }
}

/** Counts unhandled rejections, and replaces the listeners that would fail the tests. */
export function watchRejections(): { count(): number; stop(): void } {
  const others = process.listeners('unhandledRejection');
  let unhandled = 0;
  const count = (): void => void unhandled++;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', count);
  // Without a listener, Node prints a warning for each rejection that is handled later.
  const ignore = (): void => {};
  process.on('rejectionHandled', ignore);
  const stop = (): void => {
    process.off('unhandledRejection', count).off('rejectionHandled', ignore);
    for (const other of others) process.on('unhandledRejection', other);
  };
  return { count: () => unhandled, stop };
}

/** Returns the value. Handles the rejections of its items, if it is a list: an executor reads none of a list inside a list that it drops. */
export function withItemsHandled(value: unknown): unknown {
  if (!Array.isArray(value) && !(value instanceof Set)) return value;
  for (const item of value as Iterable<unknown>) {
    if (item instanceof Promise) item.catch(() => {});
    else withItemsHandled(item);
  }
  return value;
}
