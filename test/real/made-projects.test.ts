import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from './parts.ts';
import { expectedAnswers, expectedMissing, useProject } from './reader/made-project.ts';

// Projects that `init` makes, from the packed package to an answer in the platform's runtime. Those for Netlify and Next.js are in
// netlify/ and frameworks/, with the parts that they need.

for (const [platform, flags, runtime] of [
  ['lambda', '--tests', needs('aws-lambda-ric')],
  ['workers', '--codegen --tests', {}],
  ['node', '', {}],
  ['hono', '', {}],
  ['deno', '', {}],
] as const) {
  test(
    `the project for ${platform} installs, passes its checks, builds and answers only the operations of clients`,
    { ...runtime, timeout: 300_000 },
    async () => {
      const { answers, missing, transcript } = await useProject(platform, flags);

      assert.deepEqual(answers, expectedAnswers, transcript);
      assert.match(missing, expectedMissing);
    },
  );
}
