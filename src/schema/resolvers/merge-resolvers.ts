/** What resolvers are given for one type: by field, enum value, scalar function, or `__resolveType`. */
export type MergedTypeResolvers = Readonly<Record<string, unknown>>;

/** The resolvers of every type that has any. */
export type MergedResolvers = ReadonlyMap<string, MergedTypeResolvers>;

/**
 * Several resolver maps as one: type by type, of two resolvers for one field the later, of two resolver
 * objects for one field both. Throws an Error that says what to write when a map has the wrong shape.
 */
export function mergeResolvers(resolvers: unknown): MergedResolvers {
  const merged = new Map<string, MergedTypeResolvers>();
  for (const map of listOfMaps(resolvers)) {
    for (const [type, added] of Object.entries(assertMap(map))) {
      merged.set(type, mergeType(merged.get(type), assertTypeResolvers(type, added)));
    }
  }
  return merged;
}

/** Whether a value is a `GraphQLScalarType`, of any copy of graphql. */
export function isScalarType(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object GraphQLScalarType]';
}

/** `a string`, `an array`, `a promise`: what a value is, for an error message. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return 'then' in value && typeof value.then === 'function' ? 'a promise' : 'an object';
}

function listOfMaps(resolvers: unknown): readonly unknown[] {
  if (resolvers === undefined) return [];
  // Lists in lists too: a module may export its own list of maps.
  return Array.isArray(resolvers) ? resolvers.flat(Number.POSITIVE_INFINITY) : [resolvers];
}

function assertMap(map: unknown): object {
  const kind = describeValue(map);
  if (kind === 'an object') return map as object;
  const hint = kind === 'a promise' ? ' Await it first.' : kind === 'a function' ? ' Call it first.' : '';
  throw new Error(`resolvers take a resolver map such as { Query: { books: () => [] } }, or a list of them, got ${kind}.${hint}`);
}

function assertTypeResolvers(type: string, resolvers: unknown): object {
  const kind = describeValue(resolvers);
  if (kind === 'an object') return resolvers as object;
  const hint =
    kind === 'undefined' ? ' Is it imported from a module that imports this one?' : kind === 'a promise' ? ' Await it first.' : '';
  throw new Error(`resolvers.${type} takes an object with a resolver for each field, got ${kind}.${hint}`);
}

function mergeType(earlier: MergedTypeResolvers | undefined, added: object): MergedTypeResolvers {
  // A scalar is one thing, not a set of functions to choose from.
  if (isScalarType(added)) return added as MergedTypeResolvers;
  // Without a prototype, so that a field called `toString` has no resolver unless one is given.
  const merged: Record<string, unknown> = Object.assign(Object.create(null), earlier);
  for (const name of namesOf(added)) merged[name] = mergeResolver(merged[name], bound(added, name));
  return merged;
}

/** As in @graphql-tools/schema, `this` in a resolver is the map it stands in: instances of classes need it. */
function bound(map: object, name: string): unknown {
  const resolver = (map as Record<string, unknown>)[name];
  return typeof resolver === 'function' ? resolver.bind(map) : resolver;
}

/** The names in an object and, for an instance of a class, those of its methods. */
function namesOf(object: object): Set<string> {
  const names = new Set<string>();
  for (let owner = object; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    const own = owner === object ? Object.keys(owner) : Object.getOwnPropertyNames(owner);
    for (const name of own) if (owner === object || name !== 'constructor') names.add(name);
  }
  return names;
}

function mergeResolver(earlier: unknown, later: unknown): unknown {
  return isPlain(earlier) && isPlain(later) ? { ...earlier, ...later } : later;
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
