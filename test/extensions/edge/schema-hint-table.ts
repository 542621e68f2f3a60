import type { Row } from './hint-table.ts';

/** Hints in the schema, of fields and types, with scopes, and how a selection combines them. */
export const schemaTable: readonly Row[] = [
  {
    name: 'a root field without a hint has the lifetime 0',
    typeDefs: 'type Query { droid: Droid } type Droid { id: ID! }',
    query: '{ droid { id } }',
    expected: 'private',
  },
  {
    name: 'a root field without a hint has the default lifetime',
    typeDefs: 'type Query { droid: Droid } type Droid { id: ID! }',
    query: '{ droid { id } }',
    defaultMaxAge: 10,
    expected: 10,
  },
  {
    name: 'a root field of a scalar type has the default lifetime too',
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
    name: 'a leaf without a hint sets no limit',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! name: String }',
    query: '{ droid { id name } }',
    expected: 60,
  },
  {
    name: 'a nested field with selections has the default lifetime',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] }',
    query: '{ droid { id friends { id } } }',
    expected: 'private',
  },
  {
    name: 'a field with inheritMaxAge has the lifetime of its parent',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid { id: ID! friends: [Droid] @cacheControl(inheritMaxAge: true) }',
    query: '{ droid { id friends { id } } }',
    expected: 60,
  },
  {
    name: 'inheritMaxAge of a type applies to fields of the type',
    typeDefs:
      'type Query { droid: Droid @cacheControl(maxAge: 60) } type Droid @cacheControl(inheritMaxAge: true) { id: ID! friends: [Droid] }',
    query: '{ droid { id friends { id } } }',
    expected: 60,
  },
  {
    name: 'inheritMaxAge has no effect at the root',
    typeDefs: 'type Query { droid: Droid @cacheControl(inheritMaxAge: true) } type Droid { id: ID! }',
    query: '{ droid { id } }',
    defaultMaxAge: 7,
    expected: 7,
  },
  {
    name: 'inheritMaxAge does not override the lifetime of a type',
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
    name: 'PRIVATE of a field that is not selected does not count',
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
    name: 'a field that is not included does not count',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) name: String }',
    query: 'query ($s: Boolean!) { droid { id } name @include(if: $s) }',
    variables: { s: false },
    expected: 60,
  },
  {
    name: 'the hints of all possible types of an interface count',
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
    name: 'introspection and __typename set no limit beside a field with a hint',
    typeDefs: 'type Query { droid: Droid @cacheControl(maxAge: 60) }',
    query: '{ __typename droid { __typename id } __schema { queryType { name } } }',
    expected: 60,
  },
  {
    name: 'an operation without hints, such as { __typename }, is not kept',
    typeDefs: 'type Query { name: String }',
    query: '{ __typename }',
    expected: 'private',
  },
  {
    name: 'a negative maxAge sets no lifetime',
    typeDefs: 'type Query { name: String @cacheControl(maxAge: -5) }',
    query: '{ name }',
    expected: 'private',
  },
];
