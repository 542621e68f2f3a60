import type { Milliseconds } from './invocation.ts';

/** A value, or a promise of it. */
export type PromiseOrValue<T> = T | Promise<T>;

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

/**
 * Returns a promise for any other object with a `then` method, which users may return. Calls `then` once, because queries of some libraries
 * run at each call.
 */
export function toPromise<T>(value: T | PromiseLike<T>): PromiseOrValue<T> {
  return isPromiseLike(value) ? Promise.resolve(value) : value;
}

/** True for anything with a `then` method. graphql-js waits for such values. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** Throws for the promise of a hook that was written as asynchronous, because the server would not wait for it, nor for its refusal. */
export function assertSynchronous<T>(value: T, place: string): T {
  if (!isPromiseLike(value)) return value;
  Promise.resolve(value).catch(() => {});
  throw new TypeError(`Expected ${place} to be synchronous, but it returned a promise.`);
}
