import { getNamedType, getNullableType, isLeafType, isListType, isObjectType, isAbstractType, versionInfo } from 'graphql';
import type { GraphQLObjectType, GraphQLOutputType, GraphQLSchema } from 'graphql';

import type { Random } from './random.ts';
import { withItemsHandled } from './unhandled-rejections.ts';

/**
 * Values for fields of a type, created as carelessly as resolvers may create them, with promises that reject (at once, soon, or later),
 * lists of every iterable kind, and values of the wrong type. The promises in a list are created together. Those below its items are
 * created when they are read, or handled here, because no executor searches for them.
 */
export class RejectingValues {
  readonly #random: Random;
  readonly #schema: GraphQLSchema;
  readonly #iterables: 'none' | 'flat' | 'all';
  #left = 60;

  /** 'none': lists are arrays and sets. 'flat': generators contain no generators, but may be the value of a field that is not a list. */
  constructor(random: Random, schema: GraphQLSchema, iterables: 'none' | 'flat' | 'all') {
    this.#random = random;
    this.#schema = schema;
    this.#iterables = iterables;
  }

  value(type: GraphQLOutputType, depth: number): unknown {
    this.#left--;
    const random = this.#random;
    const settled = (): unknown => this.#settled(type, depth);
    const later = (): Promise<void> => turns(random.below(3));
    const odd = [
      () => null,
      () => Promise.reject(new Error('at once')),
      () => later().then(() => Promise.reject(new Error('later'))),
      () => new Error('returned'),
      () => [Promise.reject(new Error('in a wrong list'))],
      () => random.pick<unknown>([{}, Symbol('odd'), new Date(Number.NaN)]),
      () => Promise.resolve(withItemsHandled(settled())),
      () => Promise.resolve(withItemsHandled(settled())),
      // Created on demand: a promise that rejects before it is handled ends the process with either executor.
      () => later().then(() => withItemsHandled(settled())),
    ];
    return (odd[random.below(16)] ?? settled)();
  }

  #settled(type: GraphQLOutputType, depth: number): unknown {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return this.#list(nullable.ofType as GraphQLOutputType, depth);
    if (isObjectType(nullable)) return this.object(nullable, depth);
    if (isAbstractType(nullable)) return this.object(this.#random.pick(this.#schema.getPossibleTypes(nullable)), depth);
    return this.#random.below(100);
  }

  /** A value that contains objects down to this depth. */
  object(type: GraphQLObjectType, depth: number): object {
    const typename = this.#random.pick<unknown>([type.name, type.name, type.name, 'Nothing', Promise.resolve(type.name)]);
    const fields = Object.values(type.getFields()).filter((field) => (this.#left > 0 && depth > 0) || isLeafType(getNamedType(field.type)));
    const methods = fields.map(
      (field) => [field.name, () => this.value(field.type, depth - (isLeafType(getNamedType(field.type)) ? 0 : 1))] as const,
    );
    return { __typename: typename, ...Object.fromEntries(methods) };
  }

  #list(type: GraphQLOutputType, depth: number): unknown {
    if (versionInfo.major >= 17 && this.#random.chance(0.12)) return this.#asyncIterable(type, depth);
    const random = this.#random;
    const length = this.#left < 0 ? 0 : random.below(4);
    const items = (): unknown[] => Array.from({ length }, () => withItemsHandled(this.value(type, depth)));
    switch (this.#iterables === 'none' ? 0 : random.below(7)) {
      case 0:
        return new Set(items());
      case 1:
        return generate(length, () => this.value(type, depth), random.chance(0.3));
      case 2:
        return { [Symbol.iterator]: () => generate(length, () => this.value(type, depth), false) };
      case 3:
        return this.#iterables === 'flat' ? items() : generate(2, (at) => (at === 0 ? generate(length, () => 1, false) : items()), false);
      default:
        return items();
    }
  }

  /** This is not an async generator, which awaits the promises that it yields, and drops the others when one rejects. */
  #asyncIterable(type: GraphQLOutputType, depth: number): AsyncIterable<unknown> {
    const random = this.#random;
    let left = random.below(4);
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          await turns(random.below(2));
          if (random.chance(0.1)) throw new Error('the source broke');
          return left-- > 0 ? { done: false, value: this.value(type, depth) } : { done: true, value: undefined };
        },
      }),
    };
  }
}

function* generate(length: number, make: (at: number) => unknown, fails: boolean): Generator {
  for (let at = 0; at < length; at++) yield make(at);
  if (fails) throw new Error('the generator broke');
}

function turns(count: number): Promise<void> {
  return count === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(() => resolve(turns(count - 1))));
}
