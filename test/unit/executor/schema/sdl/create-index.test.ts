import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { isGraphQL17 } from '../../../../../src/executor/graphql-version.ts';
import { findCheck } from '../../../../../src/server/startup/load-tools.ts';
import { createSchema } from '../../../../../src/executor/schema/create-schema.ts';

function ours(typeDefs: readonly string[]): GraphQLSchema {
  return createSchema({ typeDefs }, { checkWhole: findCheck });
}

describe('a second definition of a type is an extension, as with @graphql-tools/schema', () => {
  for (const [what, typeDefs] of Object.entries({
    'different fields': ['type Query { a: Int }', 'type Query { b: Int } type Query { "c" c(x: Int): Int @deprecated }'],
    interfaces: ['type Query implements A { a: Int } interface A { a: Int } interface B { b: Int }', 'type Query implements B { b: Int }'],
    unions: ['union U = A | B type A { a: Int } type Query { u: U }', 'union U = C type B { a: Int } type C { a: Int }'],
    enums: ['enum E { A B } type Query { e: E }', 'enum E { C @deprecated }'],
    'input types': ['input In { a: Int = 1 b: Int } type Query { a(in: In): Int }', 'input In { c: Int = 2 }'],
    'schema definitions': ['schema { query: Q } type Q { a: Int } type M { a: Int }', 'schema { query: Q mutation: M }'],
  })) {
    test(what, () => {
      const theirs = makeExecutableSchema({ typeDefs });

      // Sorted, because @graphql-tools/schema puts the later of two enums first, and an extension in its position in the text.
      assert.equal(printSchema(lexicographicSortSchema(ours(typeDefs))), printSchema(lexicographicSortSchema(theirs)));
    });
  }
});

for (const more of ['extend interface Book @tag', 'interface Book { pages: Int }'])
  test(`an interface keeps the interfaces that it implements, with ${more}`, () => {
    const typeDefs = `
      directive @tag on INTERFACE
      type Query implements Shelf { first: Book }
      interface Shelf { first: Item }
      interface Item { id: ID }
      interface Book implements Item { id: ID }
      ${more}`;

    assert.equal(String(ours([typeDefs]).getType('Book')), 'Book');
  });

describe('conflicting definitions with the same name are refused, at start and without the check of the whole schema', () => {
  for (const [typeDefs, message] of [
    [['type Query { a: Int }', 'type Query { a: Int }'], 'typeDefs define Query.a twice. Define it once.'],
    [['type Query { a: Int }', 'type A { a: Int a: Int } type A { b: Int }'], 'typeDefs define A.a twice. Define it once.'],
    [['type Query { a: Int } directive @a on FIELD', 'directive @a on FIELD'], 'typeDefs define the directive "@a" twice. Define it once.'],
    [
      ['type Query { a: Int } type A { a: Int }', 'input A { a: Int }'],
      'typeDefs use the name "A" for two things: "type A" and "input A". Rename one.',
    ],
    [
      ['type Query { a: Int }', 'extend type Book { b: Int }'],
      'typeDefs extend the type "Book", but do not define it. Write "type Book" without "extend" once.',
    ],
  ] as const)
    test(message, () => {
      assert.throws(() => createSchema({ typeDefs }, { checkWhole: false }), { message });
    });
});

test('an error in a merged definition has its location in the original text', () => {
  assert.throws(
    () => createSchema({ typeDefs: ['type Query { a: Int }', 'type Query {\n  b: Int = 1\n}'] }, { checkWhole: false }),
    /typeDefs\[1\], line 2, column 10/,
  );
});

describe('directives on directive definitions', () => {
  const uses = ['directive @a @b on FIELD directive @b on DIRECTIVE_DEFINITION', 'directive @a on FIELD extend directive @a @deprecated'];

  for (const text of uses)
    test(`${isGraphQL17 ? 'are read' : 'are an error with graphql 16, which names graphql 17'}: ${text}`, () => {
      const read = (): GraphQLSchema => ours([`type Query { a: Int } ${text}`]);

      if (isGraphQL17) assert.equal(printSchema(read()), printSchema(buildSchema(`type Query { a: Int } ${text}`)));
      else
        assert.throws(
          read,
          /Directives on directive definitions need graphql 17; this is graphql 16\.\d+\.\d+\.\n\ntypeDefs, line 1, column/,
        );
    });

  test('that extend an undefined directive are an error', { skip: !isGraphQL17 && 'graphql 17' }, () => {
    assert.throws(
      () => ours(['directive @owner on FIELD type Query { a: Int } extend directive @ownr @deprecated']),
      /typeDefs extend the directive "@ownr", but do not define it\. Did you mean "owner"\?/,
    );
  });
});
