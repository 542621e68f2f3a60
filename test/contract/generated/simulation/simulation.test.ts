import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cases } from '../../../support/long-form.ts';
import { planOf, runHistory } from './history.ts';
import { plantedBugs } from './planted-bugs.ts';
import type { PlantedBug } from './shop.ts';

/** Replays one history. */
const only = process.env['SEED'];
// The slowest planted bug is found in history 75.
const histories = cases({ short: 150, long: 2_500 });
/** More than the slowest bug needs. */
const most = 200;

/** The first of these seeds whose history breaks an invariant. */
async function firstFailure(seeds: readonly [from: number, to: number], bug?: PlantedBug): Promise<number | undefined> {
  for (let seed = seeds[0]; seed <= seeds[1]; seed++) if ((await runHistory(planOf(seed), bug)).problems.length > 0) return seed;
  return undefined;
}

/** What happened in the history of a seed. */
async function explain(seed: number): Promise<string> {
  const { problems, trace } = await runHistory(planOf(seed));
  return `seed ${seed} fails. Replay it: SEED=${seed} node --test test/contract/generated/simulation/simulation.test.ts\n${problems.join('\n')}\n${trace.join('\n')}`;
}

describe('a simulated world of instances, clients, an API, stores and a CDN', () => {
  test(
    `keeps every invariant in ${only === undefined ? `${histories} histories` : `the history of seed ${only}`}`,
    { timeout: 7_200_000 },
    async () => {
      const failed = await firstFailure(only === undefined ? [1, histories] : [Number(only), Number(only)]);

      assert.equal(failed, undefined, failed === undefined ? undefined : await explain(failed));
    },
  );

  test('repeats a history exactly', async () => {
    for (const seed of [1, 2, 3]) {
      const [first, second] = [await runHistory(planOf(seed)), await runHistory(planOf(seed))];

      assert.ok(first.trace.length > 5);
      assert.deepEqual(second.trace, first.trace);
    }
  });

  describe('finds a planted bug:', () => {
    for (const [name, bug] of Object.entries(plantedBugs))
      test(name, { skip: only !== undefined }, async (t) => {
        const seed = (await firstFailure([bug.seed, bug.seed], bug)) ?? (await firstFailure([1, most], bug));

        assert.ok(seed !== undefined, `not found in ${most} histories`);
        t.diagnostic(`found in history ${seed}`);
      });
  });
});
