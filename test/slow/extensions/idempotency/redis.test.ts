import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createClient } from '@keyv/redis';

import { redisStore } from '../../../../src/entries/idempotency.ts';
import type { IdempotencyStore } from '../../../../src/entries/idempotency.ts';
import { needsProgram, startRedis } from '../../../support/program.ts';
import { freePort } from '../../../support/free-port.ts';
import { testStore } from '../../../support/stores/test-store.ts';
import { suiteContext } from '../../../support/suite-context.ts';
import { charge, openBank } from '../../../support/bank.ts';

async function connect(t: Pick<TestContext, 'after'>, port: number): Promise<IdempotencyStore> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {});
  await client.connect();
  t.after(() => client.destroy());
  return redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
}

describe('redisStore over a real Redis', needsProgram('redis-server'), () => {
  const suite = suiteContext();
  let store: IdempotencyStore;
  let port: number;
  before(async () => {
    port = await freePort();
    await startRedis(suite, port);
    store = await connect(suite, port);
  });

  testStore(() => store, { hasClock: true });

  test('lets one of three servers run a mutation that all receive concurrently', async (t) => {
    const banks = [store, await connect(t, port), await connect(t, port)].map((one) => openBank({ store: one }));

    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => banks[at % 3]!.sendWithKey(charge)));
    const again = await banks[0]!.sendWithKey(charge);

    assert.equal(banks.flatMap(({ charges }) => charges).length, 1);
    for (const { text, code } of answers) assert.ok(code === 'IDEMPOTENCY_IN_PROGRESS' || text === again.text);
  });
});
