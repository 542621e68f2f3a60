/** True when graphql-js would wait for this value: anything with a `then` method. */
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

/**
 * Takes note of a value that will not be completed, or not now: every promise in it gets a handler, so that none is an unhandled
 * rejection, which would end the process and every other operation in it.
 *
 * It looks where a selection could have: into lists, whatever can be iterated, and the properties of objects. Getters are not called.
 */
export function abandon(value: unknown): void {
  new Abandonment(true).take(value);
}

/** The same for a value that may still be completed: what can be read only once, or begins when it is asked, is left as it is. */
export function handleRejections(value: unknown): void {
  new Abandonment(false).take(value);
}

/** True for an iterator of an array, a Map or a Set: it has an end, and reading it begins nothing. */
export function isOfCollection(iterator: object): boolean {
  return /^\[object (?:Array|Map|Set) Iterator\]$/.test(Object.prototype.toString.call(iterator));
}

/**
 * The same items, for a loop that may be left half way: what is left then is abandoned, and an iterator without an end closed.
 * graphql 17 reads on, too; 16 only closes, and lets go of promises that a generator holds already.
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
      if (!isThenable(value)) this.#look(value);
      else if (this.#mayDrain) void toPromise(value).then(abandon, ignore);
      else if (value instanceof Promise) void value.then(handleRejections, ignore);
    } catch {
      // A proxy, or an iterator of the user's, that throws. Its error concerns nobody.
    }
  }

  drain(iterator: Iterator<unknown>): void {
    try {
      const most = isOfCollection(iterator) ? Infinity : maxDrained;
      for (let count = 0; count < most; count++) {
        const step = iterator.next();
        if (step.done === true) return;
        this.take(step.value);
      }
      iterator.return?.();
    } catch {
      // It has ended, too.
    }
  }

  #look(value: object): void {
    if (this.#seen.size >= maxObjects || this.#seen.has(value) || ArrayBuffer.isView(value)) return;
    this.#seen.add(value);
    if (Array.isArray(value) || value instanceof Set) for (const item of value as Iterable<unknown>) this.take(item);
    else if (typeof (value as { [Symbol.iterator]?: unknown })[Symbol.iterator] !== 'function') this.#lookAtProperties(value);
    else if (this.#mayDrain) this.drain((value as Iterable<unknown>)[Symbol.iterator]());
  }

  #lookAtProperties(value: object): void {
    for (const key of Object.keys(value)) {
      const property: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      // Other thenables are often queries that begin when their `then` is called.
      if (property instanceof Promise || !isThenable(property)) this.take(property);
    }
  }
}

/** Enough for every list that is not made to be endless, and for the objects that an answer of some megabytes holds. */
const maxDrained = 10_000;
const maxObjects = 20_000;

function ignore(): void {
  // The operation is answered without it.
}
