import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareLiterals } from '../../support/differential/compare-literals.ts';

test('random arguments of random types: a plan has the values of graphql-js, for each run its own, and its errors', () => {
  const { equal, refused, differences } = compareLiterals(1, 20, 25);

  deepEqual(differences.slice(0, 3), []);
  ok(equal > refused, `${equal} equal, ${refused} refused`);
  ok(refused > 50, `${refused} refused`);
});
