import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';
import type { PlainResponse } from '../../../../support/plain-http.ts';

const typeDefs = `
  type Query { rows(first: Int!): [Row!]! }
  type Row { none: [Int!] matrix: [[Float!]!] words: [String] nulls: [Int] kinds: [Kind] float: Float int: Int row: Row json: JSON rows: [Row!]! }
  enum Kind { A B }
  scalar JSON
`;
const values = {
  none: [],
  matrix: [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5], [7.5, 8.5, 9.5]], // prettier-ignore
  words: ['one'],
  nulls: [null, null, null, null],
  kinds: ['A', 'B', 'A', 'B'],
  float: Math.PI,
  int: -2_147_483_648,
  row: { int: 1 },
  json: { words: 'x'.repeat(10_000) },
};

/** A server that counts the calls of its resolvers for these values. */
interface Server {
  readonly calls: { count: number };
  send(query: string): Promise<PlainResponse>;
}

function serve(): Server {
  const calls = { count: 0 };
  const counted = Object.entries(values).map(([name, value]) => [name, () => (calls.count++, value)]);
  const row = {};
  const resolvers = {
    Query: { rows: (_: unknown, { first }: { first: number }) => Array.from({ length: first }, () => row) },
    Row: { ...Object.fromEntries(counted), rows: () => [row, row, row, row, row] },
  };
  const { send } = createEndpoint({ typeDefs, resolvers } as never);
  return { calls, send: (query) => send(post({ query })) };
}

const aliased = (field: string, count: number): string => Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ');

describe('small values with thousands of aliases in each row', () => {
  // The maximum number of values of each field in an answer. Their objects and lists take 100 ms and 30 MB.
  const most: readonly (readonly [field: string, values: number])[] = [
    ['none', 230_000],
    ['matrix', 50_000],
    ['words', 180_000],
    ['nulls', 160_000],
    ['kinds', 150_000],
    ['float', 650_000],
    ['int', 650_000],
    ['row { int }', 250_000],
  ];
  for (const [field, limit] of most) {
    it(`are counted by the memory they take: ${field}`, async () => {
      const { send, calls } = serve();
      const count = field.includes('{') ? 2_000 : 3_600;

      const response = await send(`{ rows(first: ${Math.ceil((limit * 1.2) / count)}) { ${aliased(field, count)} } }`);

      assert.equal(response.status, 400);
      assert.equal(json(response).errors[0].extensions.code, 'RESULT_TOO_LARGE');
      // For an abandoned answer the error has the size at the limit, for a complete one its actual size.
      assert.ok(Number(/about (\d+)/.exec(json(response).errors[0].message)![1]) < 6_500_000);
      assert.ok(calls.count <= limit * (field.includes('{') ? 2 : 1), `${calls.count}`);
    });
  }

  it('a scalar value in nested lists is counted by its JSON', async () => {
    const { send, calls } = serve();

    const response = await send('{ rows(first: 200) { rows { rows { json } } } }');

    assert.equal(response.status, 400);
    assert.ok(calls.count < 700, `${calls.count}`);
  });
});

describe('an answer of nearly 6 MB', () => {
  it('may have 150,000 places on a map', async () => {
    const places = Array.from({ length: 150_000 }, (_, at) => [-122.419_416 + at / 1e6, 37.774_929 + at / 1e6]);
    const { send } = createEndpoint({
      typeDefs: 'type Query { places: [[Float!]!]! }',
      resolvers: { Query: { places: () => places } },
    });

    const response = await send(post({ query: '{ places }' }));

    assert.equal(response.status, 200);
    assert.ok(response.body.length > 3_500_000, `${response.body.length}`);
  });

  it('may have 20,000 rows, each with three short lists and two aliased objects', async () => {
    const row = { id: 1, name: 'x'.repeat(60), tags: ['one', 'two'], author: { name: 'Ann' } };
    const { send } = createEndpoint({
      typeDefs:
        'type Query { rows: [Row!]! } type Row { id: ID! name: String tags: [String!]! author: Author } type Author { name: String }',
      resolvers: { Query: { rows: () => Array.from({ length: 20_000 }, () => row) } },
    });

    const response = await send(
      post({ query: '{ rows { id name tags again: tags third: tags by: author { name } of: author { name } } }' }),
    );

    assert.equal(response.status, 200);
    assert.ok(response.body.length > 3_500_000, `${response.body.length}`);
  });
});
