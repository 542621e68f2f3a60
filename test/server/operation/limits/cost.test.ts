import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { CostOptions } from '../../../../src/server/operation/limits/cost.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';

const typeDefs = `
  scalar Big
  type Query {
    version: String
    tags: [String!]!
    books(first: Int, last: Int, limit: Big, page: Page, pages: [Page!], skip: Int): [Book!]!
    recent(first: Int = 3): [Book!]!
    shelf(first: Int, limit: Int): Shelf!
    any: Any
  }
  type Shelf { count: Int! edges: [Edge!]! meta: Meta! }
  type Edge { node: Book! }
  type Meta { owners: [Author!]! }
  type Book { title: String! author: Author! }
  type Author { name: String! books(first: Int): [Book!]! }
  union Any = Book | Author
  input Page { limit: Int first: Int offset: Int inner: Page }
`;

/** The costs of operations, calculated by hand. */
const costs: readonly { readonly query: string; readonly cost: number; readonly variables?: object }[] = [
  { query: '{ version }', cost: 1 },
  { query: '{ __typename version }', cost: 1 },
  { query: '{ __schema { types { name } } }', cost: 0 },
  { query: '{ tags }', cost: 1 },
  { query: '{ a: version b: version }', cost: 2 },
  { query: '{ books { title } }', cost: 1 + 10 },
  { query: '{ books(first: 20) { title author { name } } }', cost: 1 + 20 * 3 },
  { query: '{ books(first: 0) { title } }', cost: 1 },
  { query: '{ books(first: 2, last: 5) { title } }', cost: 1 + 5 },
  { query: '{ books(first: -1) { title } }', cost: 1 + 10 },
  { query: '{ books(first: null) { title } }', cost: 1 + 10 },
  { query: '{ books(skip: 50) { title } }', cost: 1 + 10 },
  { query: '{ books(limit: "40") { title } }', cost: 1 + 40 },
  { query: '{ books(page: { limit: 7, offset: 100 }) { title } }', cost: 1 + 7 },
  { query: '{ recent { title } }', cost: 1 + 3 },
  { query: 'query ($n: Int) { books(first: $n) { title } }', variables: { n: 4 }, cost: 1 + 4 },
  { query: 'query ($n: Int) { books(first: $n) { title } }', cost: 1 + 10 },
  { query: 'query ($n: Int = 6) { books(first: $n) { title } }', cost: 1 + 6 },
  { query: 'query ($n: Int = 6) { books(first: $n) { title } }', variables: { n: 2 }, cost: 1 + 2 },
  { query: 'query ($p: Page) { books(page: $p) { title } }', variables: { p: { limit: 9, offset: 500 } }, cost: 1 + 9 },
  { query: 'query ($n: Int) { books(page: { first: $n }) { title } }', variables: { n: 8 }, cost: 1 + 8 },
  { query: 'query ($n: Int) { recent(first: $n) { title } }', cost: 1 + 3 },
  { query: '{ books(first: 2) { author { books(first: 3) { title } } } }', cost: 1 + 2 * (1 + 1 + 3) },
  { query: '{ shelf(first: 50) { count edges { node { title } } } }', cost: 1 + 1 + 1 + 50 * 2 },
  { query: '{ shelf { edges { node { title } } } }', cost: 1 + 1 + 10 * 2 },
  { query: '{ shelf(first: 50) { meta { owners { name } } } }', cost: 1 + 1 + 1 + 50 },
  { query: '{ shelf(first: 2) { meta { owners { name } } edges { node { title } } } }', cost: 1 + 1 + 1 + 10 + 1 + 2 * 2 },
  { query: '{ shelf { meta { owners { name } } } }', cost: 1 + 1 + 1 + 10 },
  { query: '{ books(first: 20) { __typename } }', cost: 1 + 20 },
  { query: '{ books(first: 20) { a: __typename title b: __typename } }', cost: 1 + 20 * 3 },
  {
    query: '{ books(first: 2) { ... @include(if: true) { __typename } author { books(first: 3) { __typename } } } }',
    cost: 1 + 2 * (1 + 2 + 3),
  },
  { query: '{ books(pages: [{ limit: 5 }, { limit: 30 }]) { title } }', cost: 1 + 30 },
  { query: '{ books(page: { inner: { first: 30 } }) { title } }', cost: 1 + 30 },
  { query: 'query ($p: [Page!]) { books(pages: $p) { title } }', variables: { p: [{ inner: { first: 30 } }] }, cost: 1 + 30 },
  { query: 'query ($p: Page) { books(pages: [{ inner: $p }]) { title } }', variables: { p: { limit: 30 } }, cost: 1 + 30 },
  {
    query: '{ shelf(first: 50) { ...S } } fragment S on Shelf { edges { ...E } } fragment E on Edge { node { title } }',
    cost: 1 + 1 + 50 * 2,
  },
  {
    query: '{ a: shelf(first: 5) { ...S } b: shelf(first: 7) { ...S } } fragment S on Shelf { edges { node { title } } }',
    cost: 2 + 2 + 12 * 2,
  },
  { query: '{ any { ... on Book { title } ... on Author { name } } }', cost: 1 + 2 },
  { query: '{ books(first: 2) { title @skip(if: true) } }', cost: 1 + 2 },
  { query: 'query A { version } query B { books { title } }', cost: 1 },
];

describe('maxCost', () => {
  for (const { query, variables, cost } of costs) {
    it(`${query}${variables ? ` with ${JSON.stringify(variables)}` : ''} costs ${cost}`, async () => {
      const body = { query, variables, ...(query.startsWith('query A') ? { operationName: 'A' } : {}) };

      const within = await endpointFor({ limit: Math.max(1, cost) }).send(post(body));
      const beyond = await endpointFor({ limit: Math.max(1, cost - 1) }).send(post(body));

      assert.equal(within.status, 200, within.body);
      assert.equal(beyond.status, cost > 1 ? 422 : 200);
      if (cost > 1) assert.match(json(beyond).errors[0].message, new RegExp(`at most ${cost - 1}, got one that costs ${cost}\\.$`));
    });
  }

  it('an operation that costs more is GRAPHQL_VALIDATION_FAILED and runs nothing', async () => {
    const endpoint = createEndpoint({ maxCost: 2 });

    const response = await endpoint.send(post({ query: '{ hello books { title } }' }));

    assert.equal(response.status, 422);
    assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.deepEqual(endpoint.runs, []);
  });

  it('is computed for every request: the same document costs more with another variable', async () => {
    const endpoint = createEndpoint({ maxCost: 10 });
    const query = 'query ($n: Int) { books(first: $n) { title } }';

    const few = await endpoint.send(post({ query, variables: { n: 5 } }));
    const many = await endpoint.send(post({ query, variables: { n: 50 } }));

    assert.deepEqual([few.status, many.status], [200, 422]);
  });

  it('is shared by a batch: operations that exceed it are refused, the others are answered', async () => {
    const element = (name: string, first: number): object => ({ query: `{ ${name}: books(first: ${first}) { title } }` });

    const response = await endpointFor({ limit: 20 }).send(post([element('a', 9), element('b', 18), element('c', 9)]));

    const [a, b, c] = json(response);
    assert.deepEqual([a.errors, c.errors], [undefined, undefined]);
    assert.match(b.errors[0].message, /batch to keep maxCost together, which is 20, got 29\.$/);
  });

  it('takes the size of a list without an argument from listSize', async () => {
    const response = await endpointFor({ limit: 5, listSize: 3 }).send(post({ query: '{ books { title } }' }));

    assert.equal(response.status, 200);
  });

  it('takes sizes only from the arguments listed in sizeArguments', async () => {
    const endpoint = endpointFor({ limit: 20, sizeArguments: ['skip'] });

    const named = await endpoint.send(post({ query: '{ books(skip: 50) { title } }' }));
    const other = await endpoint.send(post({ query: '{ books(first: 50) { title } }' }));

    assert.deepEqual([named.status, other.status], [422, 200]);
  });

  it('takes the cost of a field from fields', async () => {
    const endpoint = endpointFor({ limit: 20, fields: { 'Query.version': 30, 'Book.title': 0 } });

    const dear = await endpoint.send(post({ query: '{ version }' }));
    const cheap = await endpoint.send(post({ query: '{ books(first: 1000) { title } }' }));

    assert.deepEqual([dear.status, cheap.status], [422, 200]);
  });

  it('a huge number or numeric string as a size is a huge cost', async () => {
    const endpoint = endpointFor({ limit: 1000 });

    const responses = await Promise.all(
      ['1e308', '"1e999"', '"99999999999"'].map((limit) => endpoint.send(post({ query: `{ books(limit: ${limit}) { title } }` }))),
    );

    assert.deepEqual(
      responses.map(({ status }) => status),
      [422, 422, 422],
    );
    assert.match(json(responses[0]!).errors[0].message, /more than a billion/);
  });

  it('invalid options throw at once', () => {
    for (const maxCost of [
      0,
      -1,
      1.5,
      {},
      { limit: 0 },
      { limit: 5, listSize: 0 },
      { limit: 5, sizeArguments: 'first' },
      { limit: 5, fields: { a: '1' } },
      { limit: 5, typo: 1 },
    ]) {
      assert.throws(() => createEndpoint({ maxCost: maxCost as CostOptions }), /option "?maxCost/);
    }
  });
});

function endpointFor(maxCost: CostOptions): ReturnType<typeof createEndpoint> {
  return createEndpoint({
    typeDefs,
    resolvers: {
      Query: { books: () => [], recent: () => [], tags: () => [], shelf: () => ({ count: 0, edges: [], meta: { owners: [] } }) },
    },
    maxCost,
    introspection: true,
  });
}
