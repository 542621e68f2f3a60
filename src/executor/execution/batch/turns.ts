/**
 * Calls back when the microtasks of this turn have drained. On Node a callback of `nextTick` that a microtask has scheduled runs after
 * all other microtasks (1 us). Where a platform has neither of the first two functions, as Workers without Node's compatibility,
 * it is the next timer.
 */
export async function afterMicrotasks(callback: () => void): Promise<void> {
  await undefined;
  const { process, setImmediate } = globalThis as Partial<Pick<typeof globalThis, 'process' | 'setImmediate'>>;
  if (process?.nextTick !== undefined) process.nextTick(callback);
  else if (setImmediate === undefined) setTimeout(callback, 0);
  else setImmediate(callback);
}
