import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EdgeOptions } from '../../../../src/entries/edge.ts';
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

async function tagsOf(query: string, server: object = {}, options: Partial<EdgeOptions> = {}): Promise<string[]> {
  const serving = edgeServing({ ...options, server: { typeDefs, rootValue: data, ...server } });
  const response = await serving.get(query);
  return (response.headers.get('xkey') ?? 'none').split(' ').toSorted();
}

/** A server whose root fields have these values. */
const returning = (rootValue: object): object => ({ rootValue });

const renamed = returning({ node: { ...book, sku: 'Author' } });
const stamp = (id: unknown): object => returning({ stamp: { id } });
const listOf = (...ids: readonly string[]): object => returning({ books: ids.map((id) => ({ id, sku: 's' })) });
const withoutAuthor = { ...book, author: null };
const anyNode = 't:Book t:Author l:Book l:Author u:Book u:Author q:node';
const authorOnly = '{ node { __typename ... on Author { id } ... on Book { author { x: id } } } }';

const rows: readonly (readonly [behavior: string, query: string, tags: string, server?: object, options?: Partial<EdgeOptions>])[] = [
  ['an object is named by its id, whatever the alias', '{ book { id author { x: id } } }', 't:Book t:Author q:book e:Book:b1 e:Author:A1'],
  ['an object whose id is not selected is unnamed', '{ book { sku } }', 't:Book q:book u:Book'],
  ['each object of a list is named', '{ books { id } }', 't:Book q:books l:Book e:Book:b1 e:Book:b2'],
  ['an object is named without __typename if only its type has its fields', '{ node { ... on Book { id } } }', 't:Book q:node e:Book:b1'],
  ['an object may have any type of its interface if several have its fields', '{ node { id } }', anyNode],
  [
    'a field under the alias of __typename is not believed',
    '{ node { ... on Author { x: __typename } ... on Book { x: sku } } }',
    anyNode,
    renamed,
  ],
  ['a field with the alias id is not the id', '{ book { id: sku } }', 't:Book q:book u:Book'],
  ['an id may be a promise', '{ book { x: id } }', 't:Book q:book e:Book:b1', { resolvers: { Book: { id: async () => 'b1' } } }],
  ['a number is an id', '{ coins { id } }', 't:Coin q:coins l:Coin e:Coin:5', returning({ coins: [{ id: '05' }] })],
  ['a field id with arguments is not an id', '{ stamp { id } }', 't:Stamp q:stamp u:Stamp', stamp(() => '1')],
  // A mutation can return another id.
  [
    'nor is it with a value for an argument',
    '{ stamp { a: id(in: "EUR") b: id } }',
    't:Stamp q:stamp u:Stamp',
    stamp((given: any) => `1${given.in}`),
  ],
  ['an id with a space is hashed', '{ book { id } }', 't:Book q:book e:Book:dc67949bdca3c2e1bb86890c', returning({ book: { id: 'b 1' } })],
  [
    'all ids are hashed if there is a salt',
    '{ node { __typename id } }',
    't:Author q:node e:Author:62ffa48a48dd5f127b131f5a',
    returning({ node: book.author }),
    { salt: 's' },
  ],
  ['an object of a type without an id is unnamed', '{ pen { name } }', 't:Pen q:pen u:Pen'],
  ['a list has a tag for each type that may be added', '{ nodes { kind: __typename id } }', 't:Book l:Book l:Author q:nodes e:Book:b1'],
  ['an empty list has only these tags', '{ nodes { id } }', 'l:Book l:Author q:nodes', returning({ nodes: [] })],
  ['a null in place of an object has the same tag', '{ book { id } }', 'l:Book q:book', returning({ book: null })],
  [
    'so has a null in another object, and a list in it, even if it is empty',
    '{ both { book { id author { id } pens { name } } } }',
    't:Both t:Book u:Both e:Book:b1 l:Author l:Pen q:both',
    returning({ both: { book: withoutAuthor } }),
  ],
  ...['1 2 3 10 11', '1 1 2 2 10', '10 2 1 2 10 3', '1 1 1', 'b a c a b'].map((text) => {
    const ids = text.split(' ');
    const tags = [...new Set(ids)].map((id) => `e:Book:${id}`).join(' ');
    return [
      `an object that is in a list more than once has one tag: ${text}`,
      '{ books { id } }',
      `t:Book q:books l:Book ${tags}`,
      listOf(...ids),
    ] as const;
  }),
  [
    'a field that is null in one object of a list, but not in others, has this tag',
    '{ books { id author { id } } }',
    't:Book t:Author q:books l:Book l:Author e:Book:b1 e:Book:b2 e:Author:A1',
    returning({ books: [book, null, { ...withoutAuthor, id: 'b2' }] }),
  ],
  ['a type without objects in the answer has no tag', authorOnly, 't:Author t:Book u:Book q:node e:Author:A1'],
  ['with graphql-js, where hints of resolvers are not known, an answer is private', authorOnly, 'none', { executor: graphqlJSExecutor() }],
];

describe('tags', () => {
  for (const [behavior, query, tags, server, options] of rows)
    test(behavior, async () => {
      assert.deepEqual(await tagsOf(query, server, options), tags.split(' ').toSorted());
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
