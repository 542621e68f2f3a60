import assert from 'node:assert/strict';
import { test } from 'node:test';

import { expectedAnswer, useProject } from '../reader/made-project.ts';

test('the project that init makes for Next.js installs, passes its checks, builds and answers', { timeout: 240_000 }, async () => {
  const { answers, transcript } = await useProject('nextjs', '--codegen --tests');

  assert.deepEqual(answers, [expectedAnswer, expectedAnswer], transcript);
});
