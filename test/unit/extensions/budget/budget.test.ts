import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { limits } from '../../../../src/entries/limits.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import { all, fieldsOf, one, openShop } from '../../../support/budget-shop.ts';

describe('points', () => {
  test('are taken by the cost of each operation, and the answer says how many are left', async () => {
    const { send } = openShop();

    const first = await send({ query: '{ a b: a }' });
    const second = await send({ query: '{ book { title } }' });

    assert.deepEqual(fieldsOf(first), ['"default";r=8;t=2', '"default";q=10;w=10', null]);
    assert.deepEqual(fieldsOf(second), ['"default";r=6;t=4', '"default";q=10;w=10', null]);
  });

  test('that are missing refuse an operation before it runs: 429, with the time to wait in the error and in Retry-After', async () => {
    const { send, runs, wait } = openShop();
    await send(all);
    runs.length = 0;
    wait(2.5);

    const refused = await send({ query: '{ a b: a c: a d: a }' });

    assert.equal(refused.status, 429);
    const message = 'This operation costs 4 points, and the client has 2 left. Try again in 2 seconds.';
    const extensions = { code: 'RATE_LIMITED', cost: 4, left: 2, retryAfter: 2 };
    assert.deepEqual(JSON.parse(refused.text), { errors: [{ message, extensions }] });
    assert.deepEqual(fieldsOf(refused), ['"default";r=2;t=8', '"default";q=10;w=10', '2']);
    assert.deepEqual(runs, []);
  });

  test('come back with time, up to the capacity', async () => {
    const { send, wait } = openShop();
    await send(all);

    wait(3);
    const some = await send({ query: '{ a b: a c: a }' });
    wait(1000);
    const full = await send(one);

    assert.deepEqual([some.status, fieldsOf(some)[0]], [200, '"default";r=0;t=10']);
    assert.deepEqual(fieldsOf(full)[0], '"default";r=9;t=1');
  });

  test('fit a full bucket exactly, whatever the refill', async () => {
    for (const [capacity, refillPerSecond] of [
      [10, 3],
      [7, 1.5],
      [700, 700],
      [1_000, 997],
      [100, 100 / 60],
      [100, 100_000],
    ] as const) {
      const { send } = openShop({ capacity, refillPerSecond });
      const statuses: number[] = [];

      for (let sent = 0; sent <= capacity; sent++) statuses.push((await send(one)).status);

      assert.deepEqual([statuses.indexOf(429), statuses.length], [capacity, capacity + 1], `${capacity} at ${refillPerSecond}`);
    }
  });

  test('are not enough for an operation above the capacity: 422 with both numbers, and no time to wait', async () => {
    const { send, runs } = openShop();

    const refused = await send({ query: '{ books(first: 100) { title } }' });
    const later = await send(all);

    assert.equal(refused.status, 422);
    const message = 'This operation costs 101 points, and the client can have at most 10. Request less.';
    assert.deepEqual(JSON.parse(refused.text), {
      errors: [{ message, extensions: { code: 'COST_ABOVE_CAPACITY', cost: 101, capacity: 10 } }],
    });
    assert.deepEqual(fieldsOf(refused), [null, '"default";q=10;w=10', null]);
    assert.deepEqual([later.status, runs.includes('books')], [200, false]);
  });

  test('are not taken for a list of infinite size, which is refused', async () => {
    const typeDefs = 'type Query { books(first: Float): [Book!]! } type Book { title: String }';
    const free = limits({ maxCost: 1e9, fields: { 'Book.title': 0 } });

    for (const [plugins, code] of [
      [[], 'COST_ABOVE_CAPACITY'],
      [[free], 'GRAPHQL_VALIDATION_FAILED'],
    ] as const) {
      const { send } = openShop({ server: { typeDefs, resolvers: {}, plugins } });
      assert.deepEqual((await send({ query: '{ books(first: 1e999) { title } }' })).codes, [code]);
    }
  });

  test('are computed with the rules of maxCost', async () => {
    const plugins = [limits({ maxCost: 500, listSize: 100, fields: { 'Query.a': 50 } })];
    const { send } = openShop({ capacity: 1000, server: { plugins } });

    assert.equal(fieldsOf(await send(one))[0], '"default";r=950;t=50');
    assert.equal(fieldsOf(await send({ query: '{ books { title } }' }))[0], '"default";r=849;t=151');
  });

  test('of references in a subgraph are those of what they load, also without maxCost', async () => {
    const options = subgraph({
      typeDefs: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
        type Query { a: Int } type Book @key(fields: "id") { id: ID title: String }`,
      resolvers: { Book: { __resolveReference: (reference: object) => reference } },
    } as never);
    const { send } = openShop({ capacity: 1000, server: options as never });
    const query = 'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Book { title } } }';
    const representations = Array.from({ length: 100 }, () => ({ __typename: 'Book', id: '1', first: 0 }));

    const answer = await send({ query, variables: { representations } });

    assert.equal(fieldsOf(answer)[0], '"default";r=899;t=101');
  });

  test('depend on the plan of the client, which may be read asynchronously', async () => {
    const { send } = openShop({
      capacity: async ({ client }) => (client === 'grace' ? 1000 : 10),
      refillPerSecond: ({ client }) => (client === 'grace' ? 100 : 1),
    });

    assert.equal(fieldsOf(await send(one))[1], '"default";q=10;w=10');
    assert.equal(fieldsOf(await send(one, { client: 'grace' }))[1], '"default";q=1000;w=10');
  });

  test('are not taken by introspection, which costs nothing', async () => {
    const { send } = openShop({ server: { introspection: true } });
    await send(all);

    for (const query of ['{ __typename }', '{ __schema { types { name } } }']) {
      const answer = await send({ query });
      assert.deepEqual([answer.status, ...fieldsOf(answer)], [200, null, null, null]);
    }
  });

  test('are not taken by requests that are refused before', async () => {
    const { send } = openShop({ server: { plugins: [limits({ maxAliases: 5, maxCost: 100 })] } });
    const refused = [
      await send('{'),
      await send({ query: '{' }),
      await send({ query: '{ none }' }),
      await send(all),
      await send({ query: '{ books(first: 100) { title } }' }),
      await send(JSON.stringify(one), { headers: { 'content-type': 'text/plain' } }),
    ];

    assert.ok(refused.every(({ status }) => status >= 400));
    assert.equal(fieldsOf(await send(one))[0], '"default";r=9;t=1');
  });
});

describe('a batch', () => {
  test('takes points for each of its operations, and a refused one has its error', async () => {
    const { send, runs } = openShop({ capacity: 3 });

    const answer = await send([one, one, { query: '{ a b: a }' }, one]);

    assert.equal(answer.status, 200);
    const results = JSON.parse(answer.text) as { data?: object; errors?: { extensions: object }[] }[];
    assert.deepEqual(
      results.map(({ data, errors }) => data ?? errors?.[0]?.extensions),
      [{ a: 1 }, { a: 1 }, { code: 'RATE_LIMITED', cost: 2, left: 1, retryAfter: 1 }, { a: 1 }],
    );
    assert.deepEqual(fieldsOf(answer), ['"default";r=0;t=3', '"default";q=3;w=3', null]);
    assert.equal(runs.length, 3);
  });

  test('of one element is a batch', async () => {
    const { send } = openShop();
    await send(all);

    const answer = await send([one]);

    assert.deepEqual([answer.status, ...answer.codes, answer.headers.get('retry-after')], [200, 'RATE_LIMITED', null]);
  });
});
