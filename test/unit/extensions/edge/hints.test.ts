import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { isAbstractType, isLeafType, isListType } from 'graphql';
import type { GraphQLFieldResolver, GraphQLOutputType, GraphQLSchema } from 'graphql';

import type { EdgeDecision } from '../../../../src/entries/edge.ts';
import { batch } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import { rowsOf } from '../../../support/text-table.ts';

type Lifetime = number | 'private';

/**
 * The rules. Below each: a schema, an operation, and after an arrow its lifetime in seconds, by a default lifetime if there is one. Every
 * field has a value; an abstract type is its first object type.
 */
const rules = rowsOf(
  `
  a root field without a hint has the lifetime 0
    → type Query { a: A } type A { id: ID } → { a { id } } → private
  a root field without a hint has the default lifetime
    → type Query { a: A } type A { id: ID } → { a { id } } → 10 → 10
  a root field of a scalar type too
    → type Query { a: String } → { a } → private
  an operation without hints is not kept
    → type Query { a: String } → { __typename } → private
  a negative maxAge sets no lifetime
    → type Query { a: String @cacheControl(maxAge: -5) } → { a } → private
  the hint of a field counts
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID } → { a { id } } → 60
  the hint of a type counts
    → type Query { a: A } type A @cacheControl(maxAge: 60) { id: ID } → { a { id } } → 60
  the hint of a type extension counts
    → type Query { a: A } type A { id: ID } extend type A @cacheControl(maxAge: 30) → { a { id } } → 30
  the hint of a field replaces that of its type
    → type Query { a: A @cacheControl(maxAge: 120) } type A @cacheControl(maxAge: 60) { id: ID } → { a { id } } → 120
  maxAge 0 of a type overrides the default
    → type Query { a: A } type A @cacheControl(maxAge: 0) { id: ID } → { a { id } } → private → 10
  the smallest of all hints wins
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID b: Int @cacheControl(maxAge: 5) } → { a { id b } } → 5
  fields of fragments count
    → type Query { a: A @cacheControl(maxAge: 60) } type A { b: Int @cacheControl(maxAge: 5) } → { a { ...F } } fragment F on A { ... { b } } → 5
  a nested field with selections has the default lifetime
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID more: [A] } → { a { more { id } } } → private
  a field with inheritMaxAge has the lifetime of its parent
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID more: [A] @cacheControl(inheritMaxAge: true) } → { a { more { id } } } → 60
  a nested field can shorten an inherited lifetime
    → type Query { a: A @cacheControl(maxAge: 60) } type A { b: Int @cacheControl(maxAge: 5) more: [A] @cacheControl(inheritMaxAge: true) } → { a { more { b } } } → 5
  a field that does not inherit has the default, even below one that inherits
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID kept: A @cacheControl(inheritMaxAge: true) more: A } → { a { kept { more { id } } } } → private
  inheritMaxAge of a type applies to fields of the type
    → type Query { a: A @cacheControl(maxAge: 60) } type A @cacheControl(inheritMaxAge: true) { id: ID kept: A } → { a { kept { id } } } → 60
  inheritMaxAge has no effect at the root
    → type Query { a: A @cacheControl(inheritMaxAge: true) } type A { id: ID } → { a { id } } → 7 → 7
  inheritMaxAge does not override the lifetime of a type
    → type Query { a: A @cacheControl(maxAge: 120) } type A @cacheControl(maxAge: 60) { id: ID kept: A @cacheControl(inheritMaxAge: true) } → { a { kept { id } } } → 60
  PRIVATE wins
    → type Query { a: A @cacheControl(maxAge: 60) } type A { b: Int @cacheControl(scope: PRIVATE) } → { a { b } } → private
  PRIVATE with inheritMaxAge counts
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID b: A @cacheControl(inheritMaxAge: true, scope: PRIVATE) } → { a { b { id } } } → private
  the lifetime of a field keeps the scope of its type
    → type Query { a: A @cacheControl(maxAge: 120) } type A @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID } → { a { id } } → private
  PRIVATE of a field replaces PUBLIC of its type
    → type Query { a: A @cacheControl(scope: PRIVATE) } type A @cacheControl(maxAge: 60, scope: PUBLIC) { id: ID } → { a { id } } → private
  PUBLIC of a field replaces PRIVATE of its type
    → type Query { a: A @cacheControl(scope: PUBLIC) } type A @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID } → { a { id } } → 60
  a skipped field does not count
    → type Query { a: Int @cacheControl(maxAge: 60) b: Int } → query ($s: Boolean = true) { a b @skip(if: $s) } → 60
  an included field counts
    → type Query { a: Int @cacheControl(maxAge: 60) b: Int } → query ($given: Boolean!) { a b @include(if: $given) } → private
  a field that is not included does not count
    → type Query { a: Int @cacheControl(maxAge: 60) b: Int } → query ($s: Boolean = false) { a b @include(if: $s) } → 60
  aliases change nothing
    → type Query { a: Int @cacheControl(maxAge: 60) } → { b: a c: a } → 60
  introspection and __typename set no limit
    → type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID } → { __typename a { __typename id } __schema { queryType { name } } } → 60
  the strictest hint of an interface and of every type that may be there counts
    → type Query { a: N } interface N @cacheControl(maxAge: 60) { id: ID } type A implements N @cacheControl(maxAge: 30) { id: ID } type B implements N { id: ID } → { a { ... on A { id } } } → 10 → 10
  a type without a lifetime has the default behind an interface
    → type Query { a: N } interface N @cacheControl(maxAge: 60) { id: ID } type A implements N { id: ID } → { a { id } } → private
  the hint of an interface counts if it is stricter than those of its types
    → type Query { a: N } interface N @cacheControl(maxAge: 20) { id: ID } type A implements N @cacheControl(maxAge: 30) { id: ID } → { a { id } } → 20
  a type without a hint does not have the hint of its interface
    → type Query { a: A } interface N @cacheControl(maxAge: 60) { id: ID } type A implements N { id: ID } → { a { id } } → 10 → 10
  PRIVATE of a type counts behind an interface
    → type Query { a: N @cacheControl(maxAge: 60) } interface N { id: ID } type A implements N { id: ID } type B implements N @cacheControl(scope: PRIVATE) { id: ID } → { a { id } } → private
  PRIVATE of a type counts behind a union, and in a list
    → type Query { a: [U] @cacheControl(maxAge: 60) } union U = A | B type A { id: ID } type B @cacheControl(scope: PRIVATE) { id: ID } → { a { ... on A { id } } } → private
  maxAge 0 of a type counts behind a union
    → type Query { a: U } union U @cacheControl(maxAge: 300) = A | B type A { id: ID } type B @cacheControl(maxAge: 0) { id: ID } → { a { ... on A { id } } } → private → 60
  the hint of a field replaces those of all types behind an interface
    → type Query { a: N @cacheControl(maxAge: 80, scope: PUBLIC) } interface N { id: ID } type A implements N @cacheControl(maxAge: 9, scope: PRIVATE) { id: ID } → { a { id } } → 80
  PRIVATE of a field of an interface counts for the same field of its types
    → type Query { a: N @cacheControl(maxAge: 70) } interface N { b: Int @cacheControl(scope: PRIVATE) } type A implements N { b: Int } → { a { ... on A { b } } } → private
  PRIVATE of a field of an interface does not count for other fields
    → type Query { a: N @cacheControl(maxAge: 70) } interface N { id: ID b: Int @cacheControl(scope: PRIVATE) } type A implements N { id: ID b: Int } → { a { id } } → 70
  the lifetime of a field of an interface shortens that of the same field of a type
    → type Query { a: A @cacheControl(maxAge: 70) } interface N { b: A @cacheControl(maxAge: 50) } type A implements N { id: ID b: A @cacheControl(maxAge: 60) } → { a { b { id } } } → 50
  a field of an interface gives no lifetime to the same field of a type
    → type Query { a: A @cacheControl(maxAge: 70) } interface N { b: A @cacheControl(maxAge: 50) } type A implements N { id: ID b: A } → { a { b { id } } } → private
`.replaceAll(/\n {4}→/g, ' →'),
);

/** A value of a type: its object, a list of one, or a text. */
function valueOf(type: GraphQLOutputType, schema: GraphQLSchema): unknown {
  if (isListType(type)) return [valueOf(type.ofType as GraphQLOutputType, schema)];
  if (isAbstractType(type)) return { __typename: schema.getPossibleTypes(type)[0]!.name };
  return isLeafType(type) ? '1' : {};
}

const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (_, __, ___, { returnType, schema }) => valueOf(returnType, schema);

// `any`, because resolvers read the schema, the path and the hints in it.
type Args = [unknown, unknown, unknown, any];
/** Creates a resolver that uses its hints. */
const using =
  (use: (info: any) => unknown) =>
  (...[, , , info]: Args): object => (use(info), { __typename: 'A', id: '1' });
/** Creates a resolver that sets a hint. */
const hint = (given: object): ((...given: Args) => object) => using(({ cacheControl }) => cacheControl.setCacheHint(given));
const restricting = (...lifetimes: number[]): unknown =>
  using(({ cacheControl }) => lifetimes.forEach((maxAge) => cacheControl.cacheHint.restrict({ maxAge })));

const later = async (...given: Args): Promise<object> => (await Promise.resolve(), hint({ maxAge: 3 })(...given));
const destructuring = using(({ cacheControl: { setCacheHint } }) => setCacheHint({ maxAge: 30 }));
const ofType = using(({ cacheControl, schema }) => cacheControl.setCacheHint(cacheControl.cacheHintFromType(schema.getType('B'))));

const plain = 'type Query { a: A } type A { id: ID }';
const marked = 'type Query { a: A @cacheControl(maxAge: 60) } type A { id: ID } type B @cacheControl(maxAge: 20) { id: ID }';
const others = 'type Query { a: A b: A @cacheControl(maxAge: 60) } type A { id: ID c: Int @cacheControl(maxAge: 5) }';
const behind = `type Query { a: N @cacheControl(maxAge: 300) b: N @cacheControl(maxAge: 300) } interface N { id: ID }
  type A implements N { id: ID } type B implements N @cacheControl(scope: PRIVATE) { id: ID }`;

/** The rules of resolvers, here that of `a`. */
const ofResolvers: readonly (readonly [rule: string, schema: string, lifetime: Lifetime, resolver: unknown, query?: string])[] = [
  ['a resolver replaces the hint of the schema with a longer one', marked, 100, hint({ maxAge: 100 })],
  ['a resolver sets the scope PRIVATE', marked, 'private', hint({ scope: 'PRIVATE' })],
  ['restrict cannot lengthen a lifetime', marked, 40, restricting(100, 40)],
  ['a hint counts that is set after a wait', marked, 3, later],
  ['setCacheHint can be destructured', marked, 30, destructuring],
  ['cacheHintFromType returns the hint of the type', marked, 20, ofType],
  ['a resolver sets a lifetime if the schema does not', plain, 100, hint({ maxAge: 100 })],
  ['a scope alone sets no lifetime', plain, 'private', hint({ scope: 'PUBLIC' })],
  ['restrict sets a lifetime if the schema does not', plain, 60, restricting(60)],
  ['hints of other fields count besides that of a resolver', others, 5, hint({ maxAge: 100 }), '{ a { id } b { c } }'],
  ['the lifetime of a resolver does not replace PRIVATE behind an interface', behind, 'private', hint({ maxAge: 60 })],
  ['PUBLIC of a resolver does', behind, 60, hint({ maxAge: 60, scope: 'PUBLIC' })],
  ['and leaves other fields as strict as without it', behind, 'private', hint({ scope: 'PUBLIC' }), '{ a { id } b { id } }'],
];

const lifetimesOf = (decisions: readonly EdgeDecision[]): unknown[] => decisions.map((decision) => decision.public && decision.maxAge);

describe('the lifetime of an answer', () => {
  const lifetimeOf = async (query: string, server: object, defaultMaxAge?: number): Promise<Lifetime> => {
    const options = { fieldResolver, introspection: true, ...server } as never;
    const { get, decisions, log } = edgeServing({ cdn: 'rfc9213', defaultMaxAge, server: options });
    const response = await get(query, { variables: { given: true } });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual(log, []);
    return decisions[0]?.public === true ? decisions[0].maxAge : 'private';
  };

  for (const [rule, typeDefs, query = '', lifetime, seconds] of rules)
    test(`${rule}: ${query}`, async () => {
      const found = await lifetimeOf(query, { typeDefs, resolvers: {} }, seconds === undefined ? undefined : Number(seconds));

      assert.equal(String(found), lifetime);
    });

  for (const [rule, typeDefs, lifetime, resolver, query = '{ a { id } }'] of ofResolvers)
    test(rule, async () => assert.equal(await lifetimeOf(query, { typeDefs, resolvers: { Query: { a: resolver } } }), lifetime));

  test('is that of the fields that a variable skips or includes in this request', async () => {
    const typeDefs = 'type Query { a: Int @cacheControl(maxAge: 60) b: Int }';
    const { get, decisions } = edgeServing({ server: { typeDefs, rootValue: {} } });

    for (const s of [true, false]) await get('query ($s: Boolean!) { a b @skip(if: $s) }', { variables: { s } });

    assert.deepEqual(lifetimesOf(decisions), [60, false]);
  });

  test('the strictest hint of the items of a list counts', async () => {
    const b = (...[, , , { path, cacheControl }]: Args): void => cacheControl.setCacheHint({ maxAge: path.prev.key === 1 ? 8 : 90 });
    const typeDefs = 'type Query { a: [A] @cacheControl(maxAge: 60) } type A { b: Int }';
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers: { A: { b } }, rootValue: { a: [{}, {}] } } as never });

    await get('{ a { b } }');

    assert.deepEqual(lifetimesOf(decisions), [8]);
  });

  describe('a batched resolver whose hint is public', () => {
    /** A batched resolver that sets a hint. */
    const hinting = (hintOf: (parents: readonly any[]) => object | undefined, value: () => unknown = () => 'x'): unknown =>
      batch({ maxSize: 2 }, (parents: readonly object[], _arguments, _context, info: any) => {
        const given = hintOf(parents);
        if (given !== undefined) info.cacheControl.setCacheHint(given);
        return parents.map(value);
      });
    const publicHint = hinting(() => ({ maxAge: 300, scope: 'PUBLIC' }));
    const decisionOf = async (typeDefs: string, resolvers: object, query: string): Promise<number | 'private'> => {
      const { get, decisions } = edgeServing({ server: { typeDefs, resolvers } as never });
      const response = await get(query);
      assert.equal(JSON.stringify(await response.json()).includes('errors'), false);
      return decisions[0]?.public === true ? decisions[0].maxAge : 'private';
    };
    const feed = [
      { __typename: 'Post', id: 1 },
      { __typename: 'Draft', id: 2, note: 'secret of ada' },
    ];
    const feedTypes = `type Query { feed: [Item!]! @cacheControl(maxAge: 300) } interface Item @cacheControl(maxAge: 300) { id: ID! note: String }
      type Post implements Item @cacheControl(maxAge: 300) { id: ID! note: String }
      type Draft implements Item @cacheControl(maxAge: 300) { id: ID! note: String @cacheControl(scope: PRIVATE) }`;

    for (const query of ['{ feed { __typename note } }', '{ feed { note } }', '{ feed { ... on Post { note } ... on Draft { note } } }'])
      test(`does not replace the hint of another type at the same path: ${query}`, async () => {
        const resolvers = { Query: { feed: () => feed }, Post: { note: publicHint } };

        assert.equal(await decisionOf(feedTypes, resolvers, query), 'private');
      });

    test('does not replace the hint of the schema for the parents of another call', async () => {
      const typeDefs = `type Query { books: [Book] @cacheControl(maxAge: 60) }
        type Book { price: String @cacheControl(maxAge: 300, scope: PRIVATE) }`;
      for (const at of [0, 2]) {
        const price = hinting(([{ id }]) => (id === at ? { scope: 'PUBLIC' } : undefined));
        const resolvers = { Query: { books: () => [{ id: 0 }, { id: 1 }, { id: 2 }] }, Book: { price } };

        assert.equal(await decisionOf(typeDefs, resolvers, '{ books { price } }'), 'private');
      }
    });

    test('does not hide a stricter hint of another call', async () => {
      const typeDefs = 'type Query { books: [Book] @cacheControl(maxAge: 60) } type Book { note: String }';
      const note = hinting(({ length }) => ({ maxAge: length === 2 ? 10 : 50 }));

      assert.equal(await decisionOf(typeDefs, { Query: { books: () => [{}, {}, {}] }, Book: { note } }, '{ books { note } }'), 10);
    });

    test('replaces the hint of the schema if all calls have it', async () => {
      const typeDefs = `type Query { books: [Book] @cacheControl(maxAge: 900) book: Book @cacheControl(maxAge: 900) }
        type Book { note: String @cacheControl(maxAge: 1, scope: PRIVATE) node: Node } interface Node { id: ID } type Author implements Node { id: ID }`;
      const authors = hinting(
        () => ({ maxAge: 200 }),
        () => ({ __typename: 'Author' }),
      );
      const resolvers = {
        Query: { books: () => [{}, {}, {}], book: () => ({}) },
        Book: { note: publicHint, node: authors },
        Author: { id: () => '1' },
      };

      assert.equal(await decisionOf(typeDefs, resolvers, '{ books { note } book { note } }'), 300);
      assert.equal(await decisionOf(typeDefs, resolvers, '{ books { node { id } } book { node { id } } }'), 200);
    });
  });

  test('an operation with very many positions takes no longer', async () => {
    const types = Array.from({ length: 12 }, (_, at) => `type T${at} implements Node @cacheControl(maxAge: 60) { next: Node }`);
    const typeDefs = `type Query { node: Node @cacheControl(maxAge: 60) } interface Node @cacheControl(maxAge: 60) { next: Node } ${types.join(' ')}`;
    const { get, decisions } = edgeServing({ server: { typeDefs, rootValue: { node: null } } });

    // The operation has 12 to the power of 20 positions.
    const response = await get(`{ node ${'{ next '.repeat(20)}{ __typename }${' }'.repeat(20)} }`);

    assert.deepEqual(await response.json(), { data: { node: null } });
    assert.equal(decisions[0]?.public, true);
  });

  for (const wrong of [{ scope: 'private' }, { maxAge: Number.NaN }, { maxAge: -1 }, { maxAge: '60' }])
    test(`the hint ${JSON.stringify(wrong)} of a resolver makes the answer private`, async () => {
      const typeDefs = 'type Query { dynamic: String @cacheControl(maxAge: 60) }';
      const { get } = edgeServing({ server: { typeDefs, resolvers: { Query: { dynamic: hint(wrong) } } } as never });

      const response = await get('{ dynamic }');

      assert.equal(response.status, 200);
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
    });
});
