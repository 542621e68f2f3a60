// Clients that send a mutation again, with the same idempotency key.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { idempotency, memoryStore } from '../../../dist/esm/idempotency.js';
import { createListener } from '../../../dist/esm/node.js';
import { apolloOver, apollos, json, listenDuringTests } from './served.mjs';

const PAY = 'mutation Pay($amount: Int!) { pay(amount: $amount) }';

let paid = [];
/** The number of connections to close when their answer is ready, so that the client cannot know that its mutation has run. */
let cuts = 0;

const listener = createListener({
  csrfPrevention: true,
  typeDefs: 'type Query { ok: Boolean } type Mutation { pay(amount: Int!): Int }',
  resolvers: { Mutation: { pay: (_, { amount }) => paid.push(amount) } },
  plugins: [idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'everyone', required: true })],
});
const server = listenDuringTests((request, response) => {
  if (cuts-- > 0) response.end = () => request.socket.destroy();
  void listener(request, response);
});
beforeEach(() => {
  paid = [];
  cuts = 1;
});
const newKey = () => `"${crypto.randomUUID()}"`;

for (const [name, load] of Object.entries(apollos))
  test(`${name} retries with the key that a link above RetryLink has set, and pays once`, async () => {
    const { ApolloLink, HttpLink, RetryLink, gql, ...apollo } = await load();
    const keys = new ApolloLink((operation, forward) => {
      operation.setContext(({ headers }) => ({ headers: { 'idempotency-key': newKey(), ...headers } }));
      return forward(operation);
    });
    const link = ApolloLink.from([keys, new RetryLink({ delay: { initial: 10 } }), new HttpLink({ uri: server.url })]);
    const client = apolloOver(apollo, link);

    const first = await client.mutate({ mutation: gql(PAY), variables: { amount: 5 } });
    const second = await client.mutate({ mutation: gql(PAY), variables: { amount: 6 } });

    assert.deepEqual([first.data.pay, second.data.pay, paid], [1, 2, [5, 6]]);
  });

test('urql sends the key of a mutation, and pays once', async () => {
  const { Client, fetchExchange } = await import('@urql/core');
  const client = new Client({ url: server.url, preferGetMethod: false, exchanges: [fetchExchange] });
  const context = { fetchOptions: { headers: { 'idempotency-key': newKey() } } };

  const first = await client.mutation(PAY, { amount: 5 }, context);
  const again = await client.mutation(PAY, { amount: 5 }, context);

  assert.ok(first.error.networkError);
  assert.deepEqual([again.data.pay, paid], [1, [5]]);
});

test('fetch sends the key again, and pays once', async () => {
  const init = json({ query: PAY, variables: { amount: 5 } }, { 'idempotency-key': newKey() });

  await assert.rejects(fetch(server.url, init));
  const answer = await fetch(server.url, init);

  assert.deepEqual([await answer.json(), answer.headers.get('idempotent-replayed'), paid], [{ data: { pay: 1 } }, 'true', [5]]);
});
