import { isEnumType, isListType, isNonNullType, isObjectType, isAbstractType, GraphQLError, versionInfo } from 'graphql';
import type { GraphQLNamedType, GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql';

import { createRandom } from '../random.ts';
import type { Random } from '../random.ts';
import { withItemsHandled } from '../unhandled-rejections.ts';
import type { Clockwork } from './clockwork.ts';
import { declaredType } from './without-propagation.ts';

/** How often resolvers and objects misbehave. */
export interface Mischief {
  /** The probability that a value is wrong in some way. */
  readonly wrong: number;
  /** The probability that a value is a promise. */
  readonly late: number;
  /** Every list has fewer items than this. Default: 4 */
  readonly listsBelow?: number;
}

/**
 * The values that the resolvers of one run return. Each depends on its place in the response and on the seed alone,
 * so that two executors that call resolvers in different orders get the same values.
 */
export class Behaviour {
  readonly #seed: number;
  readonly #mischief: Mischief;
  readonly #clockwork: Clockwork;
  readonly schema: GraphQLSchema;

  constructor(seed: number, mischief: Mischief, clockwork: Clockwork, schema: GraphQLSchema) {
    this.#seed = seed;
    this.#mischief = mischief;
    this.#clockwork = clockwork;
    this.schema = schema;
  }

  /** The parent of the root fields. */
  rootObject(type: GraphQLObjectType): object {
    return this.#object(type, '', this.#randomAt(''));
  }

  /** Returns the value of the resolver at this place, or throws as a resolver may. */
  value(type: GraphQLOutputType, place: string, isItem = false): unknown {
    const random = this.#randomAt(place);
    const now = (): unknown => {
      const value = this.#now(type, place, random);
      return isItem ? withItemsHandled(value) : value;
    };
    const isLate = this.#clockwork.timing !== 'sync' && random.chance(this.#mischief.late);
    if (!isLate) return now();
    const promise = this.#clockwork.promise(random.next(), now);
    return random.chance(0.1) ? thenableOf(promise) : promise;
  }

  /** The result of `resolveType` or `isTypeOf`: a name or a boolean, possibly as a promise, right or wrong. */
  answer(place: string, right: unknown, wrong: readonly unknown[]): unknown {
    const random = this.#randomAt(`${place}?`);
    const outcome = (): unknown => {
      if (!random.chance(this.#mischief.wrong)) return right;
      if (random.chance(0.3)) throw new Error(`no type at ${place}`);
      return random.pick(wrong);
    };
    if (this.#clockwork.timing === 'sync' || !random.chance(this.#mischief.late)) return outcome();
    return this.#clockwork.promise(random.next(), outcome);
  }

  #randomAt(place: string): Random {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < place.length; at++) hash = Math.imul(hash ^ place.charCodeAt(at), 0x01000193);
    return createRandom(hash);
  }

  #now(type: GraphQLOutputType, place: string, random: Random): unknown {
    if (random.chance(this.#mischief.wrong)) return this.#wrong(place, random);
    if (isNonNullType(type)) return this.#right(type.ofType, place, random);
    return random.chance(0.1) ? random.pick([null, undefined]) : this.#right(type, place, random);
  }

  #wrong(place: string, random: Random): unknown {
    const fail = (error: unknown): never => {
      throw error;
    };
    return random.pick<() => unknown>([
      () => fail(new Error(`thrown at ${place}`)),
      () => fail(new GraphQLError(`refused at ${place}`, { extensions: { code: 'REFUSED', place } })),
      () => fail(random.pick<unknown>(['a string', undefined, { code: 3 }, null])),
      () => fail(new GraphQLError('elsewhere', { path: ['else', 'where'] })),
      () => new Error(`returned at ${place}`),
      () => random.pick([null, undefined]),
      () => random.pick<unknown>(['text', 12, Number.NaN, true, 1.5, 2 ** 40, 10n, Symbol('odd'), '']),
      () => random.pick<unknown>([{}, [], [[]], { valueOf: () => 7 }, { toJSON: () => 'json' }, new Date(0), /x/]),
      () => (this.#clockwork.timing === 'sync' ? null : Promise.reject(new Error(`rejected at ${place}`))),
      () => ({ __typename: random.pick(['Nothing', 'Color', 'Query', '', 3]) }),
    ])();
  }

  #right(type: GraphQLOutputType, place: string, random: Random): unknown {
    if (isListType(type)) return this.#list(type.ofType, place, random);
    if (isObjectType(type)) return this.#object(type, place, random);
    if (isAbstractType(type)) return this.#object(random.pick(this.schema.getPossibleTypes(type)), place, random);
    return leaf(type as GraphQLNamedType, random);
  }

  #list(itemType: GraphQLOutputType, place: string, random: Random): unknown {
    const size = random.below(this.#mischief.listsBelow ?? 4);
    const item = (index: number): unknown => this.#item(itemType, `${place}.${index}`);
    const items = Array.from({ length: size }, (_, index) => index);
    switch (random.below(10)) {
      case 0:
        return new Set(items.map(item));
      case 1:
        return (function* generate() {
          for (const index of items) yield item(index);
          if (random.chance(0.3)) throw new Error(`the generator at ${place} stopped`);
        })();
      case 2:
        if (versionInfo.major < 17 || this.#clockwork.timing === 'sync') return items.map(item);
        return this.#asyncList(items, item, place, random);
      default:
        return items.map(item);
    }
  }

  /** An item that would throw is a promise that rejects, or an Error: a list has no resolver that could throw. */
  #item(type: GraphQLOutputType, place: string): unknown {
    try {
      return this.value(type, place, true);
    } catch (error) {
      if (this.#clockwork.timing === 'sync') return error instanceof Error ? error : null;
      return Promise.reject(error as Error);
    }
  }

  #asyncList(items: readonly number[], item: (index: number) => unknown, place: string, random: Random): AsyncIterable<unknown> {
    const clockwork = this.#clockwork;
    const fails = random.chance(0.2);
    let next = 0;
    return {
      [Symbol.asyncIterator]: () => ({
        next: () =>
          clockwork.promise(random.next(), () => {
            if (next < items.length) return { done: false, value: item(next++) };
            if (fails) throw new Error(`the source at ${place} broke`);
            return { done: true, value: undefined };
          }) as Promise<IteratorResult<unknown>>,
      }),
    };
  }

  /** An object with a property per field that has no resolver: a getter (hidden from messages, which would call it) or a method. */
  #object(type: GraphQLObjectType, place: string, random: Random): object {
    const object = Object.defineProperty({ place }, 'behaviour', { value: this });
    if (random.chance(0.9)) Object.assign(object, { __typename: type.name });
    for (const field of Object.values(type.getFields())) {
      if (field.resolve !== undefined) continue;
      const value = (): unknown => this.value(declaredType(field), `${place}.${field.name}`);
      if (random.chance(0.2)) {
        Object.assign(object, { [field.name]: (args: unknown) => (logCall(place, field.name, args), value()) });
      } else {
        Object.defineProperty(object, field.name, { get: value });
      }
    }
    return object;
  }
}

let calls: string[] = [];

/** Records a call of a resolver and its arguments. */
export function logCall(place: string, fieldName: string, args: unknown): void {
  calls.push(`${place}.${fieldName} ${Object.getPrototypeOf(args) === null ? 'null' : 'object'} ${JSON.stringify(args)}`);
}

/** The calls since the last time this was read. */
export function takeCalls(): readonly string[] {
  const taken = calls;
  calls = [];
  return taken;
}

function leaf(type: GraphQLNamedType, random: Random): unknown {
  if (isEnumType(type)) return random.pick(type.getValues()).value as unknown;
  return (leaves[type.name] ?? (() => `text${random.below(100)}`))(random);
}

const leaves: Readonly<Record<string, (random: Random) => unknown>> = {
  Int: (random) => random.below(100) - 50,
  Float: (random) => random.next() * 10,
  Boolean: (random) => random.chance(0.5),
  ID: (random) => (random.chance(0.5) ? random.below(1000) : `id${random.below(10)}`),
};

/** A promise of another library: not an instance of Promise. The executor does not start one that it drops, so the promise inside is handled here. */
function thenableOf(promise: Promise<unknown>): PromiseLike<unknown> {
  promise.catch(() => {});
  // oxlint-disable-next-line unicorn/no-thenable -- this is one
  return { then: (onValue, onError) => promise.then(onValue, onError) } as PromiseLike<unknown>;
}
