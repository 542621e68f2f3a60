import assert from 'node:assert/strict';
import { test } from 'node:test';

import { buildSchema, parse } from 'graphql';

import { findChanges } from '../../../../src/tools/cli/against/find-changes.ts';
import type { KnownOperation } from '../../../../src/tools/cli/against/find-changes.ts';

const schema = `
  directive @upper(first: Boolean, last: Boolean) on FIELD
  type Query {
    node(id: ID!): Node
    search(filter: Filter, sort: Sort = NAME, first: Int): [Result!]
    book: Book
    time: Time
    count: Int
  }
  interface Node { id: ID! }
  type Book implements Node { id: ID! title: String! author: Author }
  type Author implements Node { id: ID! name: String }
  type Film { title: String }
  union Result = Book | Film
  input Filter { text: String, sort: Sort, and: [Filter!] }
  enum Sort { NAME DATE PAGES }
  scalar Time
`;

/** Each change, an operation that uses what has changed, and one that does not. */
const cases: readonly (readonly [name: string, from: string, to: string, uses: string, other: string])[] = [
  ['a removed field', 'title: String! author', 'author', '{ book { title } }', '{ search { ... on Film { title } } }'],
  ['a field that may be null', 'title: String!', 'title: String', '{ search { ... on Book { title } } }', '{ book { id } }'],
  [
    'a field in a fragment',
    'name: String',
    'name: Int',
    '{ node(id: 1) { ...A } } fragment A on Author { name }',
    '{ node(id: 1) { ... on Author { id } } }',
  ],
  ['a removed argument', ', first: Int', '', '{ search(first: 1) { __typename } }', '{ search { __typename } }'],
  ['a required argument', 'book: Book', 'book(id: ID!): Book', '{ book { id } }', '{ search { ... on Book { id } } }'],
  ['an argument that becomes required', 'first: Int', 'first: Int!', '{ search(first: 1) { __typename } }', '{ book { id } }'],
  ['a removed value in a literal', ' PAGES', '', '{ search(sort: PAGES) { __typename } }', '{ search(sort: NAME) { __typename } }'],
  [
    'a removed value of a variable',
    ' PAGES',
    '',
    'query ($s: Sort) { search(sort: $s) { __typename } }',
    '{ search(sort: DATE) { __typename } }',
  ],
  [
    'a removed value in an input variable',
    ' PAGES',
    '',
    'query ($f: [Filter!]) { search(filter: { and: $f }) { __typename } }',
    '{ search(filter: { sort: DATE }) { __typename } }',
  ],
  [
    'a removed input field',
    'text: String, ',
    '',
    '{ search(filter: { and: [{ text: "a" }] }) { __typename } }',
    '{ search(filter: { sort: DATE }) { __typename } }',
  ],
  [
    'a required input field',
    'text: String',
    'text: String, more: Int!',
    '{ search(filter: { text: "a" }) { __typename } }',
    '{ search(sort: DATE) { __typename } }',
  ],
  ['a type removed from a union', 'Book | Film', 'Book', '{ search { ... on Film { title } } }', '{ search { ... on Book { id } } }'],
  [
    'an interface no longer implemented',
    'Author implements Node',
    'Author',
    '{ node(id: 1) { ... on Author { name } } }',
    '{ book { author { name } } }',
  ],
  ['another kind of type', 'scalar Time', 'enum Time { NOW }', '{ time }', '{ book { id } }'],
  ['a removed directive', 'directive @upper(first: Boolean, last: Boolean) on FIELD', '', '{ time @upper }', '{ time @skip(if: true) }'],
  ['a removed argument of a directive', ', last: Boolean', '', '{ time @upper(last: true) }', '{ time @upper(first: true) }'],
];

function known(label: string, text: string): KnownOperation {
  return { label, document: parse(text) };
}

for (const [name, from, to, uses, other] of cases) {
  test(`${name} breaks the operation that uses it, and no other`, () => {
    const earlier = buildSchema(schema);
    const current = buildSchema(schema.replace(from, to));
    const breaking = (operations: readonly KnownOperation[]): unknown[] =>
      findChanges(earlier, current, operations)
        .filter(({ level }) => level !== 'dangerous')
        .map(({ level, operations: users }) => [level, ...users]);

    assert.deepEqual(breaking([]), [['breaking']]);
    assert.deepEqual(breaking([known('uses', uses), known('other', other)]), [['breaking', 'uses']]);
    assert.deepEqual(breaking([known('other', other)]), [['unused']]);
  });
}

test('operations that are invalid in the earlier schema count for the fields that they use', () => {
  const current = buildSchema(schema.replace('title: String! author', 'author'));
  const operation = known('new', 'query ($a: Missing) { missing { a } book(no: PAGES) { title(x: {y: $a}) ... on Nothing { b } } }');

  assert.deepEqual(
    findChanges(buildSchema(schema), current, [operation]).map(({ operations }) => operations),
    [['new']],
  );
});
