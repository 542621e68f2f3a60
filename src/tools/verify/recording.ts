import { getNamedType, getNullableType, isLeafType, isListType, responsePathAsArray } from 'graphql';
import type { GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import type { ExecutionObserver, ObservedCall } from '../../executor/index.ts';
import { isPromiseLike } from '../../shared/index.ts';

type Path = ObservedCall['path'];

/**
 * How graphql-js gets asynchronous iterables: as they are (graphql 17), as the list of their items (graphql 16, in a server that takes
 * them), or as they are because it refuses them.
 */
export type AsyncLists = 'asynchronous' | 'as lists' | 'refused';

/** What a resolver did: gives its value again, or throws its error. */
type Outcome = () => unknown;

/** Records what the resolvers of one execution return, by the path of their field, to give it again to another execution. */
export class Recording implements ExecutionObserver {
  readonly #outcomes = new Map<string, Outcome>();
  /** The values of batched resolvers: by the path without indexes, then by parent, in the order of the calls. */
  readonly #batched = new Map<string, Map<unknown, Outcome[]>>();
  readonly #replayed = new Set<string>();
  /** The paths of fields that were executed again, and for which nothing is recorded. */
  readonly missing: (readonly (string | number)[])[] = [];
  readonly #asyncLists: AsyncLists;

  constructor(asyncLists: AsyncLists) {
    this.#asyncLists = asyncLists;
  }

  field(call: ObservedCall, resolve: () => unknown): unknown {
    // Introspection has its own resolvers in every schema.
    if (call.parentType.name.startsWith('__') || call.definition.name.startsWith('__')) return resolve();
    if (call.parents !== undefined) return this.#recordBatch(call, resolve);
    const key = keyOf(call.path);
    try {
      const { shown, recorded } = this.#record(resolve(), call.definition.type);
      this.#outcomes.set(key, recorded);
      return shown;
    } catch (error) {
      this.#outcomes.set(key, throws(error));
      throw error;
    }
  }

  /** The outcome of a field in the other execution. */
  replay({ path }: GraphQLResolveInfo, source: unknown): unknown {
    const key = keyOf(path);
    const outcome = this.#outcomes.get(key) ?? this.#nextOfBatch(path, source);
    if (outcome === undefined) {
      this.missing.push(responsePathAsArray(path));
      return null;
    }
    this.#replayed.add(key);
    return outcome();
  }

  /** The paths of fields that were recorded, and not executed again. */
  unused(): (readonly (string | number)[])[] {
    const keys = [...this.#outcomes.keys()].filter((key) => !this.#replayed.has(key));
    return keys.map((key) => JSON.parse(key) as (string | number)[]);
  }

  #recordBatch({ path, source, definition }: ObservedCall, resolve: () => unknown): unknown {
    const parents = [...(source as readonly unknown[])];
    const key = keyOf(path);
    const add = (outcomeAt: (at: number) => Outcome): void => {
      let byParent = this.#batched.get(key);
      if (byParent === undefined) this.#batched.set(key, (byParent = new Map<unknown, Outcome[]>()));
      for (const [at, parent] of parents.entries()) byParent.set(parent, [...(byParent.get(parent) ?? []), outcomeAt(at)]);
    };
    try {
      const values = resolve();
      if (isPromiseLike(values)) {
        const list = Promise.resolve(values).then((settled) => this.#recordList(settled, definition.type));
        list.catch(() => {});
        add((at) => () => list.then(({ recorded }) => recorded[at]!()));
        return list.then(({ shown }) => shown);
      }
      const { shown, recorded } = this.#recordList(values, definition.type);
      add((at) => recorded[at]!);
      return shown;
    } catch (error) {
      add(() => throws(error));
      throw error;
    }
  }

  #recordList(values: unknown, type: GraphQLOutputType): { readonly shown: unknown; readonly recorded: readonly Outcome[] } {
    // Not a list, or one of a wrong length: the error is the server's own.
    if (!Array.isArray(values)) return { shown: values, recorded: [] };
    const items = values.map((value) => this.#record(value, type));
    return { shown: items.map(({ shown }) => shown), recorded: items.map(({ recorded }) => recorded) };
  }

  /** Takes the value for the next object with the same parent, because one object may occur twice in a list. */
  #nextOfBatch(path: Path, source: unknown): Outcome | undefined {
    const outcomes = this.#batched.get(keyOf(withoutIndexes(path)))?.get(source);
    return outcomes === undefined || outcomes.length < 2 ? outcomes?.[0] : outcomes.shift();
  }

  /** A value as the server gets it, and as the other execution gets it. */
  #record(value: unknown, type: GraphQLOutputType): Recorded {
    if (isPromiseLike(value)) {
      // A thenable may start its work each time `then` is called, as those of query builders do.
      const settled = Promise.resolve(value).then((one) => this.#record(one, type));
      settled.catch(() => {});
      return { shown: settled.then(({ shown }) => shown), recorded: () => settled.then(({ recorded }) => recorded()) };
    }
    const nullable = getNullableType(type);
    if (isListType(nullable)) return this.#recordItems(value, nullable.ofType as GraphQLOutputType);
    const copy = isLeafType(getNamedType(type)) ? copyOfData(value) : value;
    return { shown: value, recorded: () => copy };
  }

  #recordItems(value: unknown, type: GraphQLOutputType): Recorded {
    if (Array.isArray(value)) {
      // The list may be changed later, and inner lists may be iterators.
      const items = value.map((item: unknown) => (isListType(getNullableType(type)) ? this.#record(item, type) : shownAsIs(item)));
      return { shown: items.map(({ shown }) => shown), recorded: () => items.map(({ recorded }) => recorded()) };
    }
    if (typeof value !== 'object' || value === null) return shownAsIs(value);
    if (this.#asyncLists !== 'refused' && Symbol.asyncIterator in value) return this.#recordAsyncItems(value as AsyncIterable<unknown>);
    if (Symbol.iterator in value) return recordSyncItems(value as Iterable<unknown>);
    return shownAsIs(value);
  }

  #recordAsyncItems(iterable: AsyncIterable<unknown>): Recorded {
    const { items, shown, whenEnded } = teeAsync(iterable);
    if (this.#asyncLists === 'asynchronous')
      return {
        shown,
        recorded: async function* () {
          await whenEnded.catch(() => {});
          yield* items;
          await whenEnded;
        },
      };
    return { shown, recorded: () => whenEnded.then(() => items) };
  }
}

interface Recorded {
  readonly shown: unknown;
  readonly recorded: Outcome;
}

function shownAsIs(value: unknown): Recorded {
  return { shown: value, recorded: () => value };
}

function throws(error: unknown): Outcome {
  return () => {
    throw error;
  };
}

/** Plain data is copied, because it may be changed after the answer is written. */
function copyOfData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value;
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

/** The items that were read of an iterable, and the error that ended it. */
function recordSyncItems(iterable: Iterable<unknown>): Recorded {
  const items: unknown[] = [];
  let failure: Outcome | undefined;
  const shown = {
    *[Symbol.iterator](): Generator {
      try {
        for (const item of iterable) {
          items.push(item);
          yield item;
        }
      } catch (error) {
        failure = throws(error);
        throw error;
      }
    },
  };
  const replay = function* (): Generator {
    yield* items;
    failure?.();
  };
  return { shown, recorded: () => ({ [Symbol.iterator]: replay }) };
}

interface AsyncTee {
  readonly items: unknown[];
  readonly shown: AsyncIterable<unknown>;
  /** Rejects with the error that ended the iterable. */
  readonly whenEnded: Promise<void>;
}

function teeAsync(iterable: AsyncIterable<unknown>): AsyncTee {
  const items: unknown[] = [];
  const { promise: whenEnded, resolve, reject } = Promise.withResolvers<void>();
  whenEnded.catch(() => {});
  const shown = {
    async *[Symbol.asyncIterator](): AsyncGenerator {
      try {
        for await (const item of iterable) {
          items.push(item);
          yield item;
        }
      } catch (error) {
        reject(error);
        throw error;
      } finally {
        resolve();
      }
    },
  };
  return { items, shown, whenEnded };
}

function keyOf(path: Path): string {
  return JSON.stringify(responsePathAsArray(path));
}

function withoutIndexes({ prev, key, typename }: Path): Path {
  let above = prev;
  while (typeof above?.key === 'number') above = above.prev;
  return { prev: above && withoutIndexes(above), key, typename };
}
