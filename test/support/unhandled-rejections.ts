/** Runs something, lets everything that follows from it happen, and counts the rejections that stay unhandled. */
export async function unhandledRejections(run: () => Promise<void>): Promise<number> {
  const rejections = watchRejections();
  try {
    await run();
    // Node reports them after the microtasks, before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return rejections.count();
  } finally {
    rejections.stop();
  }
}

/** Counts unhandled rejections, in place of the listeners that would fail the tests for one. */
export function watchRejections(): { count(): number; stop(): void } {
  const others = process.listeners('unhandledRejection');
  let unhandled = 0;
  const count = (): void => void unhandled++;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', count);
  // Without a listener Node prints a warning of each rejection that is handled later.
  const ignore = (): void => {};
  process.on('rejectionHandled', ignore);
  const stop = (): void => {
    process.off('unhandledRejection', count).off('rejectionHandled', ignore);
    for (const other of others) process.on('unhandledRejection', other);
  };
  return { count: () => unhandled, stop };
}
