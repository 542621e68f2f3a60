import { before, describe, test } from 'node:test';

import { createClient } from '@keyv/redis';

import { redisStore } from '../../../src/entries/budget.ts';
import type { BudgetStore } from '../../../src/entries/budget.ts';
import { budgetStoreTests } from '../../../src/entries/testing.ts';
import { needsProgram, startRedis } from '../../datasources/cache/processes.ts';
import { freePort } from '../../support/free-port.ts';
import { suiteContext } from '../../support/suite-context.ts';

describe('redisStore over a real Redis, with points', needsProgram('redis-server'), () => {
  const suite = suiteContext();
  let store: BudgetStore;
  let port: number;
  before(async () => {
    port = await freePort();
    await startRedis(suite, port);
    const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {});
    await client.connect();
    suite.after(() => client.destroy());
    store = redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
  });

  for (const { name, run } of budgetStoreTests(() => store)) test(name, run);
});
