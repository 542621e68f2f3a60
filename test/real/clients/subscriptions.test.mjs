import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { serveDuringTests } from './served.mjs';

const COUNT = 'subscription Count($to: Int) { count(to: $to) { value square } }';
const COUNTED = [1, 2, 3].map((value) => ({ value, square: value * value }));

const sources = { opened: 0, ended: 0 };
const server = serveDuringTests({
  typeDefs: `
      type Query { hello: String! }
      type Mutation { shout(text: String!): String! }
      type Subscription {
        "Counts up and ends; without a number it continues until the client leaves."
        count(to: Int): Count!
        broken: Int
      }
      type Count { value: Int! square: Int! }`,
  resolvers: {
    Query: { hello: () => 'Hello, world!' },
    Mutation: { shout: (_, { text }) => text.toUpperCase() },
    Subscription: {
      count: {
        async *subscribe(_, { to = Infinity }) {
          sources.opened += 1;
          try {
            for (let value = 1; value <= to; value++) yield { count: { value } };
          } finally {
            sources.ended += 1;
          }
        },
      },
      broken: {
        async *subscribe() {
          yield { broken: 1 };
          throw new Error('the database password is hunter2');
        },
      },
    },
    Count: { square: ({ value }) => value * value },
  },
});

describe('graphql-sse, distinct connections', () => {
  let client;
  let connections = 0;
  before(async () => {
    const { createClient } = await import('graphql-sse');
    client = createClient({ url: server.url, on: { connecting: () => (connections += 1) } });
  });
  const collect = (query, variables) => Array.fromAsync(client.iterate({ query, variables }));

  for (const [name, expected, query, variables] of [
    ['every event of a subscription, and its end', COUNTED.map((count) => ({ data: { count } })), COUNT, { to: 3 }],
    ['the answer to a query', [{ data: { hello: 'Hello, world!' } }], '{ hello }'],
    ['the answer to a mutation', [{ data: { shout: 'HI' } }], 'mutation { shout(text: "hi") }'],
  ])
    test(`gets ${name}`, async () => {
      assert.deepEqual(await collect(query, variables), expected);
    });

  test('gets the errors of an invalid document as a result, and does not retry', async () => {
    connections = 0;

    const [result] = await collect('subscription { nope }');

    assert.equal(result.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.equal(connections, 1);
  });

  test('gets the error of a source that fails, and its end', async () => {
    const [first, second, ...others] = await collect('subscription { broken }');

    assert.deepEqual(first, { data: { broken: 1 } });
    assert.equal(second.errors[0].message, 'Internal server error');
    assert.deepEqual(others, []);
  });

  test('ends the source when it unsubscribes', async () => {
    for await (const { data } of client.iterate({ query: COUNT })) if (data.count.value === 5) break;

    while (sources.ended < sources.opened) await new Promise((resolve) => setImmediate(resolve));
  });
});

test('urql subscribes with fetch', async () => {
  const { Client, fetchExchange } = await import('@urql/core');
  const client = new Client({ url: server.url, exchanges: [fetchExchange], fetchSubscriptions: true, preferGetMethod: false });
  const results = [];

  await new Promise((resolve) => {
    const { unsubscribe } = client.subscription(COUNT, { to: 3 }).subscribe((result) => {
      results.push(result);
      if (result.hasNext) return;
      resolve();
      queueMicrotask(() => unsubscribe());
    });
  });

  const counts = results.flatMap(({ data }) => (data ? [data.count] : []));
  assert.deepEqual(
    counts.filter((count, at) => count !== counts[at - 1]),
    COUNTED,
  );
  assert.ok(results.every(({ error }) => error === undefined));
});
