/** Runs something, lets everything that follows from it happen, and counts the rejections that nobody handled. */
export async function unhandledRejections(run: () => Promise<void>): Promise<number> {
  const others = process.listeners('unhandledRejection');
  let count = 0;
  const listener = (): void => void count++;
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener);
  try {
    await run();
    // Node tells of them when the microtasks are done, before the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return count;
  } finally {
    process.off('unhandledRejection', listener);
    for (const other of others) process.on('unhandledRejection', other);
  }
}
