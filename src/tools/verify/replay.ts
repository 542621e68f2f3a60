import { print, responsePathAsArray } from 'graphql';
import type { GraphQLResolveInfo } from 'graphql';

import type { ObservedTypeCall } from '../../executor/index.ts';
import { textOf } from './compare-results.ts';
import { keyOf } from './recording.ts';
import type { RecordedCall, Recording } from './recording.ts';

type Path = GraphQLResolveInfo['path'];

/** The calls of a recording, for one execution. */
export class Replay {
  readonly #recording: Recording;
  readonly #used = new Set<string>();
  /** How many of the calls for an object were used. */
  readonly #uses = new Map<readonly RecordedCall[], number>();
  /** The paths of fields for which nothing is recorded. */
  readonly missing: (readonly (string | number)[])[] = [];
  /** The paths of fields whose resolvers got other arguments. */
  readonly otherArguments: (readonly (string | number)[])[] = [];

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** What the resolver of a field returned. */
  field({ path, fieldNodes }: GraphQLResolveInfo, source: unknown, args: unknown): unknown {
    const key = keyOf(path);
    this.#used.add(key);
    const call = this.#recording.fields.get(key) ?? this.#next(keyOf(withoutIndexes(path)), source);
    const isComparable = !this.#recording.changesArguments || !fieldNodes[0]!.arguments?.some((node) => print(node).includes('$'));
    if (call !== undefined && isComparable && call.args !== textOf(args)) this.otherArguments.push(responsePathAsArray(path));
    return this.#repeat(call, path);
  }

  /** What the `resolveType` or `isTypeOf` of a type returned for an object. */
  type({ path }: GraphQLResolveInfo, type: ObservedTypeCall['type'], value: unknown): unknown {
    return this.#repeat(this.#next(keyOf(path, type.name), value), path);
  }

  /** The paths of fields that are recorded, and were not executed again. */
  unused(): (readonly (string | number)[])[] {
    const keys = [...this.#recording.fields.keys()].filter((key) => !this.#used.has(key));
    return keys.map((key) => JSON.parse(key) as (string | number)[]);
  }

  #repeat(call: RecordedCall | undefined, path: Path): unknown {
    if (call !== undefined) return call.outcome();
    this.missing.push(responsePathAsArray(path));
    return null;
  }

  /** Takes the next call for an object, because one object may occur twice in a list. */
  #next(key: string, object: unknown): RecordedCall | undefined {
    const calls = this.#recording.byObject.get(key)?.get(object);
    if (calls === undefined) return undefined;
    const uses = this.#uses.get(calls) ?? 0;
    this.#uses.set(calls, uses + 1);
    return calls[Math.min(uses, calls.length - 1)];
  }
}

function withoutIndexes({ prev, key, typename }: Path): Path {
  let above = prev;
  while (typeof above?.key === 'number') above = above.prev;
  return { prev: above && withoutIndexes(above), key, typename };
}
