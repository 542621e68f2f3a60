/** One case of how hints make a lifetime: what Apollo Server's cache-control plugin does, as a table. */
export interface Row {
  readonly name: string;
  readonly typeDefs: string;
  readonly query: string;
  readonly variables?: object;
  readonly defaultMaxAge?: number;
  /** Seconds, or 'private' for an answer that nobody may keep. */
  readonly expected: number | 'private';
  readonly resolvers?: object;
}

const droid = { id: '1', name: 'R2', friends: [{ id: '2', name: 'Luke', friends: [] }] };
/** What root fields resolve to. */
export const root = {
  droid,
  droids: [droid, droid],
  name: 'x',
  node: { __typename: 'Droid', ...droid },
  dynamic: droid,
  none: null,
};

// Any: the schema, the path and the hints that a resolver reaches into.
type Info = any;
/** A resolver that gives a hint. */
export const hint = (given: object) => (_: unknown, __: unknown, ___: unknown, info: Info) => {
  info.cacheControl.setCacheHint(given);
  return droid;
};

/** All of them. */
export const table: readonly Row[] = [
  {
    name: 'a root field without a hint counts for 0',
    typeDefs: 'type Query { droid: Droid } type Droid { id: ID! }',
    query: '{ droid { id } }',
    expected: 'private',
  },
  {
    name: 'a root field without a hint counts for the default',
    typeDefs: 'type Query { droid: Droid } type Droid { id: ID! }',
    query: '{ droid { id } }',
    defaultMaxAge: 10,
    expected: 10,
  },
  {
    name: 'a scalar of the root counts for the default, too',
    typeDefs: 'type Query { name: String }',
    query: '{ name }',
    expected: 'private',
  },
  {
    name: 'the hint of a field counts',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! }',
    query: '{ droid { id } }',
    expected: 60,
  },
  {
    name: 'the hint of a type counts',
    typeDefs: 'type Query { droid: Droid } type Droid @cacheControl(maxAge: 60) { id: ID! }',
    query: '{ droid { id } }',
    expected: 60,
  },
  {
    name: 'the hint of a field replaces that of its type',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 120) } type Droid @cacheControl(maxAge: 60) { id: ID! }',
    query: '{ droid { id } }',
    expected: 120,
  },
  {
    name: 'the hint of a type extension counts',
    typeDefs: 'type Query { droid: Droid } type Droid { id: ID! } extend type Droid @cacheControl(maxAge: 30)',
    query: '{ droid { id } }',
    expected: 30,
  },
  {
    name: 'the smallest of all hints wins',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(maxAge: 5) }',
    query: '{ droid { id name } }',
    expected: 5,
  },
  {
    name: 'a leaf without a hint counts for nothing',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String }',
    query: '{ droid { id name } }',
    expected: 60,
  },
  {
    name: 'a field with selections below the root counts for the default',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] }',
    query: '{ droid { id friends { id } } }',
    expected: 'private',
  },
  {
    name: 'inheritMaxAge of a field takes the lifetime of its parent',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true) }',
    query: '{ droid { id friends { id } } }',
    expected: 60,
  },
  {
    name: 'inheritMaxAge of a type does so for its fields',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid @cacheControl(inheritMaxAge: true) { id: ID! friends: [Droid] }',
    query: '{ droid { id friends { id } } }',
    expected: 60,
  },
  {
    name: 'inheritMaxAge means nothing at the root',
    typeDefs: 'type Query { droid: Droid @cacheControl(inheritMaxAge: true) } type Droid { id: ID! }',
    query: '{ droid { id } }',
    defaultMaxAge: 7,
    expected: 7,
  },
  {
    name: 'a type with a lifetime of its own is not overruled by inheritMaxAge',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid @cacheControl(maxAge: 20) { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true) }',
    query: '{ droid { id friends { id } } }',
    expected: 20,
  },
  {
    name: 'PRIVATE wins',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(scope: PRIVATE) }',
    query: '{ droid { name } }',
    expected: 'private',
  },
  {
    name: 'PRIVATE of a field that is not asked for does not count',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(scope: PRIVATE) }',
    query: '{ droid { id } }',
    expected: 60,
  },
  {
    name: 'PRIVATE with inheritMaxAge counts',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true, scope: PRIVATE) }',
    query: '{ droid { friends { id } } }',
    expected: 'private',
  },
  {
    name: 'fields of fragments count',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String @cacheControl(maxAge: 5) }',
    query: '{ droid { ...F } } fragment F on Droid { ... { name } }',
    expected: 5,
  },
  {
    name: 'a skipped field does not count',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) name: String }',
    query: 'query ($s: Boolean = true) { droid { id } name @skip(if: $s) }',
    expected: 60,
  },
  {
    name: 'an included field counts',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) name: String }',
    query: 'query ($s: Boolean!) { droid { id } name @include(if: $s) }',
    variables: { s: true },
    expected: 'private',
  },
  {
    name: 'one not included does not',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) name: String }',
    query: 'query ($s: Boolean!) { droid { id } name @include(if: $s) }',
    variables: { s: false },
    expected: 60,
  },
  {
    name: 'of an interface the types that may stand there count',
    typeDefs:
      'type Query { node: Node @cacheControl(maxAge: 60) } interface Node { id: ID! } type Droid implements Node { id: ID! name: String @cacheControl(maxAge: 9) }',
    query: '{ node { id ... on Droid { name } } }',
    expected: 9,
  },
  {
    name: 'aliases change nothing',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) }',
    query: '{ a: droid { id } b: droid { x: id } }',
    expected: 60,
  },
  {
    name: 'introspection and __typename count for nothing beside a hinted field',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) }',
    query: '{ __typename droid { __typename id } __schema { queryType { name } } }',
    expected: 60,
  },
  {
    name: 'an operation without hints, as of __typename alone, is not kept',
    typeDefs: 'type Query { name: String }',
    query: '{ __typename }',
    expected: 'private',
  },
  {
    name: 'a negative maxAge is no lifetime',
    typeDefs: 'type Query { name: String @cacheControl(maxAge: -5) }',
    query: '{ name }',
    expected: 'private',
  },
  {
    name: 'a resolver replaces the hint of the schema by a longer one',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 100,
  },
  {
    name: 'a resolver says how long where the schema does not',
    typeDefs: 'type Query { dynamic: Droid }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 100,
  },
  {
    name: 'a resolver says PRIVATE',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ scope: 'PRIVATE' }) } },
    expected: 'private',
  },
  {
    name: 'a scope alone is no lifetime',
    typeDefs: 'type Query { dynamic: Droid }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ scope: 'PUBLIC' }) } },
    expected: 'private',
  },
  {
    name: 'restrict cannot lengthen',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: {
      Query: {
        dynamic: (_: unknown, __: unknown, ___: unknown, { cacheControl }: Info) => (
          cacheControl.cacheHint.restrict({ maxAge: 100 }),
          cacheControl.cacheHint.restrict({ maxAge: 40 }),
          droid
        ),
      },
    },
    expected: 40,
  },
  {
    name: 'other fields count beside what a resolver says',
    typeDefs: 'type Query { dynamic: Droid droid: Droid @cacheControl(maxAge: 50) }',
    query: '{ dynamic { id } droid { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 50,
  },
  {
    name: 'of the items of a list the strictest counts',
    typeDefs: 'type Query { droids: [Droid] @cacheControl(maxAge: 60) }',
    query: '{ droids { name } }',
    resolvers: {
      Droid: {
        name: (_: unknown, __: unknown, ___: unknown, { path, cacheControl }: Info) =>
          cacheControl.setCacheHint({ maxAge: path.prev.key === 1 ? 8 : 90 }),
      },
    },
    expected: 8,
  },
  {
    name: 'a hint that comes late in a resolver counts',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: {
      Query: {
        dynamic: async (_: unknown, __: unknown, ___: unknown, info: Info) => {
          await Promise.resolve();
          info.cacheControl.setCacheHint({ maxAge: 3 });
          return droid;
        },
      },
    },
    expected: 3,
  },
  {
    name: 'cacheHintFromType says what the type has',
    typeDefs:
      'type Query { dynamic: Node @cacheControl(maxAge: 60) } interface Node { id: ID! } type Special implements Node @cacheControl(maxAge: 33) { id: ID! }',
    query: '{ dynamic { id } }',
    resolvers: {
      Node: { __resolveType: () => 'Droid' },
      Query: {
        dynamic: (_: unknown, __: unknown, ___: unknown, { cacheControl, schema }: Info) => (
          cacheControl.setCacheHint(cacheControl.cacheHintFromType(schema.getType('Special'))),
          droid
        ),
      },
    },
    expected: 33,
  },
  {
    name: 'restrict says how long where the schema does not',
    typeDefs: 'type Query { dynamic: Droid }',
    query: '{ dynamic { id } }',
    defaultMaxAge: 10,
    resolvers: {
      Query: {
        dynamic: (_: unknown, __: unknown, ___: unknown, { cacheControl }: Info) => (
          cacheControl.cacheHint.restrict({ maxAge: 60 }),
          droid
        ),
      },
    },
    expected: 60,
  },
];
