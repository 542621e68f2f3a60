import { droid, hint } from './hint-table.ts';
import type { Info, Row } from './hint-table.ts';

const secretNode = `type Query { dynamic: Node @cacheControl(maxAge: 90) node: Node @cacheControl(maxAge: 90) } interface Node { id: ID! }
  type Secret implements Node @cacheControl(maxAge: 90, scope: PRIVATE) { id: ID! }`;

/** Hints that resolvers set through `info.cacheControl`. */
export const resolverTable: readonly Row[] = [
  {
    name: 'a resolver replaces the hint of the schema with a longer one',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 100,
  },
  {
    name: 'a resolver sets a lifetime if the schema does not',
    typeDefs: 'type Query { dynamic: Droid }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 100,
  },
  {
    name: 'a resolver sets the scope PRIVATE',
    typeDefs: 'type Query { dynamic: Droid @cacheControl(maxAge: 60) }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ scope: 'PRIVATE' }) } },
    expected: 'private',
  },
  {
    name: 'a scope alone sets no lifetime',
    typeDefs: 'type Query { dynamic: Droid }',
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ scope: 'PUBLIC' }) } },
    expected: 'private',
  },
  {
    name: 'restrict cannot lengthen a lifetime',
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
    name: 'the hints of other fields count in addition to that of a resolver',
    typeDefs: 'type Query { dynamic: Droid droid: Droid @cacheControl(maxAge: 50) }',
    query: '{ dynamic { id } droid { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 100 }) } },
    expected: 50,
  },
  {
    name: 'the strictest hint of the items of a list counts',
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
    name: 'a hint that a resolver sets after a wait counts',
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
    name: 'cacheHintFromType returns the hint of the type',
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
    name: 'restrict sets a lifetime if the schema does not',
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
  {
    name: 'the lifetime of a resolver does not replace PRIVATE of a type behind an interface',
    typeDefs: secretNode,
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 60 }) }, Node: { __resolveType: () => 'Droid' } },
    expected: 'private',
  },
  {
    name: 'PUBLIC of a resolver replaces PRIVATE of a type behind an interface',
    typeDefs: secretNode,
    query: '{ dynamic { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 60, scope: 'PUBLIC' }) }, Node: { __resolveType: () => 'Droid' } },
    expected: 60,
  },
  {
    name: 'the hint of a resolver leaves those of other fields as strict as without it',
    typeDefs: secretNode,
    query: '{ dynamic { id } node { id } }',
    resolvers: { Query: { dynamic: hint({ maxAge: 60, scope: 'PUBLIC' }) }, Node: { __resolveType: () => 'Droid' } },
    expected: 'private',
  },
];
