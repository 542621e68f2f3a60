import { isObjectType } from 'graphql';
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';

import { batch } from '../../../src/entries/index.ts';
import type { Random } from '../random.ts';
import { functionWrappers } from '../resolver-wrappers.ts';
import type { Behaviour } from './behaviour.ts';
import { declaredType } from './without-propagation.ts';
import { withItemsHandled } from '../unhandled-rejections.ts';

type Field = GraphQLField<unknown, unknown>;
type Resolve = NonNullable<Field['resolve']>;

interface Source {
  readonly behaviour?: Behaviour;
  readonly place?: string;
}

/** Resolves fields one by one, or in batches with the same values. */
export interface BatchedFields {
  readonly oneByOne: () => void;
  readonly inBatches: () => void;
  /** The number of parents of each call since the last time this was read. */
  takeCalls(): readonly number[];
}

/** Replaces half of the resolvers of a schema, and gives resolvers to fields without one. */
export function batchFields(schema: GraphQLSchema, random: Random): BatchedFields {
  const replaced: { readonly field: Field; readonly one: Resolve; readonly many: Resolve }[] = [];
  let calls: number[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!random.chance(0.5)) continue;
      const one = resolverOf(field, type);
      const mode = random.pick(['values', 'getters', 'promise', 'promised getters'] as const);
      const many = batch({ maxSize: random.pick([1, 2, 3, 100]) }, ((sources: readonly unknown[]) => {
        calls.push(sources.length);
        const values = sources.map((source) => resultOf(one, source));
        if (mode === 'promise' && values.some(isPromise)) return Promise.all(values.map(withoutRejection));
        if (mode === 'promised getters' && values.some(isPromise)) return Promise.resolve(readByGetters(values));
        return mode === 'values' ? values : readByGetters(values);
      }) as never) as Resolve;
      if (random.chance(0.2)) {
        const wrap = random.pick(Object.values(functionWrappers));
        replaced.push({ field, one: wrap(one, refuseSome) as Resolve, many: wrap(many, refuseSome) as Resolve });
      } else replaced.push({ field, one, many });
    }
  }
  return {
    oneByOne: () => replaced.forEach(({ field, one }) => (field.resolve = one)),
    inBatches: () => replaced.forEach(({ field, many }) => (field.resolve = many)),
    takeCalls: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

/** A guard that wraps a resolver and must run for each parent. */
function refuseSome(resolve: (...given: any[]) => unknown, given: readonly any[]): unknown {
  const { place = '' } = (given[0] ?? {}) as Source;
  if (place.length % 2 === 0) throw new Error('Forbidden.');
  return resolve(...given);
}

/** A resolver whose value depends only on the parent. */
function resolverOf(field: Field, type: GraphQLObjectType): Resolve {
  return (source) => {
    const { behaviour, place } = (source ?? {}) as Source;
    let value: unknown;
    try {
      value = behaviour?.value(declaredType(field), `${place}.${type.name}.${field.name}`);
    } catch (error) {
      throw errorOf(error);
    }
    return isPromise(value)
      ? Promise.resolve(value).catch((error: unknown) => {
          throw errorOf(error);
        })
      : value;
  };
}

/** A list that throws its errors when they are read. */
function readByGetters(values: readonly unknown[]): readonly unknown[] {
  const list: unknown[] = Array.from({ length: values.length });
  for (const [at, value] of values.entries())
    Object.defineProperty(list, at, {
      get: () => {
        if (value instanceof Error) throw value;
        return value;
      },
    });
  return list;
}

function resultOf(resolve: Resolve, source: unknown): unknown {
  try {
    return resolve(source, {}, undefined, undefined as never);
  } catch (error) {
    return error;
  }
}

/** Replaces a thrown value that is not an Error, because the list of a batch can report only Errors. */
function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('No error was thrown.');
}

function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

/** Code that waits for other values first must handle the rejections of the promises it holds. */
async function withoutRejection(value: unknown): Promise<unknown> {
  withItemsHandled(value);
  try {
    return withItemsHandled(await value);
  } catch (error) {
    return error;
  }
}
