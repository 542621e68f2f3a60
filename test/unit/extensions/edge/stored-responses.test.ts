import assert from 'node:assert/strict';
import { test } from 'node:test';

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

const rows: readonly (readonly [what: string, cacheControl: string, afterSeconds: readonly number[], lifetimes: readonly number[]])[] = [
  ['is no longer than that of the stored responses of its data sources', 'public, max-age=60', [0, 25, 34], [60, 35, 1]],
  ['is 0 if a response is fresh for less than a second', 'public, max-age=60', [0, 59.5], [60, 0]],
  ['is 0 if a response is stale', 'public, max-age=60, stale-while-revalidate=600', [0, 100], [60, 0]],
  ['is that of its hints if no response is stored', 'no-store', [0], [3_600]],
];
for (const [what, cacheControl, afterSeconds, lifetimes] of rows)
  test(`the lifetime of an answer ${what}`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 });
    const { get, decisions } = serving({ 'cache-control': cacheControl });

    for (const seconds of afterSeconds) {
      t.mock.timers.tick(seconds * 1_000);
      await get('{ amount }');
    }

    assert.deepEqual(
      decisions.map((decision) => (decision.public ? decision.maxAge : decision.reason)),
      lifetimes.map((lifetime) => lifetime || 'a stored response of a data source lives for less than a second'),
    );
  });
