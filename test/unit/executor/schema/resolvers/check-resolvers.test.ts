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

const defined = 'which typeDefs do not define.';
const types = 'typeDefs define "Query", "Book", "Node", "Media", "Kind", "Filter", "Date".';
const map = 'resolvers take a resolver map such as { Query: { books: () => [] } }, or a list of them, got';
const ofType = 'resolvers.Query takes an object with a resolver for each field, got';
const ofField = 'resolvers.Query.books takes a function, or an object with resolve or subscribe, got';
const isCircular = 'undefined. Is it imported from a module that imports this one?';
const none = (): null => null;

const wrong: readonly (readonly [resolvers: unknown, message: string])[] = [
  [{ Quer: {} }, `resolvers name the type "Quer", ${defined} Did you mean "Query"? ${types}`],
  [{ media: none }, `resolvers name the type "media", ${defined} "media" is a field of Query: write { Query: { media } }. ${types}`],
  [{ default: {} }, `resolvers name the type "default", ${defined} Is it a module? Then write \`resolvers: module.default\`. ${types}`],
  [
    { Query: { boks: none } },
    'resolvers.Query names the field "boks", which "type Query" does not have. Did you mean "books"? It has "books", "now", "media", "one", "later".',
  ],
  [{ Query: { books: 'books' } }, `${ofField} a string. For a constant write a function that returns it: () => …`],
  [{ Query: { books: Promise.resolve([]) } }, `${ofField} a promise. Return the promise from a function: () => …`],
  [{ Query: { books: undefined } }, `${ofField} ${isCircular}`],
  [
    { Query: { books: { resolver: none } } },
    'resolvers.Query.books.resolver is not known: a resolver object takes resolve and subscribe. Did you mean "resolve"?',
  ],
  [{ Query: none }, `${ofType} a function.`],
  [{ Query: Promise.resolve({}) }, `${ofType} a promise. Await it first.`],
  [{ Query: undefined }, `${ofType} ${isCircular}`],
  ['resolvers', `${map} a string.`],
  [[{}, undefined], `${map} undefined.`],
  [Promise.resolve({}), `${map} a promise. Await it first.`],
  [[none], `${map} a function. Call it first.`],
  [{ Book: { __resolveType: none } }, 'resolvers.Book.__resolveType is not known: besides fields, "type Book" takes __isTypeOf.'],
  [{ Media: { title: none } }, 'resolvers.Media.title: "Media" is a union and has no fields; it takes __resolveType.'],
  [
    { Kind: { PAPR: 1 } },
    'resolvers.Kind names the value "PAPR", which "enum Kind" does not have. Did you mean "PAPER"? It has "PAPER", "AUDIO".',
  ],
  [{ Kind: { __resolveType: none } }, 'resolvers.Kind.__resolveType is not known: "enum Kind" takes no name that starts with "__".'],
  [{ Kind: { PAPER: none } }, 'resolvers.Kind.PAPER takes the internal value of "PAPER", got a function.'],
  [
    { Filter: { kind: none } },
    'resolvers.Filter: "Filter" is an input type; its fields are what the client sends and have no resolvers. Remove it.',
  ],
  [
    { Date: { serialise: none } },
    'resolvers.Date.serialise: a scalar takes serialize, parseValue and parseLiteral, or is a GraphQLScalarType. Did you mean "serialize"?',
  ],
  [{ String: { serialize: none } }, 'resolvers.String would change the built-in scalar "String". Define a scalar with another name.'],
];

/** The errors that prevent a production server from starting: no operation would find them. */
const refusedAtStart = /^resolvers name the type|^resolvers take a resolver map|would change the built-in scalar/;

describe('wrong resolvers are refused at start, in production some of them when an operation uses the type, and the error says what to write:', () => {
  for (const [resolvers, message] of wrong)
    test(message, () => {
      const create = (checkWhole: typeof findCheck | false) => createSchema({ typeDefs, resolvers: resolvers as never }, { checkWhole });

      const atStart = refusedAtStart.test(message);
      const schema = atStart ? undefined : create(false);
      const inProduction = () => (schema === undefined ? create(false) : touch(schema, Object.keys(resolvers as object)[0]!));

      assert.deepEqual([() => create(findCheck), inProduction, inProduction].map(refusalOf), [message, message, message]);
    });

  test('one field of a type that is read field by field', () => {
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
