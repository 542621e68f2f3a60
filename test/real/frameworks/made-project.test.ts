import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expectedAnswers, expectedMissing, useProject } from '../../support/real/reader/made-project.ts';

test(
  'the project that init makes for Next.js installs, passes its checks, builds and answers only the operations of clients',
  { timeout: 300_000 },
  async () => {
    const { answers, missing, transcript } = await useProject('nextjs');

    assert.deepEqual(answers, expectedAnswers, transcript);
    assert.match(missing, expectedMissing);
  },
);
