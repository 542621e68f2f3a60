import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EdgeDecision } from '../../../../src/entries/edge.ts';
import { batch } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

const typeDefs = `
  type Query {
    text: String  negative: String @cacheControl(maxAge: -5)
    droid: Droid  marked: Droid @cacheControl(maxAge: 60)  rootInherits: Droid @cacheControl(inheritMaxAge: true)
    typed: Typed  typedLonger: Typed @cacheControl(maxAge: 120)  extended: Extended  zero: Zero
    inheriting: Inheriting @cacheControl(maxAge: 60)
    owned: Owned @cacheControl(maxAge: 120)  shared: Owned @cacheControl(scope: PUBLIC)  ownedByField: Common @cacheControl(scope: PRIVATE)
    named: Named  strict: Strict  alien: Alien
    entity: Entity @cacheControl(maxAge: 300)  found: [Found] @cacheControl(maxAge: 300)  open: Entity @cacheControl(maxAge: 80, scope: PUBLIC)
    media: Media  sealed: Sealed @cacheControl(maxAge: 70)  letter: Letter @cacheControl(maxAge: 70)
  }
  type Droid {
    id: ID!  short: String @cacheControl(maxAge: 5)  secret: String @cacheControl(scope: PRIVATE)
    friends: [Droid]  kept: [Droid] @cacheControl(inheritMaxAge: true)  keptSecret: Droid @cacheControl(inheritMaxAge: true, scope: PRIVATE)
  }
  type Typed @cacheControl(maxAge: 60) { id: ID! kept: Typed @cacheControl(inheritMaxAge: true) }
  type Extended { id: ID! } extend type Extended @cacheControl(maxAge: 30)
  type Zero @cacheControl(maxAge: 0) { id: ID! }
  type Inheriting @cacheControl(inheritMaxAge: true) { id: ID! kept: Inheriting }
  type Owned @cacheControl(maxAge: 60, scope: PRIVATE) { id: ID! } type Common @cacheControl(maxAge: 60, scope: PUBLIC) { id: ID! }
  interface Named @cacheControl(maxAge: 60) { id: ID! } interface Strict @cacheControl(maxAge: 20) { id: ID! }
  type Hero implements Named & Strict @cacheControl(maxAge: 30) { id: ID! } type Alien implements Named { id: ID! }
  interface Entity { id: ID! } union Found = Product | Account union Media @cacheControl(maxAge: 300) = Product | Zero
  type Product implements Entity @cacheControl(maxAge: 300) { id: ID! }
  type Account implements Entity @cacheControl(maxAge: 300, scope: PRIVATE) { id: ID! }
  interface Sealed { id: ID! secret: String @cacheControl(scope: PRIVATE) related: Product @cacheControl(maxAge: 50) copy: Plain @cacheControl(maxAge: 50) }
  type Letter implements Sealed { id: ID! secret: String related: Product @cacheControl(maxAge: 60) copy: Plain } type Plain { id: ID! }`;

/** An object of every type, which has all of its fields. */
const thing: Record<string, unknown> = { id: '1' };
for (const name of ['keptSecret', 'related', 'copy']) thing[name] = thing;
for (const name of ['friends', 'kept']) thing[name] = [thing];
const one = { ...thing, kept: thing };
const typeOf = { named: 'Hero', strict: 'Hero', entity: 'Product', open: 'Product', media: 'Product', sealed: 'Letter' };
const rootValue = {
  ...Object.fromEntries(['droid', 'marked', 'rootInherits', 'extended', 'zero', 'owned', 'shared', 'ownedByField', 'alien', 'letter'].map((name) => [name, thing])), // prettier-ignore
  ...Object.fromEntries(['typed', 'typedLonger', 'inheriting'].map((name) => [name, one])),
  ...Object.fromEntries(Object.entries(typeOf).map(([name, __typename]) => [name, { ...thing, __typename }])),
  found: [{ ...thing, __typename: 'Product' }],
};

type Lifetime = number | 'private';

const rules: readonly (readonly [rule: string, query: string, lifetime: Lifetime, defaultMaxAge?: number])[] = [
  ['a root field without a hint has the lifetime 0', '{ droid { id } }', 'private'],
  ['a root field without a hint has the default lifetime', '{ droid { id } }', 10, 10],
  ['a root field of a scalar type too', '{ text }', 'private'],
  ['an operation without hints is not kept', '{ __typename }', 'private'],
  ['a negative maxAge sets no lifetime', '{ negative }', 'private'],
  ['the hint of a field counts', '{ marked { id } }', 60],
  ['the hint of a type counts', '{ typed { id } }', 60],
  ['the hint of a type extension counts', '{ extended { id } }', 30],
  ['the hint of a field replaces that of its type', '{ typedLonger { id } }', 120],
  ['maxAge 0 of a type overrides the default', '{ zero { id } }', 'private', 10],
  ['the smallest of all hints wins', '{ marked { id short } }', 5],
  ['fields of fragments count', '{ marked { ...F } } fragment F on Droid { ... { short } }', 5],
  ['a nested field with selections has the default lifetime', '{ marked { friends { id } } }', 'private'],
  ['a field with inheritMaxAge has the lifetime of its parent', '{ marked { kept { id } } }', 60],
  ['a nested field can shorten an inherited lifetime', '{ marked { kept { short } } }', 5],
  ['a field that does not inherit has the default, even below one that inherits', '{ marked { kept { friends { short } } } }', 'private'],
  ['inheritMaxAge of a type applies to fields of the type', '{ inheriting { kept { id } } }', 60],
  ['inheritMaxAge has no effect at the root', '{ rootInherits { id } }', 7, 7],
  ['inheritMaxAge does not override the lifetime of a type', '{ typedLonger { kept { id } } }', 60],
  ['PRIVATE wins', '{ marked { secret } }', 'private'],
  ['PRIVATE with inheritMaxAge counts', '{ marked { keptSecret { id } } }', 'private'],
  ['the lifetime of a field keeps the scope of its type', '{ owned { id } }', 'private'],
  ['PRIVATE of a field replaces PUBLIC of its type', '{ ownedByField { id } }', 'private'],
  ['PUBLIC of a field replaces PRIVATE of its type', '{ shared { id } }', 60],
  ['a skipped field does not count', 'query ($s: Boolean = true) { marked { id } text @skip(if: $s) }', 60],
  ['an included field counts', 'query ($given: Boolean!) { marked { id } text @include(if: $given) }', 'private'],
  ['a field that is not included does not count', 'query ($s: Boolean = false) { marked { id } text @include(if: $s) }', 60],
  ['aliases change nothing', '{ a: marked { id } b: marked { x: id } }', 60],
  ['introspection and __typename set no limit', '{ __typename marked { __typename id } __schema { queryType { name } } }', 60],
  ['the strictest hint of an interface and of every type that may be there counts', '{ named { ... on Hero { id } } }', 10, 10],
  ['a type without a lifetime has the default behind an interface', '{ named { id } }', 'private'],
  ['the hint of an interface counts if it is stricter than those of its types', '{ strict { id } }', 20],
  ['a type without a hint does not have the hint of its interface', '{ alien { id } }', 10, 10],
  ['PRIVATE of a type counts behind an interface', '{ entity { id } }', 'private'],
  ['PRIVATE of a type counts behind a union, and in a list', '{ found { ... on Product { id } } }', 'private'],
  ['maxAge 0 of a type counts behind a union', '{ media { ... on Product { id } } }', 'private', 60],
  ['the hint of a field replaces those of all types behind an interface', '{ open { id } }', 80],
  ['PRIVATE of a field of an interface counts for the same field of its types', '{ sealed { ... on Letter { id secret } } }', 'private'],
  ['PRIVATE of a field of an interface does not count for other fields', '{ sealed { id } }', 70],
  ['the lifetime of a field of an interface shortens that of the same field of a type', '{ letter { related { id } } }', 50],
  ['a field of an interface gives no lifetime to the same field of a type', '{ letter { copy { id } } }', 'private'],
];

// `any`, because resolvers read the schema, the path and the hints in it.
type Args = [unknown, unknown, unknown, any];
/** Creates a resolver that uses its hints. */
const using =
  (use: (info: any) => unknown) =>
  (...[, , , info]: Args): object => (use(info), thing);
/** Creates a resolver that sets a hint. */
const hint = (given: object): ((...given: Args) => object) => using(({ cacheControl }) => cacheControl.setCacheHint(given));
const restricting = (...lifetimes: number[]): unknown =>
  using(({ cacheControl }) => lifetimes.forEach((maxAge) => cacheControl.cacheHint.restrict({ maxAge })));

const later = async (...given: Args): Promise<object> => (await Promise.resolve(), hint({ maxAge: 3 })(...given));
const destructuring = using(({ cacheControl: { setCacheHint } }) => setCacheHint({ maxAge: 30 }));
const ofType = using(({ cacheControl, schema }) => cacheControl.setCacheHint(cacheControl.cacheHintFromType(schema.getType('Strict'))));
const beside = '{ entity { id } found { ... on Product { id } } }';

const ofResolvers: readonly (readonly [rule: string, query: string, lifetime: Lifetime, resolver: unknown, defaultMaxAge?: number])[] = [
  ['a resolver replaces the hint of the schema with a longer one', '{ marked { id } }', 100, hint({ maxAge: 100 })],
  ['a resolver sets the scope PRIVATE', '{ marked { id } }', 'private', hint({ scope: 'PRIVATE' })],
  ['restrict cannot lengthen a lifetime', '{ marked { id } }', 40, restricting(100, 40)],
  ['a hint counts that is set after a wait', '{ marked { id } }', 3, later],
  ['setCacheHint can be destructured', '{ marked { id } }', 30, destructuring],
  ['cacheHintFromType returns the hint of the type', '{ marked { id } }', 20, ofType],
  ['a resolver sets a lifetime if the schema does not', '{ droid { id } }', 100, hint({ maxAge: 100 })],
  ['a scope alone sets no lifetime', '{ droid { id } }', 'private', hint({ scope: 'PUBLIC' })],
  ['restrict sets a lifetime if the schema does not', '{ droid { id } }', 60, restricting(60), 10],
  ['hints of other fields count besides that of a resolver', '{ droid { id } marked { short } }', 5, hint({ maxAge: 100 })],
  ['the lifetime of a resolver does not replace PRIVATE behind an interface', '{ entity { id } }', 'private', hint({ maxAge: 60 })],
  ['PUBLIC of a resolver does', '{ entity { id } }', 60, hint({ maxAge: 60, scope: 'PUBLIC' })],
  ['and leaves other fields as strict as without it', beside, 'private', hint({ scope: 'PUBLIC' })],
];

const lifetimesOf = (decisions: readonly EdgeDecision[]): unknown[] => decisions.map((decision) => decision.public && decision.maxAge);

describe('the lifetime of an answer', () => {
  for (const [rule, query, lifetime, resolver, defaultMaxAge] of [
    ...rules.map(([rule, query, lifetime, seconds]) => [rule, query, lifetime, undefined, seconds] as const),
    ...ofResolvers,
  ])
    test(`${rule}: ${query}`, async () => {
      const [, root] = /\{ (\w+)/.exec(query)!;
      const resolvers = { ...(resolver !== undefined && { Query: { [root!]: resolver } }), Entity: { __resolveType: () => 'Product' } };
      const { get, decisions, log } = edgeServing({
        cdn: 'rfc9213',
        defaultMaxAge,
        server: { typeDefs, resolvers, rootValue, introspection: true } as never,
      });

      const response = await get(query, { variables: { given: true } });

      assert.equal(response.status, 200, await response.text());
      assert.equal(decisions[0]?.public === true ? decisions[0].maxAge : 'private', lifetime);
      assert.deepEqual(log, []);
    });

  test('is that of the fields that a variable skips or includes in this request', async () => {
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers: {}, rootValue } as never });

    for (const s of [true, false]) await get('query ($s: Boolean!) { marked { id } text @skip(if: $s) }', { variables: { s } });

    assert.deepEqual(lifetimesOf(decisions), [60, false]);
  });

  test('the strictest hint of the items of a list counts', async () => {
    const short = (...[, , , { path, cacheControl }]: Args): void => cacheControl.setCacheHint({ maxAge: path.prev.key === 1 ? 8 : 90 });
    const server = { typeDefs, resolvers: { Droid: { short } }, rootValue: { marked: { kept: [thing, thing] } } };
    const { get, decisions } = edgeServing({ server: server as never });

    await get('{ marked { kept { short } } }');

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
