import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { InMemoryLRUCache, RESTDataSource } from '../../../../src/entries/index.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import type { EdgeServing } from '../../../support/edge/serving.ts';

/** Serves a field with a lifetime of an hour, whose data source gets a response with these header fields. */
function serving(headers: Record<string, string>): EdgeServing {
  class Prices extends RESTDataSource {
    override baseURL = 'https://prices.example/';
    price(): Promise<{ amount: number }> {
      return this.get('price');
    }
  }
  const httpFetch = async (): Promise<Response> =>
    new Response('{"amount":1}', { headers: { 'content-type': 'application/json', ...headers } });
  const typeDefs = 'type Query { amount(at: Int): Int @cacheControl(maxAge: 3600) }';
  const amount = async (_: unknown, __: unknown, { dataSources }: { dataSources: { prices: Prices } }): Promise<number> =>
    (await dataSources.prices.price()).amount;
  return edgeServing({
    server: {
      typeDefs,
      resolvers: { Query: { amount } },
      cache: new InMemoryLRUCache(),
      dataSources: () => ({ prices: new Prices({ httpFetch } as never) }),
    } as never,
  });
}

const lifetimes = ({ decisions }: EdgeServing): unknown[] => decisions.map((decision) => (decision.public ? decision.maxAge : 0));

function useClock(t: TestContext): (seconds: number) => void {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 });
  return (seconds) => t.mock.timers.tick(seconds * 1_000);
}

test('the lifetime of an answer is no longer than that of the stored responses of its data sources', async (t) => {
  const pass = useClock(t);
  const server = serving({ 'cache-control': 'public, max-age=60' });

  for (const seconds of [0, 25, 34]) {
    pass(seconds);
    await server.get('{ amount }');
  }

  assert.deepEqual(lifetimes(server), [60, 35, 1]);
});

test('an answer based on a response that is fresh for less than a second is private', async (t) => {
  const pass = useClock(t);
  const server = serving({ 'cache-control': 'public, max-age=60' });

  await server.get('{ amount }');
  pass(59.5);
  await server.get('{ amount }');

  assert.deepEqual(server.decisions[1], { public: false, reason: 'a stored response of a data source lives for less than a second' });
});

test('an answer based on a stale response is private', async (t) => {
  const pass = useClock(t);
  const server = serving({ 'cache-control': 'public, max-age=60, stale-while-revalidate=600' });

  await server.get('{ amount }');
  pass(100);
  await server.get('{ amount }');

  assert.deepEqual(lifetimes(server), [60, 0]);
  assert.match(JSON.stringify(server.decisions[1]), /stored response/);
});

test('an answer based on a response that is not stored has the lifetime of its hints', async (t) => {
  useClock(t);
  const server = serving({ 'cache-control': 'no-store' });

  await server.get('{ amount }');

  assert.deepEqual(lifetimes(server), [3_600]);
});
