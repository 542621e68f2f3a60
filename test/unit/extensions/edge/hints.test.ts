import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { batch } from '../../../../src/entries/index.ts';
import { hint, hintTable, root } from './hint-table.ts';
import { edgeServing } from '../../../support/edge/serving.ts';

const withDroid = (typeDefs: string): string =>
  /type Droid\b/.test(typeDefs)
    ? typeDefs
    : `${typeDefs} type Droid ${typeDefs.includes('interface Node') ? 'implements Node' : ''} { id: ID! name: String }`;

/** Leaves out the resolvers of a type that the schema lacks. */
const usedIn = (typeDefs: string, resolvers: object = {}): object =>
  Object.fromEntries(Object.entries(resolvers).filter(([type]) => type !== 'Node' || typeDefs.includes('interface Node')));

describe('the lifetime of an answer', () => {
  for (const [typeDefs, ...rows] of hintTable)
    for (const [behavior, query, lifetime, { variables, defaultMaxAge, resolvers } = {}] of rows)
      test(`${behavior}: ${query}`, async () => {
        const server = { typeDefs: withDroid(typeDefs), resolvers: usedIn(typeDefs, resolvers), rootValue: root, introspection: true };
        const { get, decisions, log } = edgeServing({ cdn: 'rfc9213', defaultMaxAge, server: server as never });

        const response = await get(query, { ...(variables && { variables }) });

        assert.equal(response.status, 200, await response.text());
        assert.equal(decisions[0]?.public === true ? decisions[0].maxAge : 'private', lifetime);
        assert.deepEqual(log, []);
      });

  test('a field of Query without a hint makes the response private, a field of an object does not, even if their resolvers can set hints', async () => {
    const typeDefs = `
      type Query { news: String @cacheControl(maxAge: 60) plain: String product: Product @cacheControl(maxAge: 60) }
      type Product { name: String }`;
    const named = (_source: unknown, _arguments: unknown, _context: unknown, info: any): string => {
      // This hint sets no lifetime.
      info.cacheControl.setCacheHint({ scope: 'PUBLIC' });
      return info.fieldName;
    };
    const resolvers = { Query: { plain: named, product: () => ({}) }, Product: { name: named } };
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers, rootValue: { news: 'x' } } as never });

    for (const query of ['{ news }', '{ news plain }', '{ product { name } }', '{ product { name } plain }']) await get(query);

    assert.deepEqual(
      decisions.map((decision) => decision.public),
      [true, false, true, false],
    );
  });

  test('setCacheHint can be destructured', async () => {
    const typeDefs = 'type Query { news: String }';
    const news = (_source: unknown, _arguments: unknown, _context: unknown, { cacheControl: { setCacheHint } }: any): string => {
      setCacheHint({ maxAge: 30 });
      return 'x';
    };
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers: { Query: { news } } } as never });

    await get('{ news }');

    assert.deepEqual(decisions, [{ public: true, maxAge: 30, tags: ['q:news'] }]);
  });

  test('the hints of all calls of a batched resolver count, the strictest first', async () => {
    const typeDefs = 'type Query { books: [Book] @cacheControl(maxAge: 60) } type Book { author: Author } type Author { name: String }';
    const author = batch({ maxSize: 2 }, (books, _arguments, _context, info: any) => {
      info.cacheControl.setCacheHint({ maxAge: books.length === 2 ? 10 : 50 });
      return books.map(() => ({ name: 'A' }));
    });
    const resolvers = { Query: { books: () => [{}, {}, {}] }, Book: { author } };
    const { get, decisions } = edgeServing({ server: { typeDefs, resolvers } as never });

    await get('{ books { author { name } } }');

    assert.deepEqual(
      decisions.map((decision) => (decision.public ? decision.maxAge : 'private')),
      [10],
    );
  });

  describe('a batched resolver whose hint is public', () => {
    const publicHint = batch((parents, _arguments, _context, info: any) => {
      info.cacheControl.setCacheHint({ maxAge: 300, scope: 'PUBLIC' });
      return parents.map(() => 'all may see this');
    });
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
      for (const hinting of [0, 2]) {
        const price = batch({ maxSize: 2 }, (books: readonly { id: number }[], _arguments, _context, info: any) => {
          if (books[0]!.id === hinting) info.cacheControl.setCacheHint({ scope: 'PUBLIC' });
          return books.map(({ id }) => `price ${id}`);
        });
        const resolvers = { Query: { books: () => [{ id: 0 }, { id: 1 }, { id: 2 }] }, Book: { price } };

        assert.equal(await decisionOf(typeDefs, resolvers, '{ books { price } }'), 'private');
      }
    });

    test('replaces the hint of the schema if all calls have it', async () => {
      const typeDefs = `type Query { books: [Book] @cacheControl(maxAge: 900) book: Book @cacheControl(maxAge: 900) }
        type Book { note: String @cacheControl(maxAge: 1, scope: PRIVATE) node: Node } interface Node { id: ID } type Author implements Node { id: ID }`;
      const authors = batch({ maxSize: 2 }, (books, _arguments, _context, info: any) => {
        info.cacheControl.setCacheHint({ maxAge: 200 });
        return books.map(() => ({ __typename: 'Author' }));
      });
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

  const readers: Readonly<Record<string, object>> = {
    'by its fourth parameter': { dynamic: hint({ maxAge: 9 }) },
    'by arguments': {
      dynamic() {
        return hint({ maxAge: 9 })(...(arguments as unknown as [unknown, unknown, unknown, unknown]));
      },
    },
    'by a rest': { dynamic: (...given: [unknown, unknown, unknown, unknown]) => hint({ maxAge: 9 })(...given) },
    'after a default': {
      dynamic: (a: unknown, b: unknown = {}, c: unknown = {}, info: unknown = {}) => hint({ maxAge: 9 })(a, b, c, info),
    },
    'behind bind': { dynamic: hint({ maxAge: 9 }).bind(undefined) },
    'behind a proxy': { dynamic: new Proxy(hint({ maxAge: 9 }), {}) },
    'after a pattern with parentheses': {
      dynamic: (a: unknown, { b = (() => 1)() }: { b?: number }, c: unknown, info: unknown) => hint({ maxAge: 9 })(a, b, c, info),
    },
  };
  for (const [name, Query] of Object.entries(readers))
    test(`a resolver reaches its hints ${name}`, async () => {
      const { get, decisions } = edgeServing({
        server: { typeDefs: 'type Query { dynamic: Droid } type Droid { id: ID! }', resolvers: { Query } } as never,
      });

      await get('{ dynamic { id } }');
      await get('{ dynamic { id } }');

      assert.deepEqual(
        decisions.map((decision) => decision.public && decision.maxAge),
        [9, 9],
      );
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
