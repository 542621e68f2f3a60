import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareCoercion } from '../../../support/differential/compare-coercion.ts';

test('random variables of random input types are coerced to the values of graphql-js, and graphql-js reports every refusal', () => {
  const { accepted, left, leftAlthoughValid, differences } = compareCoercion(1, 60, 25);

  deepEqual(differences.slice(0, 3), []);
  ok(accepted > left, `${accepted} accepted, ${left} left`);
  ok(leftAlthoughValid < accepted / 10, `${leftAlthoughValid} left although valid, of ${accepted}`);
});
