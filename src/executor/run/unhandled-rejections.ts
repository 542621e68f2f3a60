import { isPromiseLike } from '../../shared/index.ts';

/**
 * Handles the rejections of every promise in a value that will not be completed: an unhandled rejection would end the process.
 * Searches lists, iterables and properties, as a selection could. Getters are not called.
 */
export function abandon(value: unknown): void {
  new Abandonment(true).take(value);
}

/** Does the same for several values. Values that refer to each other are searched once. */
export function abandoner(): (value: unknown) => void {
  const abandonment = new Abandonment(true);
  return (value) => abandonment.take(value);
}

/** Does the same for a value that may still be completed: iterators and lazy thenables are not read. */
export function handleRejections(value: unknown): void {
  new Abandonment(false).take(value);
}

/** Does the same for several values. Values that refer to each other are searched once. */
export function rejectionHandler(): (value: unknown) => void {
  const abandonment = new Abandonment(false);
  return (value) => abandonment.take(value);
}

/** Handles rejections of a value that is completed later, without a search: only of a promise, and of the promises in a list. */
export function handleOwnRejections(value: unknown): void {
  if (value instanceof Promise) void value.then(ignore, ignore);
  else if (Array.isArray(value)) for (const item of value) if (item instanceof Promise) void item.then(ignore, ignore);
}

/** Abandons the items that an iterator has left, and closes it. */
export function abandonItems(iterator: Iterator<unknown>): void {
  new Abandonment(true).drain(iterator);
}

/** True for an iterator of an array, a Map or a Set: it is finite, and reading it has no side effects. */
export function isOfCollection(iterator: object): boolean {
  return /^\[object (?:Array|Map|Set) Iterator\]$/.test(Object.prototype.toString.call(iterator));
}

/**
 * The same items, for a loop that may stop early: the remaining items are abandoned, and the iterator is closed. graphql 17 does
 * the same; 16 only closes the iterator, so that promises in it can reject unhandled.
 */
export function drainedWhenLeft(items: Iterable<unknown>): Iterable<unknown> {
  return {
    [Symbol.iterator]: () => {
      const iterator = items[Symbol.iterator]();
      return {
        next: () => iterator.next(),
        return: () => {
          new Abandonment(true).drain(iterator);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

class Abandonment {
  readonly #mayDrain: boolean;
  readonly #seen = new Set<object>();

  constructor(mayDrain: boolean) {
    this.#mayDrain = mayDrain;
  }

  take(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    try {
      if (!isPromiseLike(value)) this.#look(value);
      else if (this.#mayDrain) void Promise.resolve(value).then(abandon, ignore);
      else if (value instanceof Promise) void value.then(handleRejections, ignore);
    } catch {
      // Errors of a proxy or of a custom iterator are ignored.
    }
  }

  drain(iterator: Iterator<unknown>): void {
    try {
      const most = isOfCollection(iterator) ? Infinity : maxDrained;
      for (let count = 0; count < most; count++) {
        const step = iterator.next();
        if (step.done) return;
        this.take(step.value);
      }
      iterator.return?.();
    } catch {
      // Ignored, as in `take`.
    }
  }

  #look(value: object): void {
    if (this.#seen.size >= maxObjects || this.#seen.has(value) || ArrayBuffer.isView(value)) return;
    this.#seen.add(value);
    if (Array.isArray(value)) this.#lookAtItems(value);
    else if (value instanceof Set) for (const item of value as Iterable<unknown>) this.take(item);
    else if (typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] !== 'function') this.#lookAtProperties(value);
    else if (this.#mayDrain) this.drain((value as Iterable<unknown>)[Symbol.iterator]());
  }

  /** Searches the items, some of which may be getters that throw. */
  #lookAtItems(items: readonly unknown[]): void {
    for (let at = 0; at < items.length; at++) {
      try {
        this.take(items[at]);
      } catch {
        // Ignored, as in `take`.
      }
    }
  }

  #lookAtProperties(value: object): void {
    for (const key of Object.keys(value)) {
      const property: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      // Other thenables are often queries that start when `then` is called.
      if (property instanceof Promise || !isPromiseLike(property)) this.take(property);
    }
  }
}

/** Limits that exceed the number of values in a response of several megabytes. */
const maxDrained = 10_000;
const maxObjects = 20_000;

function ignore(): void {
  // The result does not depend on this promise.
}
