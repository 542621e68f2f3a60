import type { GraphQLResolveInfo } from 'graphql';

import { MergedResolvers } from '../../executor/schema/index.ts';
import { getOrCreate } from '../../shared/index.ts';

/** The reference resolvers of a type. At most one is defined. */
export interface ReferenceResolvers {
  /** `__resolveReference`: returns the entity of a reference. */
  readonly one: ((reference: unknown, context: unknown, info: GraphQLResolveInfo) => unknown) | undefined;
  /** `__resolveReferences`: returns the entities of references, in their order. */
  readonly all: ((references: readonly unknown[], context: unknown, info: GraphQLResolveInfo) => unknown) | undefined;
}

const singular = '__resolveReference';
const plural = '__resolveReferences';

/** The reference resolvers of all types. */
export class References {
  readonly #resolvers: MergedResolvers;
  readonly #known = new Map<string, ReferenceResolvers>();

  constructor(resolvers: unknown) {
    this.#resolvers = new MergedResolvers(resolvers);
  }

  /** Returns the reference resolvers of a type. Throws an Error that says what to write if the type has both kinds. */
  of(type: string): ReferenceResolvers {
    return getOrCreate(this.#known, type, () => {
      const given = this.#resolvers.get(type);
      const one = resolverNamed(singular, type, given?.get(singular));
      const all = resolverNamed(plural, type, given?.get(plural));
      if (one !== undefined && all !== undefined)
        throw new Error(
          `resolvers.${type} has ${singular} and ${plural}. Remove one of them: ${plural} is called once for all references.`,
        );
      return { one, all } as ReferenceResolvers;
    });
  }

  /** Throws an Error for reference resolvers that could never run. */
  check(isEntityType: (name: string) => boolean): void {
    for (const type of this.#resolvers.names()) {
      const { one, all } = this.of(type);
      if ((one ?? all) !== undefined && !isEntityType(type))
        throw new Error(`resolvers.${type}.${one ? singular : plural}: "${type}" is neither an object type nor an interface. Remove it.`);
    }
  }
}

function resolverNamed(name: string, type: string, given: unknown): unknown {
  if (given === undefined) return undefined;
  if (typeof given === 'function' && 'isBatched' in given)
    throw new Error(`resolvers.${type}.${name} cannot be batched. Write ${plural}: (references, context, info) => …, without batch().`);
  return given;
}
