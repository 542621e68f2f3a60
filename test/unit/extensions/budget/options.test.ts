import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { budget, memoryStore, redisStore } from '../../../../src/entries/budget.ts';
import type { BudgetOptions } from '../../../../src/entries/budget.ts';
import { netlifyBlobsStore } from '../../../../src/entries/idempotency.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { one, openShop } from '../../../support/budget-shop.ts';

const options: BudgetOptions = { store: memoryStore(), identity: () => 'everyone', capacity: 10, refillPerSecond: 1 };
const shared = redisStore(async () => 'taken 1');
const method = (): void => {};

describe('budget() throws for options that would not do what they say', () => {
  const wrong: Readonly<Record<string, [Partial<Record<keyof BudgetOptions, unknown>>, RegExp]>> = {
    'no store': [{ store: undefined }, /Expected the option store of budget to have take, such as redisStore\(…\), got undefined/],
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
    'no identity': [
      { identity: undefined },
      /Expected the option identity of budget to be a function such as \(\{ user \}\) => user\?\.id, got undefined/,
    ],
    'no capacity': [
      { capacity: undefined },
      /Expected the option capacity of budget to be a finite number above 0, or a function of the context, got undefined/,
    ],
    'a capacity of 0': [{ capacity: 0 }, /got 0/],
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
    'functions in anonymous': [{ anonymous: { capacity: () => 1, refillPerSecond: 1 } }, /got a function/],
    'clientAddress as a name': [
      { clientAddress: 'x-real-ip', anonymous: { capacity: 1, refillPerSecond: 1 } },
      /Expected the option clientAddress of budget to be a function, got "x-real-ip"/,
    ],
    'clientAddress without anonymous': [{ clientAddress: () => '' }, /Expected anonymous of budget with clientAddress/],
    'a storeTimeout of 0': [{ storeTimeout: 0 }, /Expected the option storeTimeout of budget to be milliseconds, at most 60000, got 0/],
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
  const startOf = async (plugins: readonly ServerPlugin[], nodeEnv = 'test'): Promise<string> => {
    const { send, log } = openShop({ server: { plugins: plugins as ServerPlugin[], nodeEnv } }, { withoutBudget: true });
    const { status } = await send(one);
    return `${status} ${log.map(({ details }) => String(details[0])).join(' ')}`;
  };

  test('with the plugin twice', () => {
    assert.throws(() => openShop({ server: { plugins: [budget(options)] } }), /Expected budget\(\) once in plugins, got it twice/);
  });

  test('with memoryStore in production, unless it is that of the only process', async () => {
    assert.match(await startOf([budget(options)], 'production'), /^500 .*Expected a shared store in production, got memoryStore\(\)/);
    assert.equal(await startOf([budget({ ...options, store: memoryStore({ isOnlyProcess: true }) })], 'production'), '200 ');
  });

  test('with a plugin that serves another handler, because each has its own costs', async () => {
    const plugin = budget(options);

    assert.equal(await startOf([plugin]), '200 ');
    assert.match(await startOf([plugin]), /^500 .*Expected a separate budget\(\) for each handler/);
  });
});
