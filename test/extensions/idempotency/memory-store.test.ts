import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { memoryStore } from '../../../src/entries/idempotency.ts';
import { idempotencyStoreTests } from '../../../src/entries/testing.ts';

describe('memoryStore', () => {
  for (const { name, run } of idempotencyStoreTests(() => memoryStore())) test(name, run);

  const claim = { token: 'a', fingerprint: 'f', lease: 1_000, keep: 10_000, again: false };

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
