import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { createClient } from '@keyv/redis';

import { redisStore } from '../../../../src/entries/budget.ts';
import type { BudgetStore } from '../../../../src/entries/budget.ts';
import { sha256 } from '../../../../src/shared/sha256.ts';
import { needsProgram, startProgram, startRedis } from '../../../support/program.ts';
import { freePort } from '../../../support/free-port.ts';
import { suiteContext } from '../../../support/suite-context.ts';

const connect = (port: number) => createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {});

describe('redisStore over a real Redis, with points', needsProgram('redis-server'), () => {
  const suite = suiteContext();
  let store: BudgetStore;
  let client: ReturnType<typeof connect>;
  let port: number;
  before(async () => {
    port = await freePort();
    await startRedis(suite, port);
    client = connect(port);
    await client.connect();
    suite.after(() => client.destroy());
    store = redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args }));
  });

  test('keeps a bucket until it is full, and no longer', async () => {
    await store.take('expires', { cost: 5_000_000, capacity: 60_000_000 });

    const left = await client.pTTL('expires');

    assert.ok(left > 0 && left <= 5_000, String(left));
  });

  test('lets two processes use all points, and never more', async (t) => {
    const [capacity, refillPerSecond] = [300, 50];
    const perPoint = 1e6 / refillPerSecond;
    /** When the bucket is full again, and the time of the server, read at once. */
    const read = async (): Promise<{ fullAt: number; now: number }> => {
      const script = "local time = redis.call('TIME') return { redis.call('GET', KEYS[1]) or '0', time[1] * 1000000 + time[2] .. '' }";
      const key = `budget:default:${sha256('ada')}`;
      const [fullAt, now] = (await client.eval(script, { keys: [key], arguments: [] })) as [string, string];
      return { fullAt: Number(fullAt), now: Number(now) };
    };
    const { now: start } = await read();
    const args = ['--no-warnings', 'test/support/budget-process.ts', String(port), String(capacity), String(refillPerSecond)];
    const processes = [1, 2].map(() => startProgram(process.execPath, args));
    t.after(() => Promise.all(processes.map((one) => one.end())));
    await Promise.all(processes.map((one) => one.printed(/running/)));
    // Both ask for more than there is, so the bucket is nearly empty whenever nothing holds them up.
    let left: number;
    let seen;
    do {
      seen = await read();
      left = capacity - (seen.fullAt - seen.now) / perPoint;
    } while (left > 3);
    for (const one of processes) one.signal('SIGTERM');
    const runs = await Promise.all(processes.map(async (one) => Number(/\d+/.exec((await one.exited).stdout)?.[0])));

    const granted = runs.reduce((sum, one) => sum + one, 0);
    const last = await read();
    assert.ok(granted <= capacity + (last.now - start) / perPoint, `${granted} points`);
    // Every point that was taken has run, and no other: the time at which the bucket is full says when the first one was taken.
    const firstTake = last.fullAt - granted * perPoint;
    assert.ok(firstTake >= start && firstTake <= seen.now, `${firstTake - start} µs after the start`);
    assert.ok(left <= 0.01 * (capacity + (seen.now - firstTake) / perPoint), `${left} points were left`);
    assert.ok(
      runs.every((one) => one > 0),
      runs.join(),
    );
  });
});
