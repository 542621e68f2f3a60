import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { memoryStore } from '../../../../src/entries/idempotency.ts';
import { testStore } from '../../../support/stores/test-store.ts';

describe('memoryStore', () => {
  testStore(() => memoryStore());

  const take = { cost: 1_000_000, capacity: 1_000_000 };
  const claim = { token: 'a', fingerprint: 'f', lease: 1_000, keep: 10_000, again: false };

  test('follows timers that a test mocks after the store was created', async (t) => {
    const store = memoryStore();
    t.mock.timers.enable({ apis: ['Date'], now: 0 });
    const results = [await store.take('a', take), await store.take('a', take)];
    t.mock.timers.tick(1_000);
    results.push(await store.take('a', take));

    assert.deepEqual(
      results.map(({ isTaken }) => isTaken),
      [true, false, true],
    );
  });

  test('refuses claims above 100,000 records until some expire, and drops none before', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    for (let id = 0; id < 100_000; id++) await store.claim(String(id), claim);

    await assert.rejects(store.claim('one more', claim), /memoryStore has 100000 records, the most that it keeps/);
    const known = await store.claim('0', { ...claim, token: 'b' });
    time = 10_000;
    const later = await store.claim('one more', claim);

    assert.deepEqual([known.state, later.state], ['running', 'claimed']);
  });

  test('removes expired records though one that is kept for a day came before', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    await store.claim('slow', { ...claim, keep: 86_400_000 });

    for (let id = 0; id < 150_000; id++) {
      time += 1;
      await store.claim(`quick ${id}`, { ...claim, keep: 10 });
    }

    assert.equal((await store.claim('slow', { ...claim, token: 'b' })).state, 'abandoned');
  });

  test('refuses takes above 100,000 buckets until some are full, and forgets none before', () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    for (let id = 0; id < 100_000; id++) void store.take(String(id), take);

    assert.throws(() => store.take('one more', take), /memoryStore has 100000 buckets, the most that it keeps/);
    assert.deepEqual(store.take('0', take), { isTaken: false, untilFull: 1_000_000 });
    time = 1_000;
    assert.deepEqual(store.take('one more', take), { isTaken: true, untilFull: 1_000_000 });
  });

  test('has room for clients with an identity when anonymous ones have taken all of theirs', () => {
    const store = memoryStore({ now: () => 0 });
    for (let id = 0; id < 100_000; id++) void store.take(String(id), { ...take, isAnonymous: true });

    assert.throws(
      () => store.take('one more', { ...take, isAnonymous: true }),
      /memoryStore has 100000 buckets of anonymous clients, the most that it keeps/,
    );
    assert.deepEqual(store.take('ada', take), { isTaken: true, untilFull: 1_000_000 });
  });

  test('gives no points back when the clock is set back', () => {
    let time = 3_600_000;
    const store = memoryStore({ now: () => time });
    void store.take('ada', take);

    time = 0;
    assert.deepEqual(store.take('ada', take), { isTaken: false, untilFull: 3_601_000_000 });
    time = 3_600_000;
    assert.deepEqual(store.take('ada', take), { isTaken: false, untilFull: 1_000_000 });
  });

  test('removes full buckets though others that take a year to fill came before', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    for (let id = 0; id < 1_000; id++) void store.take(`slow ${id}`, { cost: 31_536_000_000_000, capacity: 31_536_000_000_000 });

    for (let id = 0; id < 300_000; id++) {
      time += 1;
      void store.take(`quick ${id}`, { cost: 1_000_000, capacity: 1_000_000 });
    }

    assert.equal((await store.take('slow 0', { cost: 1, capacity: 31_536_000_000_000 })).isTaken, true);
  });

  test('keeps at most 67,108,864 characters of answers: above that, a mutation counts as run but its answer is not kept', async () => {
    let time = 0;
    const store = memoryStore({ now: () => time });
    const answer = 'x'.repeat(2 ** 24);
    const finish = async (id: string): Promise<boolean> => {
      await store.claim(id, claim);
      await store.finish(id, { token: 'a', answer, keep: 10_000 });
      const found = await store.claim(id, claim);
      return found.state === 'finished' && found.answer === answer;
    };

    const kept = [await finish('1'), await finish('2'), await finish('3'), await finish('4'), await finish('5')];
    time = 10_000;
    kept.push(await finish('6'));

    assert.deepEqual(kept, [true, true, true, true, false, true]);
  });
});
