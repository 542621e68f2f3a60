import { maxWork, workOf } from '../costs.ts';

/**
 * Handles rejections of promises that are read later or never, because an unhandled rejection would end the process: of the value
 * itself, or of its items or own properties. Nothing else is read. A search could take longer than the execution, iterators would be
 * used up, and other thenables are often queries that start when `then` is called.
 */
export function handleRejections(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  try {
    if (value instanceof Promise) void value.then(ignore, ignore);
    else if (Array.isArray(value)) handleItems(value);
    else if (value instanceof Set) handleItems([...(value as Iterable<unknown>)]);
    else if (!ArrayBuffer.isView(value)) handleProperties(value);
  } catch {
    // The value is a proxy that throws.
  }
}

/**
 * The items of an iterable that is no array, for a loop that may stop early: it reads the items that are left, to handle their rejections,
 * and closes the source. graphql 17 does the same without a limit; graphql 16 only closes the source.
 */
export function* drainedWhenLeft(items: Iterable<unknown>): Generator<unknown, void> {
  const iterator = items[Symbol.iterator]();
  let isLeft = true;
  try {
    for (let step = iterator.next(); !step.done; step = iterator.next()) yield step.value;
    isLeft = false;
  } finally {
    if (isLeft) drain(iterator);
  }
}

/** The promises that one answer may have. */
const maxDrained = maxWork / workOf.promise;

function drain(iterator: Iterator<unknown>): void {
  try {
    for (let left = maxDrained; left > 0; left--) {
      const { done, value } = iterator.next() as IteratorResult<unknown>;
      if (done) return;
      handleRejections(value);
    }
    iterator.return?.();
  } catch {
    // The source fails, too.
  }
}

function handleItems(items: readonly unknown[]): void {
  for (let at = 0; at < items.length; at++) {
    try {
      const item = items[at];
      if (item instanceof Promise) void item.then(ignore, ignore);
    } catch {
      // The item is a getter that throws.
    }
  }
}

/** Getters are not called. */
function handleProperties(object: object): void {
  for (const key of Object.keys(object)) {
    const value: unknown = Object.getOwnPropertyDescriptor(object, key)?.value;
    if (value instanceof Promise) void value.then(ignore, ignore);
  }
}

function ignore(): void {
  // The result does not depend on this promise.
}
