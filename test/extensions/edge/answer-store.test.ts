import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { AnswerStore } from '../../../src/extensions/edge/store/answer-store.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { MapCache } from './map-cache.ts';

/** Lets what waits go on one by one, in an order of its own. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly wait = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
    });

  /** Until all of these have ended. */
  async run(work: readonly Promise<unknown>[]): Promise<void> {
    const ended: unknown[] = [];
    for (const one of work) void one.then(() => ended.push(one));
    for (let step = 0; ended.length < work.length; step++) {
      assert.ok(step < 10_000, 'they do not come to an end');
      const [next] = this.#waiting.splice(this.#random.below(Math.max(1, this.#waiting.length)), 1);
      next?.();
      for (let turn = 0; turn < 12; turn++) await Promise.resolve();
    }
  }
}

const objects = ['a'];

/** Reads, writes and lost versions of one history, all at once. Returns what was answered stale: older than a write that had been purged before the read began. */
async function staleIn(random: Random): Promise<{ readonly stale: number; readonly hits: number }> {
  const turns = new Turns(random);
  const cache = new MapCache(turns.wait);
  const stores = [new AnswerStore(cache), new AnswerStore(cache)];
  const database = new Map(objects.map((name) => [name, 0]));
  const purged = new Map(objects.map((name) => [name, 0]));
  let [stale, hits] = [0, 0];
  const read = async (): Promise<void> => {
    const store = random.pick(stores);
    const name = random.pick(objects);
    const least = purged.get(name)!;
    const lookup = await store.look(`answer:${name}`);
    if (lookup.hit !== undefined) {
      hits++;
      if ((lookup.hit.result.data as { version: number }).version < least) stale++;
      return;
    }
    await turns.wait();
    const version = database.get(name)!;
    await turns.wait();
    const answer = { result: { data: { version } }, source: '', headers: [], varies: false };
    await store.keep(lookup, answer, { maxAge: 60, tags: [name] });
  };
  const write = async (): Promise<void> => {
    const name = random.pick(objects);
    await turns.wait();
    const version = database.get(name)! + 1;
    database.set(name, version);
    // Another's purge may have made it fail: it is tried again, as the purger does.
    for (let done = false; !done;)
      done = await random.pick(stores).purge([name]).then(() => true, () => false); // prettier-ignore
    purged.set(name, Math.max(purged.get(name)!, version));
  };
  const lose = async (): Promise<void> => {
    await turns.wait();
    await cache.delete(`edge:${random.pick(['moment', 'tag:a'])}`);
  };
  for (let round = 0; round < 4; round++) {
    await turns.run([read(), write(), random.chance(0.3) ? lose() : read()]);
    await turns.run([read()]);
  }
  return { stale, hits };
}

describe('processes that read, write and purge at once', () => {
  const histories = Number(process.env['EDGE_HISTORIES'] ?? 300);
  test(`in ${histories} random orders of all their steps, nothing is answered that was purged before it was asked for`, async () => {
    const random = createRandom(2026);
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
