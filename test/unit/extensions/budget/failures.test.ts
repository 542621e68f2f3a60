import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { BudgetOptions, BudgetStore, TakeResult } from '../../../../src/entries/budget.ts';
import { watchRejections } from '../../../support/unhandled-rejections.ts';
import { fieldsOf, one, openShop } from '../../../support/budget-shop.ts';
import type { LogLine } from '../../../support/recording-logger.ts';

type Taking = () => TakeResult | Promise<TakeResult>;

function storeOf(take: Taking): BudgetStore {
  return { take };
}

function messagesIn(log: readonly LogLine[]): string[] {
  return log.map(({ level, message }) => `${level}: ${message}`);
}

const fails: Taking = () => Promise.reject(new Error('ECONNREFUSED'));
const hangs: Taking = () => new Promise(() => {});
/** Rejects the takes that are late. */
const late: ((error: Error) => void)[] = [];
const failures: Readonly<Record<string, Taking>> = {
  rejects: fails,
  throws: () => {
    throw new Error('closed');
  },
  hangs,
  'answers too late': () => new Promise((_, reject) => void late.push(reject)),
  'returns something else': async () => ({ allowed: true }) as never,
  'returns Infinity': async () => ({ isTaken: true, untilFull: Infinity }),
  'returns NaN': async () => ({ isTaken: false, untilFull: Number.NaN }),
  'returns a bigint': async () => ({ isTaken: true, untilFull: 1n }) as never,
  'returns nothing': async () => undefined as never,
};

async function letLateTakesFail(): Promise<void> {
  for (const reject of late.splice(0)) reject(new Error('late'));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe('a store that fails', () => {
  for (const [name, take] of Object.entries(failures)) {
    test(`lets operations run with 'allow' if it ${name}`, async (t) => {
      const rejections = watchRejections();
      t.after(() => rejections.stop());
      const { send, runs, log } = openShop({ store: storeOf(take), whenStoreFails: 'allow', storeTimeout: 20 });

      const answer = await send(one);
      await letLateTakesFail();

      assert.deepEqual([answer.status, ...fieldsOf(answer), runs.length], [200, null, '"default";q=10;w=10', null, 1]);
      assert.deepEqual(messagesIn(log), ['error: The store of budget failed. An operation of 1 point took none.']);
      assert.ok(log[0]!.details[0] instanceof Error);
      assert.equal(rejections.count(), 0);
    });

    test(`refuses operations with 'refuse' if it ${name}`, async (t) => {
      const rejections = watchRejections();
      t.after(() => rejections.stop());
      const { send, runs, log } = openShop({ store: storeOf(take), whenStoreFails: 'refuse', storeTimeout: 20 });

      const answer = await send(one);
      const batch = await send([one]);
      await letLateTakesFail();

      assert.deepEqual(
        [answer.status, ...answer.codes, ...fieldsOf(answer), runs.length],
        [503, 'BUDGET_STORE_UNAVAILABLE', null, '"default";q=10;w=10', '1', 0],
      );
      assert.deepEqual([batch.status, ...batch.codes, batch.headers.get('retry-after')], [200, 'BUDGET_STORE_UNAVAILABLE', null]);
      assert.match(messagesIn(log)[0]!, /An operation of 1 point took none/);
      assert.equal(rejections.count(), 0);
    });
  }

  test('is asked once for each operation, because a take that failed may have taken the points', async () => {
    let takes = 0;
    const store = storeOf(async () => {
      takes++;
      throw new Error('broken');
    });

    await openShop({ store, whenStoreFails: 'refuse' }).send(one);

    assert.equal(takes, 1);
  });

  test('does not let an operation above the capacity run', async () => {
    const { send } = openShop({ store: storeOf(fails), whenStoreFails: 'allow' });

    assert.equal((await send({ query: '{ books(first: 100) { title } }' })).status, 422);
  });
});

describe('what the user returns', () => {
  const wrong: Readonly<Record<string, [options: Partial<BudgetOptions>, message: RegExp]>> = {
    'an identity that throws': [{ identity: () => Promise.reject(new Error('no session')) }, /no session/],
    'an identity that throws at once': [
      {
        identity: () => {
          throw new Error('no session');
        },
      },
      /no session/,
    ],
    'an empty identity': [{ identity: () => '' }, /Expected identity of budget to return a string, or undefined if it is unknown, got ""/],
    'a number as identity': [{ identity: () => 7 as never }, /got 7/],
    'no capacity': [
      { capacity: () => undefined as never },
      /Expected the option capacity of budget to be a finite number above 0, got undefined/,
    ],
    'a capacity of 0': [{ capacity: async () => 0 }, /Expected the option capacity of budget to be a finite number above 0, got 0/],
    'an infinite refill': [
      { refillPerSecond: () => Infinity },
      /Expected the option refillPerSecond of budget to be a finite number above 0, got Infinity/,
    ],
    'NaN as refill': [{ refillPerSecond: () => Number.NaN }, /got NaN/],
    'a refill as text': [{ refillPerSecond: () => '5' as never }, /got "5"/],
    'a plan that takes years to refill': [
      { refillPerSecond: () => 1e-9 },
      /Expected capacity of budget to refill within a year, got 10 points at 1e-9 per second/,
    ],
    'an address that is no text': [
      { identity: () => undefined, anonymous: { capacity: 1, refillPerSecond: 1 }, clientAddress: () => 7 as never },
      /Expected clientAddress of budget to return a string, .* got 7/,
    ],
    'the promise of an address': [
      {
        identity: () => undefined,
        anonymous: { capacity: 1, refillPerSecond: 1 },
        clientAddress: (() => Promise.reject(new Error('no address'))) as never,
      },
      /Expected clientAddress of budget to return a string, .* got a Promise/,
    ],
  };
  for (const [name, [options, message]] of Object.entries(wrong))
    test(`that is wrong is a masked 500, which is logged, and nothing runs: ${name}`, async (t) => {
      const rejections = watchRejections();
      t.after(() => rejections.stop());
      const { send, runs, log } = openShop(options);

      const answer = await send(one);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });

      assert.deepEqual([answer.status, ...answer.codes, runs.length], [500, 'INTERNAL_SERVER_ERROR', 0]);
      assert.match(answer.text, /Internal server error/);
      assert.match(log.map(({ message: text }) => text).join('\n'), message);
      assert.equal(rejections.count(), 0);
    });
});
