/**
 * Calls back when the microtasks of this turn have drained. On Node a callback of `nextTick` that a microtask has scheduled runs after
 * all other microtasks (1 us). Where a platform has neither of the first two functions, as Workers without Node's compatibility,
 * it is the next timer.
 */
export async function afterMicrotasks(callback: () => void): Promise<void> {
  await undefined;
  nextTurn(callback);
}

const nextTurn: (callback: () => void) => void =
  typeof process === 'object' && typeof process.nextTick === 'function'
    ? (callback) => process.nextTick(callback)
    : typeof setImmediate === 'function'
      ? (callback) => setImmediate(callback)
      : (callback) => setTimeout(callback, 0);
