import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareValidators } from '../support/differential/compare-validators.ts';

// The long form is `node test/support/differential/long-run.ts`.
test('the fast validator is sure of nothing that graphql-js refuses, and of nearly everything else', () => {
  const { documents, valid, accepted, unsound } = compareValidators(1, 30);

  deepEqual(unsound, []);
  ok(documents > 2_000 && valid > 500 && documents - valid > 1_000, `${documents} documents, ${valid} valid`);
  ok(accepted > valid * 0.8, `sure of ${accepted} of ${valid}`);
});
