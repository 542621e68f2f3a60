import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import { charge, openBank, storeWith, told } from '../../../support/bank.ts';
import { quiet } from '../../../support/clock.ts';

describe('the store', () => {
  type Failures = Partial<Record<'claim' | 'finish', readonly ('before' | 'after')[]>>;

  /** A memory store whose first calls fail before or after they took effect. */
  function failingStore({ claim = [], finish = [] }: Failures): IdempotencyStore {
    const left = { claim: [...claim], finish: [...finish] };
    const call = async <T>(name: 'claim' | 'finish', work: () => Promise<T>): Promise<T> => {
      const failure = left[name].shift();
      const result = failure === 'before' ? undefined : await work();
      if (failure !== undefined) throw new Error('connection refused');
      return result!;
    };
    return storeWith((store) => ({
      claim: (...given) => call('claim', () => store.claim(...given)),
      finish: (...given) => call('finish', () => store.finish(...given)),
    }));
  }

  for (const failures of [{ claim: ['before'] }, { claim: ['after'] }, { finish: ['before'] }, { finish: ['after'] }] as const)
    test(`is called again if ${JSON.stringify(failures)} its effect fails, and the mutation runs once`, async () => {
      const bank = openBank({ store: failingStore(failures) });

      assert.deepEqual(await told(bank, charge, charge), ['200', '200 replayed']);
      assert.deepEqual([bank.charges.length, bank.log], [1, []]);
    });

  for (const claim of ['before before', 'after after', 'before after'])
    test(`that is down (${claim}) is answered with 503, and nothing runs until it is up again`, async () => {
      const bank = openBank({ store: failingStore({ claim: claim.split(' ') as ('before' | 'after')[] }) });

      assert.deepEqual([await told(bank, charge), bank.charges], [['503 IDEMPOTENCY_STORE_UNAVAILABLE retry after 1'], []]);
      await bank.settled();
      assert.deepEqual([await told(bank, charge), bank.charges.length], [['200'], 1]);
      assert.equal(bank.log.filter(({ message }) => message.includes('cannot be checked')).length, 1);
    });

  test('that hangs is answered with 503 after two tries', async () => {
    let calls = 0;
    const hang = async (): Promise<never> => (calls++, new Promise<never>(() => {}));
    const bank = openBank({ store: storeWith(() => ({ claim: hang, release: async () => false })), storeTimeout: 1 });

    assert.equal((await bank.sendWithKey(charge)).status, 503);
    assert.deepEqual([calls, bank.charges], [2, []]);
  });

  test('has the answer before the client has it, so that an immediate retry is replayed', async () => {
    const store = storeWith((inner) => ({ finish: async (...given) => (await quiet(), inner.finish(...given)) }));

    assert.deepEqual(await told(openBank({ store }), charge, charge), ['200', '200 replayed']);
  });

  test('that fails after the mutation does not change the answer, and a retry is refused', async () => {
    const bank = openBank({ store: failingStore({ finish: ['before', 'before'] }) });

    const lines = await told(bank, charge, charge);

    assert.deepEqual([...lines, bank.charges.length], ['200', '409 IDEMPOTENCY_IN_PROGRESS retry after 5', 1]);
    assert.match(bank.log[0]!.message, /was not stored: a retry will be refused/);
  });
});
