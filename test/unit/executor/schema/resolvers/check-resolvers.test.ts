import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { findCheck } from '../../../../../src/server/startup/load-tools.ts';
import { createSchema } from '../../../../../src/executor/schema/create-schema.ts';

const typeDefs = `
  type Query { books: [Book] now: Date media: [Media] one(in: Filter): Node }
  type Book implements Node { id: ID title: String kind: Kind }
  interface Node { id: ID }
  union Media = Book
  enum Kind { PAPER AUDIO }
  input Filter { kind: Kind }
  scalar Date
  extend type Query { later: Int }`;

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof GraphQLError));
    return error.message;
  }
  throw new Error('They were accepted.');
}

/** Builds a type as operations that use it do. */
function touch(schema: GraphQLSchema, name: string): void {
  const type = schema.getType(name);
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) type.getFields();
  if (isEnumType(type)) type.getValues();
}

const wrong = [
  [
    'name an unknown type',
    { Quer: {} },
    'resolvers name the type "Quer", which typeDefs do not define. Did you mean "Query"? typeDefs define "Query", "Book", "Node", "Media", "Kind", "Filter", "Date".',
  ],
  [
    'name a field where its type should be',
    { media: () => [] },
    'resolvers name the type "media", which typeDefs do not define. "media" is a field of Query: write { Query: { media } }. typeDefs define "Query", "Book", "Node", "Media", "Kind", "Filter", "Date".',
  ],
  [
    'are a module',
    { default: {} },
    'resolvers name the type "default", which typeDefs do not define. Is it a module? Then write `resolvers: module.default`. typeDefs define "Query", "Book", "Node", "Media", "Kind", "Filter", "Date".',
  ],
  [
    'name an unknown field',
    { Query: { boks: () => [] } },
    'resolvers.Query names the field "boks", which "type Query" does not have. Did you mean "books"? It has "books", "now", "media", "one", "later".',
  ],
  [
    'give a field a string',
    { Query: { books: 'books' } },
    'resolvers.Query.books takes a function, or an object with resolve or subscribe, got a string. For a constant write a function that returns it: () => …',
  ],
  [
    'give a field an object without resolve or subscribe',
    { Query: { books: { resolver: () => [] } } },
    'resolvers.Query.books.resolver is not known: a resolver object takes resolve and subscribe. Did you mean "resolve"?',
  ],
  ['give a type a function', { Query: () => ({}) }, 'resolvers.Query takes an object with a resolver for each field, got a function.'],
  ['are text', 'resolvers', 'resolvers take a resolver map such as { Query: { books: () => [] } }, or a list of them, got a string.'],
  [
    'have a hole in their list',
    [{}, undefined],
    'resolvers take a resolver map such as { Query: { books: () => [] } }, or a list of them, got undefined.',
  ],
  [
    'give an object type __resolveType',
    { Book: { __resolveType: () => '' } },
    'resolvers.Book.__resolveType is not known: besides fields, "type Book" takes __isTypeOf.',
  ],
  [
    'give a union fields',
    { Media: { title: () => '' } },
    'resolvers.Media.title: "Media" is a union and has no fields; it takes __resolveType.',
  ],
  [
    'give an enum an unknown value',
    { Kind: { PAPR: 1 } },
    'resolvers.Kind names the value "PAPR", which "enum Kind" does not have. Did you mean "PAPER"? It has "PAPER", "AUDIO".',
  ],
  [
    'give an enum a name of the type system',
    { Kind: { __resolveType: () => '' } },
    'resolvers.Kind.__resolveType is not known: "enum Kind" takes no name that starts with "__".',
  ],
  [
    'give an enum value a function',
    { Kind: { PAPER: () => 1 } },
    'resolvers.Kind.PAPER takes the internal value of "PAPER", got a function.',
  ],
  [
    'give an input type resolvers',
    { Filter: { kind: () => 1 } },
    'resolvers.Filter: "Filter" is an input type; its fields are what the client sends and have no resolvers. Remove it.',
  ],
  [
    'give a scalar an unknown function',
    { Date: { serialise: () => '' } },
    'resolvers.Date.serialise: a scalar takes serialize, parseValue and parseLiteral, or is a GraphQLScalarType. Did you mean "serialize"?',
  ],
  [
    'would change a built-in scalar',
    { String: { serialize: () => '' } },
    'resolvers.String would change the built-in scalar "String". Define a scalar with another name.',
  ],
] as const;

/** The errors that prevent a production server from starting: no operation would find them. */
const refusedAtStart = /^resolvers name the type|^resolvers take a resolver map|would change the built-in scalar/;

describe('resolvers are refused at start if the whole schema is checked, and the error says what to write, when they', () => {
  for (const [what, resolvers, message] of wrong) {
    test(what, () => {
      assert.equal(
        refusalOf(() => createSchema({ typeDefs, resolvers: resolvers as never }, { checkWhole: findCheck })),
        message,
      );
    });
  }
});

describe('a production server refuses a type that is not defined at start, and other mistakes when an operation uses the type, when resolvers', () => {
  for (const [what, resolvers, message] of wrong) {
    test(what, () => {
      const create = (): GraphQLSchema => createSchema({ typeDefs, resolvers: resolvers as never }, { checkWhole: false });
      if (refusedAtStart.test(message)) return assert.equal(refusalOf(create), message);

      const schema = create();

      const refusals = [1, 2].map(() => refusalOf(() => touch(schema, Object.keys(resolvers)[0]!)));
      return assert.deepEqual(refusals, [message, message]);
    });
  }

  test('are invalid for one field of a type that is read field by field', () => {
    const fields = Array.from({ length: 100 }, (_, at) => `"The field of number ${at}." field${at}: Int`).join('\n');
    const resolvers = { Query: { field7: () => 7, field8: 8 } };

    const schema = createSchema({ typeDefs: `type Query { ${fields} }`, resolvers: resolvers as never }, { checkWhole: false });

    assert.match(
      refusalOf(() => schema.getQueryType()?.getFields()),
      /^resolvers\.Query\.field8 takes a function/,
    );
  });
});

test('an input type may have an empty map', () => {
  assert.ok(createSchema({ typeDefs, resolvers: { Filter: {} } as never }, { checkWhole: findCheck }));
});

describe('what is no resolver map, or no resolver, is refused with what to do about it:', () => {
  const map = 'resolvers take a resolver map such as { Query: { books: () => [] } }, or a list of them, got';
  const ofType = 'resolvers.Query takes an object with a resolver for each field, got';
  const ofField = 'resolvers.Query.books takes a function, or an object with resolve or subscribe, got';
  const isCircular = 'undefined. Is it imported from a module that imports this one?';
  const rows: readonly (readonly [resolvers: unknown, message: string])[] = [
    [Promise.resolve({}), `${map} a promise. Await it first.`],
    [[() => ({})], `${map} a function. Call it first.`],
    [{ Query: Promise.resolve({}) }, `${ofType} a promise. Await it first.`],
    [{ Query: undefined }, `${ofType} ${isCircular}`],
    [{ Query: { books: Promise.resolve([]) } }, `${ofField} a promise. Return the promise from a function: () => …`],
    [{ Query: { books: undefined } }, `${ofField} ${isCircular}`],
  ];
  for (const [resolvers, message] of rows)
    test(message, () => {
      assert.equal(
        refusalOf(() => createSchema({ typeDefs, resolvers: resolvers as never }, { checkWhole: findCheck })),
        message,
      );
    });
});
