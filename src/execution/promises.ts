/** Whether graphql-js would wait for this value: anything with a `then` method. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** A promise made by this JavaScript engine: calls back once, and never at once. Other thenables promise neither. */
export function toPromise(value: PromiseLike<unknown>): Promise<unknown> {
  return value instanceof Promise ? value : Promise.resolve(value);
}

/**
 * Calls `action` after so many turns of the microtask queue.
 *
 * Why: graphql-js hands an error upwards through a chain of promises, a turn per link, and meanwhile takes note
 * of errors beside it. Two resolvers that reject in the same turn are the rule rather than the exception, and
 * which of their errors are reported, in which order, hangs on those turns.
 */
export function afterTurns(turns: number, action: () => void): void {
  if (turns === 0) action();
  else queueMicrotask(() => afterTurns(turns - 1, action));
}
