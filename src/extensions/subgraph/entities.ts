import { defaultTypeResolver, GraphQLError, isInterfaceType, isObjectType } from 'graphql';
import type { GraphQLInterfaceType, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';

import { handleRejections } from '../../executor/for-extensions.ts';
import { describe, isPromiseLike, toPromise, whenReady, withoutStacks } from '../../shared/index.ts';
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

/**
 * One `_entities` field. Starts every representation without waiting for another. Whatever fails is an error at its index: Error
 * instances and rejected promises in the list are those of their items.
 */
class EntitiesField {
  readonly #references: References;
  readonly #context: unknown;
  readonly #info: GraphQLResolveInfo;
  readonly #calls = new Map<string, PluralCall>();
  /** Interfaces whose objects' types are not known yet: until then, plural calls of their types have to wait for more references. */
  readonly #untyped = new Set<GraphQLInterfaceType>();
  readonly #typing: Promise<unknown>[] = [];
  #allTyped: Promise<void> | undefined;
  readonly #hinted = new Set<GraphQLObjectType | GraphQLInterfaceType>();
  #hasLifetime = false;
  #lacksLifetime = false;
  #refusals = 0;
  #lastRefusal: Error | undefined;

  constructor(references: References, context: unknown, info: GraphQLResolveInfo) {
    this.#references = references;
    this.#context = context;
    this.#info = info;
  }

  resolve(representations: readonly unknown[]): unknown {
    const { cacheControl } = this.#info as Partial<Pick<GraphQLResolveInfo, 'cacheControl'>>;
    // The types of these entities count, in place of every type that the union has.
    if (cacheControl !== undefined) Object.assign(cacheControl.cacheHint, { maxAge: undefined, scope: undefined });
    const started = representations.map((representation) => attempt(() => this.#start(representation)));
    for (const call of this.#calls.values()) if (!this.#mayGrow(call)) call.make(this.#context, this.#info);
    if (this.#typing.length > 0) this.#allTyped = Promise.all(this.#typing).then(() => this.#callAll());
    const values = (): unknown[] => started.map((value) => (value instanceof Place ? this.#valueAt(value) : value));
    const [call] = this.#calls.values();
    // Usually, all entities are of one type and wait for the same call: then one promise takes half as long as one for each.
    return call?.settled !== undefined && call.size === started.length ? call.settled.then(values) : values();
  }

  #mayGrow({ type }: PluralCall): boolean {
    const { schema } = this.#info;
    return [...this.#untyped].some((one) => schema.isSubType(one, schema.getType(type) as GraphQLObjectType));
  }

  #callAll(): void {
    for (const call of this.#calls.values()) if (!call.isMade) call.make(this.#context, this.#info);
  }

  #valueAt(place: Place): unknown {
    return place.call.isMade ? place.value() : this.#allTyped!.then(() => place.value());
  }

  #start(representation: unknown): unknown {
    const name = (representation as { readonly __typename?: unknown } | null)?.__typename;
    const type = typeof name === 'string' ? this.#info.schema.getType(name) : undefined;
    if (isObjectType(type) || isInterfaceType(type)) this.#restrictCaching(type);
    if (isObjectType(type)) return this.#resolve(type.name, representation, (entity) => named(type.name, entity));
    if (isInterfaceType(type)) return this.#startInterface(type, representation as object);
    return this.#refusal(() => unknownType(name));
  }

  /** Calls the reference resolver of a type. Without one, the reference is the value. */
  #resolve(type: string, reference: unknown, proceed: (value: unknown) => unknown): unknown {
    const { one, all } = this.#references.of(type);
    if (all !== undefined) {
      const call = this.#calls.get(type) ?? new PluralCall(type, all);
      this.#calls.set(type, call);
      return call.add(reference, proceed);
    }
    return whenSettled(one === undefined ? reference : one(reference, this.#context, this.#info), proceed);
  }

  /** The interface's own resolver gives the object, or that of the object's type does. */
  #startInterface(type: GraphQLInterfaceType, representation: object): unknown {
    const { one, all } = this.#references.of(type.name);
    if ((one ?? all) !== undefined) {
      return this.#resolve(type.name, representation, (value) =>
        value === null ? null : whenSettled(this.#typeOf(type, value), (name) => named(this.#objectType(type, name), value)),
      );
    }
    const resolveAs = (name: unknown): unknown => {
      const concrete = this.#objectType(type, name);
      return this.#resolve(concrete, { ...representation, __typename: concrete }, (entity) => named(concrete, entity));
    };
    const name = this.#typeOf(type, representation);
    if (!isPromiseLike(name)) return resolveAs(name);
    // In an array, because a promise would wait for the entity.
    const typed = Promise.resolve(name).then((known) => [attempt(() => resolveAs(known))]);
    this.#typing.push(typed.catch(ignore));
    this.#untyped.add(type);
    return typed.then(([value]) => (value instanceof Place ? this.#valueAt(value) : value));
  }

  #typeOf(type: GraphQLInterfaceType, value: unknown): unknown {
    return (type.resolveType ?? defaultTypeResolver)(value, this.#context, this.#info, type);
  }

  #objectType(type: GraphQLInterfaceType, name: unknown): string {
    const { schema } = this.#info;
    const found = typeof name === 'string' ? schema.getType(name) : undefined;
    if (isObjectType(found) && schema.isSubType(type, found)) {
      this.#restrictCaching(found);
      return found.name;
    }
    throw this.#refusal(() => wrongType(type.name, name));
  }

  /** An object type without a lifetime must not get that of another one. */
  #restrictCaching(type: GraphQLObjectType | GraphQLInterfaceType): void {
    const { cacheControl } = this.#info as Partial<Pick<GraphQLResolveInfo, 'cacheControl'>>;
    if (cacheControl === undefined || this.#hinted.has(type)) return;
    this.#hinted.add(type);
    const { maxAge, scope } = cacheControl.cacheHintFromType(type);
    if (maxAge !== undefined) this.#hasLifetime = true;
    else if (isObjectType(type)) this.#lacksLifetime = true;
    if (maxAge !== undefined || scope !== undefined) cacheControl.cacheHint.restrict({ maxAge, scope });
    if (this.#hasLifetime && this.#lacksLifetime) cacheControl.cacheHint.restrict({ maxAge: 0 });
  }

  /** After many, the last error serves all others: 50,000 wrong representations fit into a request. */
  #refusal(create: () => Error): Error {
    if (this.#refusals++ < 100) this.#lastRefusal = withoutStacks(create);
    return this.#lastRefusal!;
  }
}

/** Notes the type of an entity for {@link resolveEntityType}. */
function named(type: string, entity: unknown): unknown {
  if (typeof entity !== 'object' || entity === null || entity instanceof Error) return entity;
  const known = typeNames.get(entity);
  // One object for two types: the second one gets a copy.
  const own: object = known === undefined || known === type ? entity : copyOf(entity);
  typeNames.set(own, type);
  return own;
}

function copyOf(entity: object): object {
  return Object.create(Object.getPrototypeOf(entity) as object | null, Object.getOwnPropertyDescriptors(entity)) as object;
}

function unknownType(name: unknown): Error {
  const got = typeof name === 'string' ? `, got "${name.slice(0, 100)}"` : '';
  const message = `Expected each representation to have the name of an object type or interface of this subgraph as its __typename${got}.`;
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

function wrongType(interfaceName: string, name: unknown): Error {
  return new Error(
    `Expected the type of a reference to the interface "${interfaceName}" to be the name of an object type that implements it, got ${describe(name)}. ` +
      `Write resolvers.${interfaceName}.__resolveType, or return an object with __typename.`,
  );
}

/** One call of `__resolveReferences`. */
class PluralCall {
  readonly type: string;
  readonly #resolve: NonNullable<ReturnType<References['of']>['all']>;
  readonly #references: unknown[] = [];
  #result: unknown;
  isMade = false;
  /** Resolves when the call has ended, well or not. Undefined: it was not asynchronous. */
  settled: Promise<void> | undefined;

  constructor(type: string, resolve: NonNullable<ReturnType<References['of']>['all']>) {
    this.type = type;
    this.#resolve = resolve;
  }

  get size(): number {
    return this.#references.length;
  }

  add(reference: unknown, proceed: (value: unknown) => unknown): Place {
    return new Place(this, this.#references.push(reference) - 1, proceed);
  }

  make(context: unknown, info: GraphQLResolveInfo): void {
    const { length } = this.#references;
    this.isMade = true;
    this.#result = attempt(() => whenSettled(this.#resolve(this.#references, context, info), (list) => this.#assertList(list, length)));
    if (this.#result instanceof Promise) this.settled = this.#result.then((list) => void (this.#result = list), ignore);
  }

  valueAt(index: number, proceed: (value: unknown) => unknown): unknown {
    if (this.#result instanceof Error) return this.#result;
    return whenSettled(this.#result, (list) => {
      const value: unknown = (list as readonly unknown[])[index];
      return value instanceof Error ? value : whenSettled(value, proceed);
    });
  }

  #assertList(list: unknown, length: number): readonly unknown[] {
    if (Array.isArray(list) && list.length === length) return list;
    handleRejections(list);
    const got = Array.isArray(list) ? `a list of ${list.length}` : describe(list);
    throw new Error(`The __resolveReferences of ${this.type} must return a list of ${length} (one value for each reference), got ${got}.`);
  }
}

/** The value of one reference in a plural call. */
class Place {
  readonly call: PluralCall;
  readonly #index: number;
  readonly #proceed: (value: unknown) => unknown;

  constructor(call: PluralCall, index: number, proceed: (value: unknown) => unknown) {
    this.call = call;
    this.#index = index;
    this.#proceed = proceed;
  }

  /** To be read after the call was made. */
  value(): unknown {
    return attempt(() => this.call.valueAt(this.#index, this.#proceed));
  }
}

/** The result, or what was thrown as an Error. Anything else that was thrown is a rejected promise, which the executor describes. */
function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown instanceof Error ? thrown : Promise.reject(thrown);
  }
}

function whenSettled(value: unknown, proceed: (value: unknown) => unknown): unknown {
  return whenReady(toPromise(value), proceed, undefined);
}

const ignore = (): void => {};
