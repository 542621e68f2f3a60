import type { Milliseconds } from './invocation.ts';

/** A value, or a promise of it. If nothing is asynchronous, the pipeline uses no promises, which would take a tenth of a small operation. */
export type PromiseOrValue<T> = T | Promise<T>;

/** Continues with the value, at once or when it has resolved. Passes a state, because closures would allocate half as much again. */
export function whenReady<T, TState, TResult>(
  value: PromiseOrValue<T>,
  proceed: (value: T, state: TState) => PromiseOrValue<TResult>,
  state: TState,
): PromiseOrValue<TResult> {
  return value instanceof Promise ? whenArrived(value, proceed, state) : proceed(value, state);
}

/** The result of `run`, or of `rescue` if `run` throws or rejects. */
export function rescued<T, TState>(
  run: (state: TState) => PromiseOrValue<T>,
  rescue: (thrown: unknown, state: TState) => PromiseOrValue<T>,
  state: TState,
): PromiseOrValue<T> {
  let value: PromiseOrValue<T>;
  try {
    value = run(state);
  } catch (thrown) {
    return rescue(thrown, state);
  }
  return value instanceof Promise ? rescuedLater(value, rescue, state) : value;
}

// These functions are separate, because a function that contains a closure allocates a context even on the path that does not create it.

/** Continues with the value of a promise. */
function whenArrived<T, TState, TResult>(
  value: Promise<T>,
  proceed: (value: T, state: TState) => PromiseOrValue<TResult>,
  state: TState,
): Promise<TResult> {
  return value.then((arrived) => proceed(arrived, state));
}

function rescuedLater<T, TState>(
  value: Promise<T>,
  rescue: (thrown: unknown, state: TState) => PromiseOrValue<T>,
  state: TState,
): Promise<T> {
  return value.catch((thrown: unknown) => rescue(thrown, state));
}

/** All values, as a promise only if one of them is a promise. `Promise.all` of ten plain values would take a quarter of ten small operations. */
export function allReady<T>(values: readonly PromiseOrValue<T>[]): PromiseOrValue<readonly T[]> {
  for (const value of values) if (value instanceof Promise) return Promise.all(values);
  return values as readonly T[];
}

/** Waits for work, but at most `limit` milliseconds: then it resolves to 'late'. */
export async function waitAtMost<T>(limit: Milliseconds, work: Promise<T>): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise in place of anything else with a `then` method, which users may return. Calls `then` once: queries of some libraries run each time. */
export function toPromise<T>(value: T | PromiseLike<T>): PromiseOrValue<T> {
  return isPromiseLike(value) ? Promise.resolve(value) : value;
}

/** True for anything with a `then` method. graphql-js waits for such values. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
