import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';

const hint = '@cacheControl(maxAge: 60)';
const typeDefs = `
  type Query { node: Node ${hint} nodes: [Node] ${hint} book(id: ID): Book ${hint} books: [Book] ${hint} both: Both ${hint} pen: Pen ${hint} coins: [Coin] ${hint} stamp: Stamp ${hint} }
  interface Node { id: ID! }
  type Book implements Node ${hint} { id: ID! sku: String author: Author pens: [Pen!]! }
  type Author implements Node ${hint} { id: ID! }
  type Both ${hint} { book: Book! } type Pen ${hint} { name: String } type Coin ${hint} { id: Int! worth(in: String): Int } type Stamp { id(in: String): ID! }`;
const book = { __typename: 'Book', id: 'b1', sku: 's1', author: { __typename: 'Author', id: 'A1' }, pens: [] };
const data = { node: book, nodes: [book], book, books: [book, { ...book, id: 'b2' }], both: { book }, pen: { name: 'ink' }, coins: [] };

interface Row {
  readonly query: string;
  readonly tags: string;
  readonly options?: Partial<EdgeOptions>;
  readonly server?: Partial<Omit<ServerOptions, 'typeDefs'>>;
}

async function tagsOf({ query, options, server }: Omit<Row, 'tags'>): Promise<string[]> {
  const serving = edgeServing({ ...options, server: { typeDefs, rootValue: data, ...server } });
  const response = await serving.get(query);
  return (response.headers.get('xkey') ?? 'none').split(' ').toSorted();
}

function check(rows: Readonly<Record<string, Row>>): void {
  for (const [name, row] of Object.entries(rows))
    test(name, async () => {
      assert.deepEqual(await tagsOf(row), row.tags.split(' ').toSorted());
    });
}

describe('tags', () => {
  check({
    'an object is named by its id, whatever the alias': {
      query: '{ book { id author { x: id } } }',
      tags: 't:Book t:Author q:book e:Book:b1 e:Author:A1',
    },
    'an object whose id is not selected is unnamed': { query: '{ book { sku } }', tags: 't:Book q:book u:Book' },
    'each object of a list is named': { query: '{ books { id } }', tags: 't:Book q:books l:Book e:Book:b1 e:Book:b2' },
    'an object of an interface is named, even without __typename, if no other type has its fields': {
      query: '{ node { ... on Book { id } } }',
      tags: 't:Book q:node e:Book:b1',
    },
    'an object of an interface may have any of its types, if several have its fields': {
      query: '{ node { id } }',
      tags: 't:Book t:Author l:Book l:Author u:Book u:Author q:node',
    },
    'a field with the alias id is not the id': { query: '{ book { id: sku } }', tags: 't:Book q:book u:Book' },
    'an id may be a promise': {
      query: '{ book { x: id } }',
      tags: 't:Book q:book e:Book:b1',
      server: { resolvers: { Book: { id: async () => 'b1' } } as never },
    },
    'a number is an id': {
      query: '{ coins { id } }',
      tags: 't:Coin q:coins l:Coin e:Coin:5',
      server: { rootValue: { coins: [{ id: '05' }] } },
    },
    'a field id with arguments is not an id': {
      query: '{ stamp { id } }',
      tags: 't:Stamp q:stamp u:Stamp',
      server: { rootValue: { stamp: { id: () => '1' } } },
    },
    'an id with other characters than the allowed ones is hashed': {
      query: '{ book { id } }',
      tags: 't:Book q:book e:Book:dc67949bdca3c2e1bb86890c',
      server: { rootValue: { book: { id: 'b 1' } } },
    },
    'all ids are hashed if there is a salt': {
      query: '{ node { __typename id } }',
      tags: 't:Author q:node e:Author:62ffa48a48dd5f127b131f5a',
      options: { salt: 's' },
      server: { rootValue: { node: book.author } },
    },
    'an object of a type without an id is unnamed': { query: '{ pen { name } }', tags: 't:Pen q:pen u:Pen' },
    'a list has a tag for each type of object that may be added': {
      query: '{ nodes { kind: __typename id } }',
      tags: 't:Book l:Book l:Author q:nodes e:Book:b1',
    },
    'an empty list has only these tags': {
      query: '{ nodes { id } }',
      tags: 'l:Book l:Author q:nodes',
      server: { rootValue: { nodes: [] } },
    },
    'a null in place of an object has the same tag': {
      query: '{ book { id } }',
      tags: 'l:Book q:book',
      server: { rootValue: { book: null } },
    },
    'a null in place of an object in another object has the same tag': {
      query: '{ both { book { id author { id } } } }',
      tags: 't:Both t:Book u:Both e:Book:b1 l:Author q:both',
      server: { rootValue: { both: { book: { ...book, author: null } } } },
    },
    'a list in another object has this tag, even if it is empty': {
      query: '{ both { book { id pens { name } } } }',
      tags: 't:Both t:Book u:Both e:Book:b1 l:Pen q:both',
    },
    ...Object.fromEntries(
      [
        ['up', '1 2 3 10 11'],
        ['down', '11 10 3 2 1'],
        ['up, some twice', '1 1 2 2 10'],
        ['up and down', '1 2 10 2 1 3 1'],
        ['down and up', '10 2 1 2 10 3'],
        ['all the same', '1 1 1'],
        ['of one length', 'b a c a b'],
      ].map(([order, ids]) => [
        `an object that is in a list more than once has one tag: ${order}`,
        {
          query: '{ books { id } }',
          tags: `t:Book q:books l:Book ${[...new Set(ids!.split(' '))].map((id) => `e:Book:${id}`).join(' ')}`,
          server: { rootValue: { books: ids!.split(' ').map((id) => ({ id, sku: 's' })) } },
        },
      ]),
    ),
    'a field that is null in one object of a list, but not in others, has this tag': {
      query: '{ books { id author { id } } }',
      tags: 't:Book t:Author q:books l:Book l:Author e:Book:b1 e:Book:b2 e:Author:A1',
      server: { rootValue: { books: [book, null, { ...book, id: 'b2', author: null }] } },
    },
    'a type that has no objects in the answer has no tag': {
      query: '{ node { __typename ... on Book { id } ... on Author { id } } }',
      tags: 't:Book q:node e:Book:b1',
    },
  });
});

test('only selected ids are resolved, for the tags of answers and for the purges of mutations', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: string[] = [];
  const id = ({ id: own }: { id: string }): string => (asked.push(own), own);
  const { get, post } = edgeServing({
    purge: async () => undefined,
    server: {
      typeDefs: `${typeDefs} type Mutation { rename: Book }`,
      rootValue: { ...data, rename: book },
      resolvers: { Book: { id }, Author: { id } } as never,
    },
  });

  await get('{ books { sku author { id } } }');
  await post({ query: 'mutation { rename { sku } }' });

  assert.deepEqual(asked, ['A1', 'A1']);
});

test('a name that another type answers under the alias of __typename is not believed', async () => {
  const query = '{ node { ... on Author { x: __typename } ... on Book { x: sku } } }';
  const server = { rootValue: { node: { ...book, sku: 'Author' } } };

  assert.deepEqual(await tagsOf({ query, server }), 'l:Author l:Book q:node t:Author t:Book u:Author u:Book'.split(' '));
});

test('where graphql-js runs the operation, tags are the same', async () => {
  const query = '{ node { __typename ... on Author { id } ... on Book { author { x: id } } } }';

  for (const server of [{}, { executor: graphqlJSExecutor() }])
    assert.deepEqual(await tagsOf({ query, server }), 'e:Author:A1 q:node t:Author t:Book u:Book'.split(' '));
});

test('an object whose id has arguments has no name, because a mutation can return another id', async () => {
  const { get } = edgeServing({
    server: {
      typeDefs: `type Query { coin: Coin ${hint} } type Coin { id(in: String): ID! }`,
      rootValue: { coin: { id: ({ in: unit = 'GBP' }: any) => `1${unit}` } },
    },
  });

  for (const query of ['{ coin { a: id(in: "EUR") } }', '{ coin { a: id(in: "EUR") b: id } }']) {
    const { headers } = await get(query);
    assert.deepEqual(headers.get('xkey')?.split(' ').toSorted(), ['q:coin', 't:Coin', 'u:Coin']);
  }
});
