import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from '../../../support/command-here.ts';
import type { Outcome } from '../../../support/command.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';

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

test('check names the line of each field that @key, @requires and @provides name and the type does not have', async (context) => {
  const { code, stdout } = await check(
    context,
    subgraphWith(`
  type Fine @id(fields: "id sub { id }") @id(fields: "id") { id: ID! sub: Sub extra: Int @external more: Int @requires(fields: "extra") sub2: Sub @provides(fields: "id") }
  type Sub { id: ID! }
  type Unknown @id(fields: "nope") { id: ID! }
  type Leaf @id(fields: "id { x }") { id: ID! }
  interface Listed @id(fields: ["id"]) { id: ID! }
  type Required { id: ID! a: Int @requires(fields: "b") c: [Sub!] @provides(fields: "d") }
  extend type Later @id(fields: "id") { id: ID! }
  type Syntax @id(fields: "id )") { id: ID! }`),
  );

  assert.equal(code, 1);
  assert.deepEqual(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('functions'))
      .map((line) => line.replace(/:\d+ /, ' ')),
    [
      'functions/graphql.ts:8 @id(fields: "nope") names fields of "Unknown". Cannot query field "nope" on type "Unknown".',
      'functions/graphql.ts:9 @id(fields: "id { x }") names fields of "Leaf". Field "id" must not have a selection since type "ID!" has no subfields.',
      'functions/graphql.ts:10 @id(fields: ["id"]) names fields of "Listed". Write them in one string, such as "id name".',
      'functions/graphql.ts:11 @requires(fields: "b") names fields of "Required". Cannot query field "b" on type "Required". Did you mean "a" or "c"?',
      'functions/graphql.ts:11 @provides(fields: "d") names fields of "Sub". Cannot query field "d" on type "Sub". Did you mean "id"?',
      'functions/graphql.ts:13 @id(fields: "id )") names fields of "Syntax". Syntax Error: Expected Name, found ")".',
    ],
    stdout,
  );
});

test('check names wrong reference resolvers', async (context) => {
  const { code, stdout } = await check(
    context,
    subgraphWith(
      'type User @id(fields: "id") { id: ID! } scalar Day',
      "routerSecret: { secrets: () => ['a'] }, resolvers: { User: { __resolveReference: 1 } },",
    ),
  );

  assert.equal(code, 1);
  assert.match(stdout, /resolvers\.User\.__resolveReference takes a function, got 1/);
});

test('check warns of a subgraph without routerSecret, unless a comment mentions the router', async (context) => {
  const open = subgraphWith('type User @id(fields: "id") { id: ID! }', '');
  const warning = /Anyone who can reach this subgraph may read any entity by its key/;

  const [warned, commented, guarded] = [
    await check(context, open),
    await check(context, `// Only the router is in this network.\n${open}`),
    await check(context, subgraphWith('type User @id(fields: "id") { id: ID! }')),
  ];

  assert.deepEqual([warned.code, commented.code, guarded.code], [0, 0, 0], warned.stdout);
  assert.match(warned.stderr + warned.stdout, warning);
  assert.doesNotMatch(commented.stderr + commented.stdout, warning);
  assert.doesNotMatch(guarded.stderr + guarded.stdout, warning);
});
