import assert from 'node:assert/strict';
import { test } from 'node:test';

import { testMadeProject, useSubgraph } from '../../support/real/reader/made-project.ts';

// Projects that `init` makes, from the packed package to an answer in the platform's runtime. Those for Netlify and Next.js are in
// netlify/ and frameworks/, with the parts that they need.

testMadeProject('lambda', 'aws-lambda-ric');
for (const platform of ['workers', 'node', 'hono', 'deno'] as const) testMadeProject(platform);

test('the project of a subgraph installs, passes its checks, builds and answers only the router', { timeout: 300_000 }, async (t) => {
  const entities =
    '{ _entities(representations: [{ __typename: "Book", id: "emma" }, { __typename: "Book", id: "none" }]) { ... on Book { title } } }';

  const { asRouter, others } = await useSubgraph(t, [{ query: '{ _service { sdl } }' }, { query: entities }]);

  assert.match(asRouter[0]!, /type Book @key\(fields: \\"id\\"\)/);
  assert.equal(asRouter[1], '{"data":{"_entities":[{"title":"Emma"},null]}}');
  for (const answer of others)
    assert.match(
      answer,
      /^\{"errors":\[\{"message":"Expected the secret of the router [^{]+"extensions":\{"code":"UNAUTHENTICATED"\}\}\]\}$/,
    );
});
