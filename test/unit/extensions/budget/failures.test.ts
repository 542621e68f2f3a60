import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { BudgetOptions, TakeResult } from '../../../../src/entries/budget.ts';
import { watchRejections } from '../../../support/unhandled-rejections.ts';
import { fieldsOf, one, openShop } from '../../../support/budget-shop.ts';

type Taking = () => TakeResult | Promise<TakeResult>;

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
  'returns nothing': async () => undefined as never,
};

async function letLateTakesFail(): Promise<void> {
  for (const reject of late.splice(0)) reject(new Error('late'));
  await new Promise((resolve) => void setImmediate(resolve));
}

describe('a store that fails', () => {
  const failed = 'error: The store of budget failed. An operation of 1 point took none.';
  const outcomes = {
    allow: [200, null, '"default";q=10;w=10', null],
    refuse: [503, null, '"default";q=10;w=10', '1'],
  };
  for (const [name, take] of Object.entries(failures))
    for (const whenStoreFails of ['allow', 'refuse'] as const)
      test(`${whenStoreFails}s operations if it ${name}`, async (t) => {
        const rejections = watchRejections();
        t.after(() => rejections.stop());
        const { send, runs, log } = openShop({ store: { take }, whenStoreFails, storeTimeout: 20 });

        const answer = await send(one);
        await letLateTakesFail();

        assert.deepEqual([answer.status, ...fieldsOf(answer)], outcomes[whenStoreFails]);
        assert.deepEqual([runs, answer.codes], whenStoreFails === 'allow' ? [['a'], []] : [[], ['BUDGET_STORE_UNAVAILABLE']]);
        assert.equal(log.map(({ level, message }) => `${level}: ${message}`).join(), failed);
        assert.ok(log[0]!.details[0] instanceof Error);
        assert.equal(rejections.count(), 0);
      });

  test('refuses an element of a batch without Retry-After', async () => {
    const { status, codes, headers } = await openShop({ store: { take: fails }, whenStoreFails: 'refuse' }).send([one]);

    assert.deepEqual([status, ...codes, headers.get('retry-after')], [200, 'BUDGET_STORE_UNAVAILABLE', null]);
  });

  test('is asked once for each operation, because a take that failed may have taken the points', async () => {
    let takes = 0;
    const take = async (): Promise<never> => Promise.reject(new Error(`broken ${++takes}`));

    await openShop({ store: { take }, whenStoreFails: 'refuse' }).send(one);

    assert.equal(takes, 1);
  });

  test('does not let an operation above the capacity run', async () => {
    const { send } = openShop({ store: { take: fails }, whenStoreFails: 'allow' });

    assert.equal((await send({ query: '{ books(first: 100) { title } }' })).status, 422);
  });
});

describe('what the user returns', () => {
  const anonymous = { identity: () => undefined, anonymous: { capacity: 1, refillPerSecond: 1 } };
  const reject = (message: string) => (): never => Promise.reject(new Error(message)) as never;
  const wrong: Readonly<Record<string, [options: Partial<BudgetOptions>, message: RegExp]>> = {
    'an identity that throws': [{ identity: reject('no session') }, /no session/],
    'an empty identity': [
      { identity: () => '' },
      /identity of budget to return a string or a number, or undefined if it is unknown, got ""/,
    ],
    'an object as identity': [{ identity: () => ({ id: 7 }) as never }, /got an object/],
    'no capacity': [{ capacity: () => undefined as never }, /capacity of budget to be a finite number above 0, got undefined/],
    'a capacity that is rejected': [{ capacity: reject('no plan') }, /no plan/],
    'a plan that takes years to refill': [{ refillPerSecond: () => 1e-9 }, /refill within a year, got 10 points at 1e-9 per second/],
    'an address that is no text': [
      { ...anonymous, clientAddress: () => 7 as never },
      /clientAddress of budget to return a string, .* got 7/,
    ],
    'the promise of an address': [{ ...anonymous, clientAddress: reject('no address') }, /to return a string, .* got a Promise/],
  };
  for (const [name, [options, message]] of Object.entries(wrong))
    test(`that is wrong is a masked 500, which is logged, and nothing runs: ${name}`, async (t) => {
      const rejections = watchRejections();
      t.after(() => rejections.stop());
      const { send, runs, log } = openShop(options);

      const answer = await send(one);
      await new Promise((resolve) => void setImmediate(resolve));

      assert.deepEqual([answer.status, ...answer.codes, runs.length], [500, 'INTERNAL_SERVER_ERROR', 0]);
      assert.match(answer.text, /Internal server error/);
      assert.match(log.map(({ message: text }) => text).join('\n'), message);
      assert.equal(rejections.count(), 0);
    });
});
