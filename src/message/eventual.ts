/**
 * A value that is there already, or a promise of it. Every stage of the line returns one, so that an operation in which
 * nothing is asynchronous runs from event to result in one go: five `async` functions around each other took 0.5 of
 * the 2.5 µs of the smallest one.
 */
export type Eventual<T> = T | Promise<T>;

/** Goes on with the value: at once when it is there. */
export function whenReady<T, TResult>(value: Eventual<T>, next: (value: T) => Eventual<TResult>): Eventual<TResult> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What `run` gives; what it throws or rejects with is handed to `rescue`. */
export function rescued<T>(run: () => Eventual<T>, rescue: (thrown: unknown) => Eventual<T>): Eventual<T> {
  let value: Eventual<T>;
  try {
    value = run();
  } catch (thrown) {
    return rescue(thrown);
  }
  return value instanceof Promise ? value.catch(rescue) : value;
}
