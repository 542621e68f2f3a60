import type { GraphQLResolveInfo } from 'graphql';

import { MergedResolvers } from '../../executor/schema/index.ts';
import type { Resolvers } from '../../executor/schema/index.ts';
import { batchOf, describe } from '../../shared/index.ts';

/** `__resolveReference`: returns the entity of a reference. */
type ResolveReference = (reference: unknown, context: unknown, info: GraphQLResolveInfo) => unknown;
/** `__resolveReferences`: returns the entities of references, in their order. */
type ResolveReferences = (references: readonly unknown[], context: unknown, info: GraphQLResolveInfo) => unknown;

/** The reference resolvers of a type. At most one is defined. */
export interface ReferenceResolvers {
  readonly one: ResolveReference | undefined;
  readonly all: ResolveReferences | undefined;
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

  /** Those of a type. Throws an Error that says what to write if they are not functions. */
  of(type: string): ReferenceResolvers {
    let known = this.#known.get(type);
    if (known === undefined) {
      const given = this.#resolvers.get(type);
      const one = resolverNamed(singular, type, given?.get(singular));
      const all = resolverNamed(plural, type, given?.get(plural));
      if (one !== undefined && all !== undefined)
        throw new Error(
          `resolvers.${type} has ${singular} and ${plural}. Remove one of them: ${plural} is called once for all references.`,
        );
      known = { one, all } as ReferenceResolvers;
      this.#known.set(type, known);
    }
    return known;
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
  if (typeof given !== 'function') throw new Error(`resolvers.${type}.${name} takes a function, got ${describe(given)}.`);
  if (batchOf(given as () => unknown) !== undefined)
    throw new Error(`resolvers.${type}.${name} cannot be batched. Write ${plural}: (references, context, info) => …, without batch().`);
  return given;
}

/** The resolver maps without reference resolvers, which are not resolvers of fields. The given maps stay as they are, and are read when a type is used. */
export function withoutReferences(resolvers: unknown): Resolvers {
  const maps: unknown[] = Array.isArray(resolvers) ? resolvers.flat(Number.POSITIVE_INFINITY) : [resolvers];
  return maps.filter((map) => map !== undefined).map(hideReferences) as Resolvers;
}

/** Anything else than an object is refused later, when the schema is made. */
function hideReferences(map: unknown): unknown {
  if (typeof map !== 'object' || map === null || 'then' in map) return map;
  const types: object = Object.create(null);
  for (const type of Object.keys(map))
    Object.defineProperty(types, type, { enumerable: true, get: () => fieldsOf(type, (map as Record<string, unknown>)[type]) });
  return types;
}

function fieldsOf(type: string, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !(singular in given || plural in given)) return given;
  const resolvers = new MergedResolvers({ [type]: given }).get(type)!;
  const names = [...resolvers.names()].filter((name) => name !== singular && name !== plural);
  return Object.fromEntries(names.map((name) => [name, resolvers.get(name)]));
}
