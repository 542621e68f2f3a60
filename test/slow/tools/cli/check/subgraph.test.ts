import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from '../../../../support/command-here.ts';
import type { Outcome } from '../../../../support/command.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

async function check(context: TestContext, functionText: string): Promise<Outcome> {
  const project = await createProject(context, { 'functions/graphql.ts': functionText });
  await linkPackage(project);
  return runCommandHere(project.directory, 'check');
}

function subgraphWith(types: string, more = "routerSecret: { secrets: () => ['a'] },"): string {
  return `import { createHandler } from 'graphql-functions';
import { subgraph } from 'graphql-functions/subgraph';
const typeDefs = \`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [{ name: "@key", as: "@id" }, "@external", "@requires", "@provides"])
  ${types}
\`;
export default createHandler(subgraph({ csrfPrevention: true, ${more} typeDefs }));
`;
}

test('check names wrong reference resolvers', async (context) => {
  const { code, stdout } = await check(
    context,
    subgraphWith(
      'type User @id(fields: "id") { id: ID! } scalar Day',
      "routerSecret: { secrets: () => ['a'] }, resolvers: { User: { __resolveReference: 1 } },",
    ),
  );

  assert.equal(code, 1);
  assert.match(stdout, /resolvers\.User\.__resolveReference takes a function, got a number/);
});

test('check warns of a subgraph without routerSecret, whatever its comments say', async (context) => {
  const open = subgraphWith('type User @id(fields: "id") { id: ID! }', '');
  const warning = /Anyone who can reach this subgraph may read any entity by its key/;

  const [warned, commented, guarded] = [
    await check(context, open),
    await check(context, `// Only the router is in this network.\n${open}`),
    await check(context, subgraphWith('type User @id(fields: "id") { id: ID! }')),
  ];

  assert.deepEqual([warned.code, commented.code, guarded.code], [0, 0, 0], warned.stdout);
  assert.match(warned.stderr + warned.stdout, warning);
  assert.match(commented.stderr + commented.stdout, warning);
  assert.doesNotMatch(guarded.stderr + guarded.stdout, warning);
});
