import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { AnswerStore } from '../../../../../src/extensions/edge/store/answer-store.ts';
import type { KeyValueCache } from '../../../../../src/entries/index.ts';
import { cases } from '../../../../support/long-form.ts';
import { createRandom } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';

/** Seconds for which a location reads its cached copy of a value, as Workers KV and Netlify Blobs do by default. */
const lag = 60;
const histories = cases({ short: 40, long: 2_000 });

/** A store with readers in several locations. A location sees its own writes immediately. */
class LaggingStore {
  readonly #entries = new Map<string, string>();

  location(): KeyValueCache {
    const read = new Map<string, { value: string | undefined; until: number }>();
    const remember = (key: string, value: string | undefined): string | undefined => {
      read.set(key, { value, until: Date.now() + lag * 1_000 });
      return value;
    };
    return {
      get: async (key) => {
        const known = read.get(key);
        return known !== undefined && Date.now() < known.until ? known.value : remember(key, this.#entries.get(key));
      },
      set: async (key, value) => {
        this.#entries.set(key, value);
        remember(key, value);
      },
      delete: async (key) => void this.#entries.delete(key),
    };
  }
}

type Step = readonly [second: number, run: () => unknown];

/** Runs queries and mutations of one value in several locations for ten minutes. Counts the stored answers, and those that are older than the lag allows. */
async function countIn(t: TestContext, random: Random): Promise<{ hits: number; stale: number }> {
  const shared = new LaggingStore();
  const locations = Array.from({ length: 3 }, () => new AnswerStore(shared.location()));
  const steps: Step[] = [];
  let version = 0;
  let [hits, stale] = [0, 0];
  /** The version that every location must have from this second on. */
  const due: { second: number; version: number }[] = [];

  const query = (second: number): void => {
    const store = random.pick(locations);
    let lookup: Awaited<ReturnType<AnswerStore['look']>>;
    let read: number;
    steps.push([
      second,
      async () => {
        lookup = await store.look('answer');
        if (lookup.hit !== undefined) hits++;
        const shown = (lookup.hit?.result.data as { version: number } | undefined)?.version ?? Infinity;
        if (due.some((one) => one.second <= second && shown < one.version)) stale++;
      },
    ]);
    const end = second + 1 + random.below(20);
    steps.push([second + 0.5, () => (read = version)]);
    const answer = { source: '{ version }', headers: [], varies: false };
    steps.push([end, () => lookup.hit ?? store.keep(lookup, { ...answer, resultJSON: `{"data":{"version":${read}}}` }, { maxAge: 3_600, tags: ['t:A'] })]); // prettier-ignore
  };
  const mutation = (second: number): void => {
    const store = random.pick(locations);
    const purge = async (): Promise<void> => {
      const changed = version;
      await store.purge(['t:A']);
      due.push({ second: second + 0.2 + lag, version: changed });
    };
    steps.push([second, () => version++], [second + 0.2, purge]);
  };
  for (let at = 0; at < 40; at++) (random.chance(0.25) ? mutation : query)(random.below(600));
  steps.sort(([one], [other]) => one - other);
  for (const [second, run] of steps) {
    t.mock.timers.setTime(1_000_000_000 + second * 1_000);
    await run();
  }
  return { hits, stale };
}

describe('a store of answers with an eventually consistent backend', () => {
  test(`returns nothing older than its lag, in ${histories} random histories`, async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    const random = createRandom(2_611);
    const counts = { hits: 0, stale: 0 };
    for (let history = 0; history < histories; history++) {
      const { hits, stale } = await countIn(t, random);
      counts.hits += hits;
      counts.stale += stale;
    }

    assert.ok(counts.hits > 5 * histories, `${counts.hits} hits`);
    assert.equal(counts.stale, 0);
  });
});
