import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';

import { compareValidators } from '../../../../support/differential/compare-validators.ts';
import { cases } from '../../../../support/long-form.ts';

// `npm run test:slow` runs more.
const schemas = cases({ short: 4, long: 30 });

test('the fast validator accepts nothing that graphql-js refuses, and nearly everything else', () => {
  const { documents, valid, accepted, unsound } = compareValidators(1, schemas);

  deepEqual(unsound, []);
  ok(documents > schemas * 70 && valid > schemas * 15 && documents - valid > schemas * 30, `${documents} documents, ${valid} valid`);
  ok(accepted > valid * 0.8, `sure of ${accepted} of ${valid}`);
});
