import { getNamedType, getNullableType, GraphQLString, isLeafType, isListType, responsePathAsArray } from 'graphql';
import type { GraphQLOutputType } from 'graphql';

import type { ExecutionObserver, ObservedCall, ObservedTypeCall } from '../../executor/index.ts';
import { deepCopyOf, isObjectLike, isPromiseLike } from '../../shared/index.ts';
import { textOf } from './compare-results.ts';

type Path = ObservedCall['path'];

/**
 * How graphql-js gets asynchronous iterables: as they are (graphql 17), as the list of their items (graphql 16, in a server that takes
 * them), or as they are because it refuses them.
 */
export type AsyncLists = 'asynchronous' | 'as lists' | 'refused';

/** What a function did: gives its value again, or throws its error. */
type Outcome = () => unknown;

export interface RecordedCall {
  readonly outcome: Outcome;
  /** The arguments of a resolver as text, because it may change them. */
  readonly args?: string | undefined;
}

/** Records what the resolvers of one execution return, by the path of their field, to give it again to other executions. */
export class Recording implements ExecutionObserver {
  readonly fields: Map<string, RecordedCall> = new Map();
  /**
   * The calls of batched resolvers, by the path without indexes, and of `resolveType` and `isTypeOf`, by the name of their type and the path
   * of the field; then by object, in their order.
   */
  readonly byObject: Map<string, Map<unknown, RecordedCall[]>> = new Map();
  /** The response names of `__schema` and `__type`. */
  readonly introspected: Set<string | number> = new Set();
  readonly #asyncLists: AsyncLists;
  #inResult: ReadonlySet<unknown> = new Set();
  readonly #arguments: (readonly [args: unknown, text: string | undefined])[] = [];
  /** True if a resolver has changed its arguments: others may have got the same variables. */
  changesArguments = false;

  constructor(asyncLists: AsyncLists) {
    this.#asyncLists = asyncLists;
  }

  field(call: ObservedCall, resolve: () => unknown): unknown {
    // Introspection has its own resolvers in every schema.
    if (call.definition.name === '__schema' || call.definition.name === '__type') this.introspected.add(call.path.key);
    if (call.parentType.name.startsWith('__') || call.definition.name.startsWith('__')) return resolve();
    if (call.parents !== undefined) return this.#recordBatch(call, resolve);
    const args = this.#textOfArguments(call);
    const keep = (outcome: Outcome): void => void this.fields.set(keyOf(call.path), { outcome, args });
    return recordCall(resolve, keep, (value) => this.#record(value, call.definition.type));
  }

  type({ type, value, info }: ObservedTypeCall, resolve: () => unknown): unknown {
    const keep = (outcome: Outcome): void => this.#add(keyOf(info.path, type.name), value, { outcome });
    return recordCall(resolve, keep, (answer) => this.#record(answer, GraphQLString));
  }

  /** Called with the data of the result. */
  end(data: unknown): void {
    this.#inResult = objectsIn(data);
    this.changesArguments = this.#arguments.some(([args, text]) => textOf(args) !== text);
  }

  #textOfArguments({ args }: ObservedCall): string | undefined {
    const text = textOf(args);
    this.#arguments.push([args, text]);
    return text;
  }

  #add(key: string, object: unknown, call: RecordedCall): void {
    let byObject = this.byObject.get(key);
    if (byObject === undefined) this.byObject.set(key, (byObject = new Map<unknown, RecordedCall[]>()));
    const calls = byObject.get(object);
    if (calls === undefined) byObject.set(object, [call]);
    else calls.push(call);
  }

  #recordBatch(call: ObservedCall, resolve: () => unknown): unknown {
    const { path, source, definition } = call;
    const args = this.#textOfArguments(call);
    let outcomes: Outcome = unsettled;
    const outcomeAt = (at: number): unknown => (outcomes() as readonly Outcome[])[at]!();
    for (const [at, parent] of (source as readonly unknown[]).entries())
      this.#add(keyOf(path), parent, { outcome: () => outcomeAt(at), args });
    const keep = (outcome: Outcome): void => void (outcomes = outcome);
    return recordCall(resolve, keep, (values) => this.#recordLater(values, (list) => this.#recordBatchOf(list, definition.type)));
  }

  #recordBatchOf(values: unknown, type: GraphQLOutputType): Recorded {
    // Not a list, or one of a wrong length: the error comes from the server.
    if (!Array.isArray(values)) return shownAsIs(values);
    const items = values.map((value) => this.#record(value, type));
    return { shown: items.map(({ shown }) => shown), recorded: () => items.map(({ recorded }) => recorded) };
  }

  /** A value as the server gets it, and as the other execution gets it. */
  #record(value: unknown, type: GraphQLOutputType): Recorded {
    const nullable = getNullableType(type);
    if (isListType(nullable))
      return this.#recordLater(value, (list) =>
        this.#recordItems(list, (item) => this.#record(item, nullable.ofType as GraphQLOutputType)),
      );
    return this.#recordLater(value, isLeafType(getNamedType(type)) ? (leaf) => this.#recordLeaf(leaf) : shownAsIs);
  }

  /** Records what a promise is resolved with. Other executions get no promise, but the error `unsettled` if it came too late for ours. */
  #recordLater(value: unknown, record: (value: unknown) => Recorded): Recorded {
    if (!isPromiseLike(value)) return record(value);
    let outcome: Outcome = unsettled;
    // A thenable may start its work each time `then` is called, as those of query builders do.
    const shown = Promise.resolve(value).then((settled) => {
      const { shown: inner, recorded } = record(settled);
      outcome = recorded;
      return inner;
    });
    shown.catch((error: unknown) => (outcome = throws(error)));
    return { shown, recorded: () => outcome() };
  }

  /** Plain data may be changed later. If the result has the same object, it has changed there, too. */
  #recordLeaf(value: unknown): Recorded {
    const copy = deepCopyOf(value);
    return { shown: value, recorded: () => (this.#inResult.has(value) ? value : copy) };
  }

  /** The list may be changed later, and can be iterated only once if it is no array. */
  #recordItems(value: unknown, record: (item: unknown) => Recorded): Recorded {
    if (Array.isArray(value)) {
      // Not `map`, which creates an instance of the list's own class.
      const items = Array.from({ length: value.length }, (_, index) => record(value[index]));
      return { shown: items.map(({ shown }) => shown), recorded: () => items.map(toItem) };
    }
    if (!isObjectLike(value)) return shownAsIs(value);
    if (this.#asyncLists !== 'refused' && Symbol.asyncIterator in value)
      return recordAsyncItems(value as AsyncIterable<unknown>, record, this.#asyncLists === 'as lists');
    return Symbol.iterator in value ? recordSyncItems(value as Iterable<unknown>, record) : shownAsIs(value);
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

const unsettled = throws(new Error('The operation ended before this value was known.'));

/** An item of a list. Its error is a rejection, because the list has no other place for it. */
function toItem({ recorded }: Recorded): unknown {
  try {
    return recorded();
  } catch (error) {
    const rejected = Promise.reject(error);
    rejected.catch(() => {});
    return rejected;
  }
}

/** The items that were read of an iterable, and the error that ended it. */
class ReadItems {
  readonly #items: Recorded[] = [];
  readonly #record: (item: unknown) => Recorded;
  #end: Outcome = () => undefined;

  constructor(record: (item: unknown) => Recorded) {
    this.#record = record;
  }

  read(step: IteratorResult<unknown>): IteratorResult<unknown> {
    if (step.done === true) return step;
    const item = this.#record(step.value);
    this.#items.push(item);
    return { done: false, value: item.shown };
  }

  fail(error: unknown): never {
    this.#end = throws(error);
    throw error;
  }

  list(): unknown[] {
    this.#end();
    return this.#items.map(toItem);
  }

  /** The function `next` of an iterator. */
  again(): () => IteratorResult<unknown> {
    let at = 0;
    return () => {
      if (at < this.#items.length) return { done: false, value: toItem(this.#items[at++]!) };
      this.#end();
      return { done: true, value: undefined };
    };
  }
}

function recordSyncItems(iterable: Iterable<unknown>, record: (item: unknown) => Recorded): Recorded {
  const items = new ReadItems(record);
  const attempt = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      return items.fail(error);
    }
  };
  const open = (): Iterator<unknown> => {
    const iterator = attempt(() => iterable[Symbol.iterator]());
    return { next: () => attempt(() => items.read(iterator.next())), ...returnOf(iterator) };
  };
  return { shown: { [Symbol.iterator]: open }, recorded: () => ({ [Symbol.iterator]: () => ({ next: items.again() }) }) };
}

function recordAsyncItems(iterable: AsyncIterable<unknown>, record: (item: unknown) => Recorded, asList: boolean): Recorded {
  const items = new ReadItems(record);
  const open = (): AsyncIterator<unknown> => {
    const iterator = iterable[Symbol.asyncIterator]();
    const next = async (): Promise<IteratorResult<unknown>> => {
      try {
        return items.read(await iterator.next());
      } catch (error) {
        return items.fail(error);
      }
    };
    return { next, ...returnOf(iterator) };
  };
  const replay = (): AsyncIterator<unknown> => {
    const next = items.again();
    return { next: async () => next() };
  };
  return { shown: { [Symbol.asyncIterator]: open }, recorded: () => (asList ? items.list() : { [Symbol.asyncIterator]: replay }) };
}

/** The function that ends an iterator, if it has one. */
function returnOf<T extends { return?: (value?: any) => unknown }>(iterator: T): Pick<T, 'return'> {
  return iterator.return === undefined ? {} : { return: (value?: unknown) => iterator.return!(value) };
}

function objectsIn(value: unknown, found: Set<unknown> = new Set()): Set<unknown> {
  if (!isObjectLike(value) || found.has(value)) return found;
  found.add(value);
  for (const one of Object.values(value)) objectsIn(one, found);
  return found;
}

/** The key of a field's calls, or of those of a type's function at this field. */
export function keyOf(path: Path, name?: string): string {
  const keys = responsePathAsArray(path);
  return JSON.stringify(name === undefined ? keys : [name, keys]);
}
