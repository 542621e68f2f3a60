import assert from 'node:assert/strict';
import { test } from 'node:test';

import { medianOfRuns } from '../../../bench/statistics.ts';

test('figures of several runs are their medians', () => {
  const run = (microseconds: number, ratio: number, median: number) => ({
    name: 'hello',
    list: [{ microseconds, ratio }],
    spread: { median },
    absent: null,
  });

  assert.deepEqual(medianOfRuns([run(3, 0.31, 0.5), run(1, 0.2, 0.4), run(2, 0.25, 0.6)]), {
    name: 'hello',
    list: [{ microseconds: 2, ratio: 0.25 }],
    spread: { median: 0.5 },
    absent: null,
  });
});
