import assert from 'node:assert/strict';
import { test } from 'node:test';

import { needs } from '../../support/real/parts.ts';
import { expectedAnswers, expectedMissing, useProject, useSubgraph } from '../../support/real/reader/made-project.ts';

// Projects that `init` makes, from the packed package to an answer in the platform's runtime. Those for Netlify and Next.js are in
// netlify/ and frameworks/, with the parts that they need.

for (const [platform, runtime] of [
  ['lambda', needs('aws-lambda-ric')],
  ['workers', {}],
  ['node', {}],
  ['hono', {}],
  ['deno', {}],
] as const) {
  test(
    `the project for ${platform} installs, passes its checks, builds and answers only the operations of clients`,
    { ...runtime, timeout: 300_000 },
    async () => {
      const { answers, missing, transcript } = await useProject(platform);

      assert.deepEqual(answers, expectedAnswers, transcript);
      assert.match(missing, expectedMissing);
    },
  );
}

test('the project of a subgraph installs, passes its checks, builds and answers only the router', { timeout: 300_000 }, async () => {
  const entities =
    '{ _entities(representations: [{ __typename: "Book", id: "emma" }, { __typename: "Book", id: "none" }]) { ... on Book { title } } }';

  const { asRouter, others } = await useSubgraph([{ query: '{ _service { sdl } }' }, { query: entities }]);

  assert.match(asRouter[0]!, /type Book @key\(fields: \\"id\\"\)/);
  assert.equal(asRouter[1], '{"data":{"_entities":[{"title":"Emma"},null]}}');
  for (const answer of others)
    assert.match(
      answer,
      /^\{"errors":\[\{"message":"Expected the secret of the router [^{]+"extensions":\{"code":"UNAUTHENTICATED"\}\}\]\}$/,
    );
});
