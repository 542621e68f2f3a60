import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../../support/real/parts.ts';
import { expectedAnswers, expectedMissing, useProject } from '../../support/real/reader/made-project.ts';

const settings = { ...needs('netlify-cli', 'aws-lambda-ric'), timeout: 300_000 };

test(
  'the project that init makes for Netlify installs, passes its checks, builds and answers only the operations of clients',
  settings,
  async () => {
    const { answers, missing, transcript } = await useProject('netlify');

    assert.deepEqual(answers, expectedAnswers, transcript);
    assert.match(missing, expectedMissing);
  },
);
