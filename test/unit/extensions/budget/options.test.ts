import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { budget, memoryStore, redisStore } from '../../../../src/entries/budget.ts';
import type { BudgetOptions } from '../../../../src/entries/budget.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { netlifyBlobsStore } from '../../../../src/entries/idempotency.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const options: BudgetOptions = { store: memoryStore(), identity: () => 'everyone', capacity: 10, refillPerSecond: 1 };
const shared = redisStore(async () => 'taken 1');
const method = (): void => {};

describe('budget() throws for options that would not do what they say', () => {
  const wrong: Readonly<Record<string, [Partial<Record<keyof BudgetOptions, unknown>>, RegExp]>> = {
    'no store': [{ store: undefined }, /Expected the option store of budget to have take, such as redisStore\(…\), got undefined/],
    'Workers KV': [
      { store: { get: method, put: method, getWithMetadata: method } },
      /got Workers KV, which has no conditional writes\. Use durableObjectStore or d1Store/,
    ],
    'Netlify Blobs': [
      { store: { get: method, getWithMetadata: method, setJSON: method } },
      /got Netlify Blobs\. Use netlifyBlobsStore for idempotency keys, and redisStore or postgresStore for points/,
    ],
    'the store of Netlify Blobs': [
      { store: netlifyBlobsStore({ getWithMetadata: method, setJSON: method } as never) },
      /one that cannot take points, such as netlifyBlobsStore/,
    ],
    "Cloudflare's binding ratelimit": [
      { store: { limit: method } },
      /got Cloudflare's binding ratelimit, which counts calls, not points\. Use durableObjectStore or d1Store/,
    ],
    'a client of Redis': [{ store: { get: method, set: method } }, /got a client, or a KeyValueCache, which is not atomic/],
    'no identity': [
      { identity: undefined },
      /Expected the option identity of budget to be a function such as \(\{ user \}\) => user\?\.id, got undefined/,
    ],
    'a header as identity': [{ identity: 'x-user' }, /got "x-user"/],
    'no capacity': [
      { capacity: undefined },
      /Expected the option capacity of budget to be a finite number above 0, or a function of the context, got undefined/,
    ],
    'a capacity of 0': [{ capacity: 0 }, /got 0/],
    'a negative capacity': [{ capacity: -1 }, /got -1/],
    'an infinite capacity': [{ capacity: Infinity }, /got Infinity/],
    'NaN as capacity': [{ capacity: Number.NaN }, /got NaN/],
    'a capacity as text': [{ capacity: '10' }, /got "10"/],
    'a refill of 0': [
      { refillPerSecond: 0 },
      /Expected the option refillPerSecond of budget to be a finite number above 0, or a function of the context, got 0/,
    ],
    'a refill that takes years': [
      { capacity: 1e9, refillPerSecond: 1 },
      /Expected capacity of budget to refill within a year, got 1000000000 points at 1 per second/,
    ],
    'no whenStoreFails': [
      { store: shared },
      /Expected the option whenStoreFails of budget to be 'allow' \(operations run without taking points\) or 'refuse' \(they get 503\), got undefined/,
    ],
    'another whenStoreFails': [{ whenStoreFails: 'ignore' }, /got "ignore"/],
    'anonymous as a number': [{ anonymous: 5 }, /Expected the option anonymous of budget to be \{ capacity, refillPerSecond \}, got/],
    'null as anonymous': [{ anonymous: null }, /Expected the option anonymous of budget to be \{ capacity, refillPerSecond \}, got/],
    'functions in anonymous': [{ anonymous: { capacity: () => 1, refillPerSecond: 1 } }, /got a function/],
    'clientAddress as a name': [
      { clientAddress: 'x-real-ip', anonymous: { capacity: 1, refillPerSecond: 1 } },
      /Expected the option clientAddress of budget to be a function, got "x-real-ip"/,
    ],
    'clientAddress without anonymous': [{ clientAddress: () => '' }, /Expected anonymous of budget with clientAddress/],
    'a storeTimeout of 0': [{ storeTimeout: 0 }, /Expected the option storeTimeout of budget to be milliseconds, at most 60000, got 0/],
    'a storeTimeout of hours': [{ storeTimeout: 1e7 }, /got 10000000/],
    'cost, whose rules are those of limits()': [{ cost: { listSize: 5 } } as object, /Unknown option "cost" of budget/],
  };
  for (const [name, [changed, message]] of Object.entries(wrong))
    test(name, () => assert.throws(() => budget({ ...options, ...changed } as BudgetOptions), { name: 'TypeError', message }));

  test('but not for a shared store with whenStoreFails, and memory without', () => {
    budget({ ...options, store: shared, whenStoreFails: 'allow' });
    budget(options);
  });
});

describe('the server does not start', () => {
  async function messageAtStart(server: object): Promise<string> {
    const [logger, log] = recordingLogger();
    const handler = createHandler({ nodeEnv: 'test', logger, typeDefs: 'type Query { a: Int }', ...server }) as unknown as (
      request: Request,
    ) => Promise<Response>;

    const response = await handler(
      new Request('https://shop.example/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ a }"}' }),
    );

    assert.equal(response.status, 500);
    return log.map(({ details }) => String(details[0])).join('\n');
  }

  test('with the plugin twice', async () => {
    await assert.rejects(
      messageAtStart({ plugins: [budget(options), budget(options)] }),
      /Expected budget\(\) once in plugins, got it twice/,
    );
  });

  test('with memoryStore in production', async () => {
    assert.match(
      await messageAtStart({ plugins: [budget(options)], nodeEnv: 'production' }),
      /Expected a shared store in production, got memoryStore\(\)/,
    );
  });

  test('with a plugin that serves another handler, because each has its own costs', async () => {
    const plugin = budget(options);
    const handler = createHandler({ nodeEnv: 'test', typeDefs: 'type Query { a: Int }', plugins: [plugin] }) as unknown as (
      request: Request,
    ) => Promise<Response>;
    await handler(new Request('https://shop.example/?query={a}', { headers: { 'content-type': 'application/json' } }));

    assert.match(await messageAtStart({ plugins: [plugin] }), /Expected a separate budget\(\) for each handler/);
  });

  test('but it does in production with the memory of the only process', async () => {
    const plugin = budget({ ...options, store: memoryStore({ isOnlyProcess: true }) });
    const handler = createHandler({ nodeEnv: 'production', typeDefs: 'type Query { a: Int }', plugins: [plugin] }) as unknown as (
      request: Request,
    ) => Promise<Response>;

    const response = await handler(new Request('https://shop.example/?query={a}', { headers: { 'content-type': 'application/json' } }));

    assert.deepEqual([response.status, response.headers.get('ratelimit')], [200, '"default";r=9;t=1']);
  });
});
