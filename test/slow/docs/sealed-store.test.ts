import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sealed } from '../../../docs/examples/idempotency/sealed-store.ts';
import { memoryStore } from '../../../src/entries/idempotency.ts';
import type { IdempotencyStore } from '../../../src/entries/idempotency.ts';
import { openBank } from '../../support/bank.ts';

test('the store of docs/idempotency.md encrypts answers, and refuses one that it cannot decrypt', async () => {
  const store = memoryStore();
  let stored = '';
  let isOfAnotherRecord = false;
  const spying: IdempotencyStore = {
    ...store,
    finish: (id, finish) => ((stored = finish.answer!), store.finish(id, finish)),
    async claim(id, claim) {
      const found = await store.claim(id, claim);
      return found.state === 'finished' && isOfAnotherRecord ? { ...found, answer: otherAnswer } : found;
    },
  };
  const bank = openBank({ store: sealed(spying) });
  const charge = { query: 'mutation { charge { number } }' };
  await bank.send(charge, { headers: { 'idempotency-key': '"other"' } });
  const otherAnswer = stored;

  const [first, again] = [await bank.sendWithKey(charge), await bank.sendWithKey(charge)];
  isOfAnotherRecord = true;
  const wrong = await bank.sendWithKey(charge);

  assert.equal(again.text, first.text);
  assert.doesNotMatch(atob(stored), /number/);
  assert.deepEqual([wrong.status, wrong.code, bank.charges.length], [409, 'IDEMPOTENCY_ANSWER_NOT_KEPT', 2]);
});
