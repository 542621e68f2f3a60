import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareLiterals } from '../../../support/differential/compare-literals.ts';

test('random arguments of random types: a plan has the values and errors of graphql-js, with new values for each run', () => {
  const { equal, refused, differences } = compareLiterals(1, 20, 25);

  deepEqual(differences.slice(0, 3), []);
  ok(equal > refused, `${equal} equal, ${refused} refused`);
  ok(refused > 50, `${refused} refused`);
});
