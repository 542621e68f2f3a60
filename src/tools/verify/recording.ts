import { getNamedType, getNullableType, GraphQLString, isLeafType, isListType, responsePathAsArray } from 'graphql';
import type { GraphQLOutputType, GraphQLResolveInfo } from 'graphql';

import type { ExecutionObserver, ObservedCall, ObservedTypeCall } from '../../executor/index.ts';
import { deepCopyOf, isPromiseLike } from '../../shared/index.ts';

type Path = ObservedCall['path'];

/**
 * How graphql-js gets asynchronous iterables: as they are (graphql 17), as the list of their items (graphql 16, in a server that takes
 * them), or as they are because it refuses them.
 */
export type AsyncLists = 'asynchronous' | 'as lists' | 'refused';

/** What a function did: gives its value again, or throws its error. */
type Outcome = () => unknown;

/** Records what the resolvers of one execution return, by the path of their field, to give it again to other executions. */
export class Recording implements ExecutionObserver {
  readonly fields: Map<string, Outcome> = new Map();
  /**
   * The outcomes of batched resolvers, by the path without indexes, and of `resolveType` and `isTypeOf`, by the name of their type and the
   * path of the field; then by object, in the order of the calls.
   */
  readonly byObject: Map<string, Map<unknown, Outcome[]>> = new Map();
  readonly #asyncLists: AsyncLists;

  constructor(asyncLists: AsyncLists) {
    this.#asyncLists = asyncLists;
  }

  field(call: ObservedCall, resolve: () => unknown): unknown {
    // Introspection has its own resolvers in every schema.
    if (call.parentType.name.startsWith('__') || call.definition.name.startsWith('__')) return resolve();
    if (call.parents !== undefined) return this.#recordBatch(call, resolve);
    const keep = (outcome: Outcome): void => void this.fields.set(keyOf(call.path), outcome);
    return recordCall(resolve, keep, (value) => this.#record(value, call.definition.type));
  }

  type({ type, value, info }: ObservedTypeCall, resolve: () => unknown): unknown {
    const keep = (outcome: Outcome): void => this.#add(keyOf(info.path, type.name), value, outcome);
    return recordCall(resolve, keep, (answer) => this.#record(answer, GraphQLString));
  }

  #add(key: string, object: unknown, outcome: Outcome): void {
    let byObject = this.byObject.get(key);
    if (byObject === undefined) this.byObject.set(key, (byObject = new Map<unknown, Outcome[]>()));
    const outcomes = byObject.get(object);
    if (outcomes === undefined) byObject.set(object, [outcome]);
    else outcomes.push(outcome);
  }

  #recordBatch({ path, source, definition }: ObservedCall, resolve: () => unknown): unknown {
    const parents = [...(source as readonly unknown[])];
    const keep = (outcomeAt: (at: number) => unknown): void => {
      for (const [at, parent] of parents.entries()) this.#add(keyOf(path), parent, () => outcomeAt(at));
    };
    try {
      const values = resolve();
      if (isPromiseLike(values)) {
        const list = Promise.resolve(values).then((settled) => this.#recordList(settled, definition.type));
        list.catch(() => {});
        keep((at) => list.then(({ recorded }) => recorded[at]!()));
        return list.then(({ shown }) => shown);
      }
      const { shown, recorded } = this.#recordList(values, definition.type);
      keep((at) => recorded[at]!());
      return shown;
    } catch (error) {
      keep(throws(error));
      throw error;
    }
  }

  #recordList(values: unknown, type: GraphQLOutputType): { readonly shown: unknown; readonly recorded: readonly Outcome[] } {
    // Not a list, or one of a wrong length: the error is the server's own.
    if (!Array.isArray(values)) return { shown: values, recorded: [] };
    const items = values.map((value) => this.#record(value, type));
    return { shown: items.map(({ shown }) => shown), recorded: items.map(({ recorded }) => recorded) };
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
    // Plain data may be changed after the answer is written.
    const copy = isLeafType(getNamedType(type)) ? deepCopyOf(value) : value;
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

/** Calls a function, and keeps what it did. */
function recordCall(call: () => unknown, keep: (outcome: Outcome) => void, record: (value: unknown) => Recorded): unknown {
  try {
    const { shown, recorded } = record(call());
    keep(recorded);
    return shown;
  } catch (error) {
    keep(throws(error));
    throw error;
  }
}

function shownAsIs(value: unknown): Recorded {
  return { shown: value, recorded: () => value };
}

function throws(error: unknown): Outcome {
  return () => {
    throw error;
  };
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

/** The outcomes of a recording, for one execution. */
export class Replay {
  readonly #recording: Recording;
  readonly #used = new Set<string>();
  /** How often the outcomes for an object were used. */
  readonly #uses = new Map<readonly Outcome[], number>();
  /** The paths of fields for which nothing is recorded. */
  readonly missing: (readonly (string | number)[])[] = [];

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** What the resolver of a field returned. */
  field({ path }: GraphQLResolveInfo, source: unknown): unknown {
    const key = keyOf(path);
    this.#used.add(key);
    const outcome = this.#recording.fields.get(key) ?? this.#next(keyOf(withoutIndexes(path)), source);
    return outcome === undefined ? this.#miss(path) : outcome();
  }

  /** What the `resolveType` or `isTypeOf` of a type returned for an object. */
  type({ path }: GraphQLResolveInfo, type: ObservedTypeCall['type'], value: unknown): unknown {
    const outcome = this.#next(keyOf(path, type.name), value);
    return outcome === undefined ? this.#miss(path) : outcome();
  }

  /** The paths of fields that are recorded, and were not executed again. */
  unused(): (readonly (string | number)[])[] {
    const keys = [...this.#recording.fields.keys()].filter((key) => !this.#used.has(key));
    return keys.map((key) => JSON.parse(key) as (string | number)[]);
  }

  #miss(path: Path): null {
    this.missing.push(responsePathAsArray(path));
    return null;
  }

  /** Takes the value for the next object with the same parent, because one object may occur twice in a list. */
  #next(key: string, object: unknown): Outcome | undefined {
    const outcomes = this.#recording.byObject.get(key)?.get(object);
    if (outcomes === undefined) return undefined;
    const uses = this.#uses.get(outcomes) ?? 0;
    this.#uses.set(outcomes, uses + 1);
    return outcomes[Math.min(uses, outcomes.length - 1)];
  }
}

function keyOf(path: Path, name?: string): string {
  const keys = responsePathAsArray(path);
  return JSON.stringify(name === undefined ? keys : [name, keys]);
}

function withoutIndexes({ prev, key, typename }: Path): Path {
  let above = prev;
  while (typeof above?.key === 'number') above = above.prev;
  return { prev: above && withoutIndexes(above), key, typename };
}
