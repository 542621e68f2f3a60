import { defaultTypeResolver, GraphQLError, isInterfaceType, isObjectType } from 'graphql';
import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { describe, getOrCreate, isObjectLike, toPromise } from '../../shared/index.ts';
import type { References } from './reference-resolvers.ts';

/** The type name of each entity. It is not written into entities, which may be shared or frozen. */
const typeNames = new WeakMap<object, string>();

/** The resolver of `Query._entities`. */
export function createEntitiesResolver(references: References) {
  return (
    _root: unknown,
    { representations }: { readonly representations: readonly unknown[] },
    context: unknown,
    info: GraphQLResolveInfo,
  ): unknown => new EntitiesField(references, context, info).resolve(representations);
}

/** The type resolver of `_Entity`. */
export function resolveEntityType(value: object): string | undefined {
  return typeNames.get(value);
}

type AnyType = GraphQLObjectType | GraphQLInterfaceType;

/** An `_entities` field. A failure is an error at the index of its representation, as are an Error or a rejected promise in a returned list. */
class EntitiesField {
  readonly #references: References;
  readonly #context: unknown;
  readonly #info: GraphQLResolveInfo;
  readonly #hinted = new Set<AnyType>();
  /**
   * The names of object types in representations, and one error for each unknown name and each interface whose type is not found: 500,000
   * wrong representations fit into a request.
   */
  readonly #known = new Map<unknown, string | Error>();
  #hasLifetime = false;
  #lacksLifetime = false;

  constructor(references: References, context: unknown, info: GraphQLResolveInfo) {
    this.#references = references;
    this.#context = context;
    this.#info = info;
  }

  /** Learns the type of each representation, then calls the resolvers. Only references to interfaces may have to wait for their types. */
  resolve(representations: readonly unknown[]): unknown {
    const { cacheControl } = this.#info as Partial<Pick<GraphQLResolveInfo, 'cacheControl'>>;
    // The types of these entities count, in place of every type that the union has.
    if (cacheControl !== undefined) Object.assign(cacheControl.cacheHint, { maxAge: undefined, scope: undefined });
    const types = representations.map((representation) => this.#typeOf(representation));
    if (!types.some((type) => type instanceof Promise)) return this.#entities(representations, types);
    return Promise.all(types.map(async (type) => Promise.resolve(type).catch(toError))).then((known) =>
      this.#entities(representations, known),
    );
  }

  /** The name of the type whose reference resolver is called, or an Error. */
  #typeOf(representation: unknown): unknown {
    const name = (representation as { readonly __typename?: unknown } | null)?.__typename;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const type = typeof name === 'string' ? this.#info.schema.getType(name) : undefined;
    if (!isObjectType(type) && !isInterfaceType(type)) return this.#unknownType(name);
    this.#restrictCaching(type);
    if (isObjectType(type)) {
      this.#known.set(name, type.name);
      return name;
    }
    const { one, all } = this.#references.of(type.name);
    return (one ?? all) === undefined ? attempt(() => this.#objectType(type, representation)) : type.name;
  }

  /** The name of the object type of a value of an interface, or an Error. */
  #objectType(type: GraphQLInterfaceType, value: unknown): unknown {
    const { schema } = this.#info;
    return whenSettled((type.resolveType ?? defaultTypeResolver)(value, this.#context, this.#info, type), (name) => {
      const found = typeof name === 'string' ? schema.getType(name) : undefined;
      if (!isObjectType(found) || !schema.isSubType(type, found)) return this.#mistake(type, () => wrongType(type.name, name));
      this.#restrictCaching(found);
      return found.name;
    });
  }

  #entities(representations: readonly unknown[], types: readonly unknown[]): unknown {
    const values = [...types];
    for (const [type, places] of placesByType(types)) {
      const { one, all } = this.#references.of(type);
      const references = places.map((at) => referenceTo(representations[at], type));
      const named = this.#namer(type);
      const set = (valueAt: (index: number) => unknown): void => {
        for (const [index, at] of places.entries()) values[at] = attempt(() => valueAt(index));
      };
      if (all === undefined) {
        // A reference without a resolver is the entity itself.
        set((index) => whenSettled(one === undefined ? references[index] : one(references[index], this.#context, this.#info), named));
        continue;
      }
      const called = attempt(() =>
        whenSettled(all(references, this.#context, this.#info), (list) => assertList(list, places.length, type)),
      );
      const valueIn = (list: unknown, index: number): unknown =>
        list instanceof Error ? list : whenSettled((list as readonly unknown[])[index], named);
      const list = called instanceof Promise ? called.catch(toError) : called;
      // Usually, all entities are of one type and wait for the same call: then one promise takes half as long as one for each.
      if (list instanceof Promise && places.length === types.length)
        return list.then((known) => places.map((_, index) => attempt(() => valueIn(known, index))));
      set((index) => whenSettled(list, (known) => valueIn(known, index)));
    }
    return values;
  }

  /** Returns a function that notes the type of an entity for {@link resolveEntityType}. */
  #namer(name: string): (entity: unknown) => unknown {
    const type = this.#info.schema.getType(name);
    if (!isInterfaceType(type)) return (entity) => nameEntity(name, entity);
    // Every value that is not null gets the type, as in @apollo/subgraph.
    return (entity) =>
      entity === null
        ? null
        : whenSettled(this.#objectType(type, entity), (concrete) =>
            concrete instanceof Error ? concrete : nameEntity(concrete as string, entity),
          );
  }

  /** The errors of names after the first hundred do not say the name. */
  #unknownType(given: unknown): unknown {
    const name = typeof given === 'string' && this.#known.size < 100 ? given : undefined;
    return this.#mistake(name, () => unknownType(name));
  }

  #mistake(kind: unknown, create: () => Error): unknown {
    return getOrCreate(this.#known, kind, create);
  }

  /** An object type without a lifetime must not get the lifetime of another type. */
  #restrictCaching(type: AnyType): void {
    const { cacheControl } = this.#info as Partial<Pick<GraphQLResolveInfo, 'cacheControl'>>;
    if (cacheControl === undefined || this.#hinted.has(type)) return;
    this.#hinted.add(type);
    const { maxAge, scope } = cacheControl.cacheHintFromType(type);
    if (maxAge !== undefined) this.#hasLifetime = true;
    else if (isObjectType(type)) this.#lacksLifetime = true;
    if (maxAge !== undefined || scope !== undefined) cacheControl.cacheHint.restrict({ maxAge, scope });
    if (this.#hasLifetime && this.#lacksLifetime) cacheControl.cacheHint.restrict({ maxAge: 0 });
  }
}

/** Returns the indexes of the references to each type. A `__typename` that names no type is an Error. */
function placesByType(types: readonly unknown[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [at, type] of types.entries()) if (typeof type === 'string') getOrCreate(places, type, () => []).push(at);
  return places;
}

/** Returns a representation. The representation of an interface gets the name of the object type. */
function referenceTo(representation: unknown, type: string): unknown {
  const given = representation as { readonly __typename: unknown };
  return given.__typename === type ? given : { ...given, __typename: type };
}

function nameEntity(name: string, entity: unknown): unknown {
  if (!isObjectLike(entity) || entity instanceof Error) return entity;
  const known = typeNames.get(entity);
  // One object for two types: the second one gets a copy.
  const own = known === undefined || known === name ? entity : copyOf(entity);
  typeNames.set(own, name);
  return own;
}

function copyOf(entity: object): object {
  return Object.create(Object.getPrototypeOf(entity) as object | null, Object.getOwnPropertyDescriptors(entity)) as object;
}

function assertList(list: unknown, length: number, type: string): unknown {
  if (Array.isArray(list) && list.length === length) return list;
  // Handles rejected promises in the list, because nothing else does.
  if (Array.isArray(list)) void Promise.allSettled(list);
  const got = Array.isArray(list) ? `a list of ${list.length}` : describe(list);
  throw new Error(`The __resolveReferences of ${type} must return a list of ${length} (one value for each reference), got ${got}.`);
}

function unknownType(name: string | undefined): Error {
  const got = name === undefined ? '' : `, got "${name.slice(0, 100)}"`;
  const message = `Expected each representation to have the name of an object type or interface of this subgraph as its __typename${got}.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

function wrongType(interfaceName: string, name: unknown): Error {
  const message =
    `Expected the type of a reference to the interface "${interfaceName}" to be the name of an object type that implements it, got ${describe(name)}. ` +
    `Write resolvers.${interfaceName}.__resolveType, or return an object with __typename.`;
  return new Error(message);
}

/** Returns the result of the work, or the thrown value as an Error. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return toError(thrown);
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`Expected an Error to be thrown, got ${describe(thrown)}.`, { cause: thrown });
}

function whenSettled(value: unknown, proceed: (value: unknown) => unknown): unknown {
  const ready = toPromise(value);
  return ready instanceof Promise ? ready.then(proceed) : proceed(ready);
}
