import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { buildSchema, GraphQLString, parse, validate } from 'graphql';

import { isKnownValid } from '../../../../src/executor/validation/fast-validator.ts';

const schema = buildSchema(`
  directive @mark on FIELD | QUERY
  scalar Date
  enum Color { RED GREEN }
  input Box { size: Int! = 1  need: String!  inner: Box  colors: [Color!] }
  input Choice @oneOf { a: Int  b: Int }
  interface Node { id: ID! }
  type User implements Node { id: ID!  name(upper: Boolean, must: Int!): String  friends(first: Int = 3): [User!]! age: Int weight: Int }
  type Post implements Node { id: ID!  title: String  user: User  name: Int }
  type Stone { weight: Int }
  union Found = User | Post
  type Query { node: Node  found(at: Date, choice: Choice): Found  user: User  stone: Stone  boxes(box: Box, boxes: [Box!], id: ID, float: Float, int: Int, color: Color): Int  self: Query }
  type Mutation { write(text: String!): Boolean }
  type Subscription { ticks: Int }
`);

const surely = [
  '{ user { id name(must: 1) friends { id } } __typename }',
  'query ($c: Boolean!, $f: Int = 1) { user @skip(if: $c) { friends(first: $f) @include(if: true) @skip(if: false) { id } } }',
  '{ node { id ... on User { name(must: 1) } ...post } } fragment post on Post { title user { ...user } } fragment user on User { id }',
  '{ found { ... on Node { id } ... on User { age } __typename } }',
  '{ boxes(box: { need: "x", inner: { need: "y", size: 2 }, colors: RED }, boxes: [{ need: "z" }], id: 7, float: 1, int: -2147483648, color: GREEN) }',
  'query ($box: Box, $need: String!, $id: ID = 3, $color: Color) { boxes(box: $box, boxes: { need: $need, colors: [RED] }, id: $id, color: $color) }',
  '{ a: user { id } a: user { id age } self { self { user { id } } } }',
];

/** Valid documents with rules that only graphql-js checks completely. */
const doubtful = [
  'subscription { ticks }',
  '{ __schema { queryType { name } } }',
  'query @mark { user { id } }',
  '{ user @mark { id } }',
  '{ found(at: "2020-01-01") { __typename } }',
  '{ found(choice: { a: 1 }) { __typename } }',
  '{ node { ... on User { weight } ... on Post { weight: name } } }',
  'query ($first: Int) { user { friends(first: $first) { id } } boxes(box: { need: "x", size: $first }) }',
];

/** Mistakes that the random documents of the differential test hardly have. */
const wrong = [
  '{ user { id } } fragment unused on User { id }',
  'query A { user { id } } { user { id } }',
  'query ($a: User) { boxes(int: $a) }',
  '{ user { name } }',
  '{ user @nobody { id } }',
  '{ user @include(unless: true) { id } }',
  '{ user @skip(if: true) @skip(if: true) { id } }',
  '{ user { age ...a } } fragment a on User { age: weight }',
  '{ user { friends { a: age } friends { a: weight } } }',
  '{ user { friends(first: 1) { id } friends { id } } }',
  '{ boxes(id: "x") boxes(id: "y") }',
  '{ boxes(id: "x") boxes(id: """x""") }',
  '{ boxes(boxes: [{ need: "x" }]) boxes(boxes: [{ need: """x""" }]) }',
  '{ boxes(boxes: [{ need: "x" }]) boxes(boxes: [{ need: "x" }, { need: "y" }]) }',
  '{ boxes(color: BLUE) }',
];

describe('the fast validator', () => {
  for (const [what, texts, isValid, isKnown] of [
    ['accepted', surely, true, true],
    ['left to graphql-js, which accepts it', doubtful, true, false],
    ['left to graphql-js, which refuses it', wrong, false, false],
  ] as const)
    for (const text of texts)
      it(`${text} is ${what}`, () => {
        deepEqual([validate(schema, parse(text)).length === 0, isKnownValid(schema, parse(text))], [isValid, isKnown]);
      });

  it('gives up on a small document with exponentially many nodes', () => {
    const fragments = Array.from(
      { length: 20 },
      (_, at) => `fragment F${at} on Query { a: self { ...F${at + 1} } b: self { ...F${at + 1} } }`,
    );
    const text = `{ ...F0 } ${fragments.join(' ')} fragment F20 on Query { __typename }`;

    equal(isKnownValid(schema, parse(text)), false);
  });

  it('does not accept literals of a modified scalar', () => {
    const key = 'coerceInputLiteral' in GraphQLString ? 'coerceInputLiteral' : 'parseLiteral';
    const original = (GraphQLString as never)[key] as unknown;
    try {
      Object.assign(GraphQLString, { [key]: () => undefined });
      equal(isKnownValid(schema, parse('mutation { write(text: "x") }')), false);
    } finally {
      Object.assign(GraphQLString, { [key]: original });
    }
  });
});
