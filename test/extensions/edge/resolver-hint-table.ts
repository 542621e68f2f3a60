import { droid, hint } from './hint-table.ts';
import type { Info, Row } from './hint-table.ts';

/** Hints that resolvers set through `info.cacheControl`. */
export const resolverTable: readonly Row[] = [
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
