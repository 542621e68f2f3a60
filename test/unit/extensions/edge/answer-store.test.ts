import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { AnswerStore } from '../../../../src/extensions/edge/store/answer-store.ts';
import { createRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';
import { Turns } from './turns.ts';

/** Runs one history of concurrent reads, writes and lost versions. Counts the answers, and those older than a write whose purge ended before the read began. */
async function staleIn(random: Random): Promise<{ readonly stale: number; readonly hits: number }> {
  const turns = new Turns(random);
  const cache = new MapCache(turns.wait);
  const stores = [new AnswerStore(cache), new AnswerStore(cache)];
  let [database, purged, stale, hits] = [0, 0, 0, 0];
  const read = async (): Promise<void> => {
    const store = random.pick(stores);
    const least = purged;
    const lookup = await store.look('answer');
    if (lookup.hit !== undefined) {
      hits++;
      if ((lookup.hit.result.data as { version: number }).version < least) stale++;
      return;
    }
    await turns.wait();
    const version = database;
    await turns.wait();
    const answer = { resultJSON: JSON.stringify({ data: { version } }), source: '', headers: [], varies: false };
    await store.keep(lookup, answer, { maxAge: 60, tags: ['a'] });
  };
  const write = async (): Promise<void> => {
    await turns.wait();
    const version = ++database;
    // A purge may fail because of a concurrent one. The purger retries it, and so does the test.
    const purge = (): Promise<void> => random.pick(stores).purge(['a']).catch(purge);
    await purge();
    purged = Math.max(purged, version);
  };
  const lose = async (): Promise<void> => {
    await turns.wait();
    await cache.delete(`edge:${random.pick(['moment', 'tag:a'])}`);
  };
  for (let round = 0; round < 4; round++) {
    await turns.run(Promise.all([read(), write(), random.chance(0.3) ? lose() : read()]));
    await turns.run(read());
  }
  return { stale, hits };
}

test('a purge of an empty store succeeds while another process writes the first version of the tag', async () => {
  let others = 1;
  class Cache extends MapCache {
    override async set(key: string, value: string): Promise<void> {
      await super.set(key, value);
      // The other process found no version either, and writes its version after this one.
      if (key === 'edge:tag:a' && others-- > 0) await super.set(key, 'a version of the other process');
    }
  }

  await new AnswerStore(new Cache()).purge(['a']);
});

test('a purge of a store that refuses writes fails', async () => {
  class Cache extends MapCache {
    override async set(): Promise<void> {}
  }

  await assert.rejects(new AnswerStore(new Cache()).purge(['a']), /did not accept a purge/);
});

describe('processes that read, write and purge concurrently', () => {
  const histories = Number(process.env['EDGE_HISTORIES'] ?? 200);
  test(`in ${histories} random orders of all steps, no lookup returns an answer that was purged before`, async () => {
    const random = createRandom(Number(process.env['EDGE_SEED'] ?? 2026));
    let [stale, hits] = [0, 0];
    for (let history = 0; history < histories; history++) {
      const found = await staleIn(random);
      stale += found.stale;
      hits += found.hits;
    }

    assert.equal(stale, 0);
    assert.ok(hits > histories, `${hits} hits`);
  });
});

test('an answer from before a purge is not kept with the new version of its tag, though the store still returns the old moment', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const shared = new MapCache();
  // Workers KV and Netlify Blobs return a value that a location has read before for up to a minute.
  const known = new Map<string, string | undefined>();
  class Lagging extends MapCache {
    override async get(key: string): Promise<string | undefined> {
      if (!known.has(key)) known.set(key, await shared.get(key));
      return known.get(key);
    }
    override async set(key: string, value: string): Promise<void> {
      await shared.set(key, value);
      known.set(key, value);
    }
  }
  const [here, there] = [new AnswerStore(new Lagging()), new AnswerStore(shared)];
  const lookup = await here.look('answer');
  t.mock.timers.tick(10);
  await there.purge(['a']);

  await here.keep(lookup, { resultJSON: '{"data":{"version":1}}', source: '', headers: [], varies: false }, { maxAge: 60, tags: ['a'] });

  assert.equal((await there.look('answer')).hit, undefined);
});
