import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startCommand } from '../support/command.ts';
import type { Outcome } from '../support/command.ts';
import { createProject, linkPackage } from '../support/functions-project.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');

const graphql = `import { createHandler } from 'graphql-functions';

export default createHandler({
  introspection: false,
  context: () => { throw new Error('Nobody is logged in.'); },
  maxDepth: 2,
  typeDefs: 'type Query { book(id: ID!): Book } type Book { title: String author: Author } type Author { name: String }',
});
// What is left running must not keep the command from ending.
setInterval(() => {}, 1000);
`;

async function check(context: TestContext, files: Readonly<Record<string, string>>, ...argv: string[]): Promise<Outcome> {
  const project = await createProject(context, files);
  await linkPackage(project);
  return startCommand(context, [main, 'check', ...argv], { cwd: project.directory }).ended;
}

test('check says which functions are sound, and ends with exit code 0', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': graphql,
      'functions/plain.ts': 'export default () => new Response();',
      'queries/a.graphql': 'query A($id: ID!) { book(id: $id) { ...B } }',
      'queries/parts/b.graphql': 'fragment B on Book { title author { ...N } }',
      'queries/parts/n.graphql': 'fragment N on Author { name }',
    },
    'queries/**/*.graphql',
  );

  assert.equal(stdout, 'No problem in graphql, plain.\n');
  assert.match(stderr, /Checking functions\/graphql\.ts …\n.*\nChecking 3 files of operations …/);
  assert.equal(code, 0);
});

test('operations are validated against the schema, each problem with file, line and column, and once', async (context) => {
  const { code, stdout, stderr } = await check(
    context,
    {
      'functions/graphql.ts': graphql,
      'a.graphql': 'query A {\n  book(id: 1) { titel ...B }\n}',
      'b.graphql': 'query B { book(id: 1) { ...B } }\n\nfragment B on Book { wrong }',
      'c.graphql': '{ book(',
    },
    '*.graphql',
  );

  assert.deepEqual(stdout.trim().split('\n').toSorted(), [
    'a.graphql:2:17 Cannot query field "titel" on type "Book". Did you mean "title"?',
    'b.graphql:3:22 Cannot query field "wrong" on type "Book".',
    'c.graphql:1:8 Syntax Error: Expected Name, found <EOF>.',
  ]);
  assert.match(stderr, /3 problems\.\n$/);
  assert.equal(code, 1);
});

const broken: readonly (readonly [what: string, options: string, expected: RegExp])[] = [
  ['an unknown option', '{ typeDefs: "type Query { a: Int }", introspektion: true }', /Unknown option "introspektion".*"introspection"/],
  ['a resolver without a field', '{ typeDefs: "type Query { a: Int }", resolvers: { Query: { b: () => 1 } } }', /Query.*b/],
  ['an invalid schema', '{ typeDefs: "type Query { a: I } interface I { id: ID } type T implements I { b: Int }" }', /id/],
];
for (const [what, options, expected] of broken) {
  test(`${what} is a problem at the user’s line`, async (context) => {
    const { code, stdout } = await check(context, {
      'functions/graphql.ts': `import { createHandler } from 'graphql-functions';\n\nexport default createHandler(${options});`,
    });

    assert.match(stdout, /^functions\/graphql\.ts:3:16 /);
    assert.match(stdout, expected);
    assert.equal(code, 1);
  });
}

test('options that come asynchronously are checked too', async (context) => {
  const { code, stdout } = await check(context, {
    'functions/graphql.ts':
      "import { createHandler } from 'graphql-functions/netlify';\nexport default createHandler(async () => ({ typeDefs: 'type Query { a: Missing }' }));",
  });

  assert.match(stdout, /^functions\/graphql\.ts.* .*Missing/);
  assert.equal(code, 1);
});

test('what cannot be bundled, and a module that exports no function, are problems beside others', async (context) => {
  const { code, stdout } = await check(context, {
    'functions/a.ts': "import './missing.ts';",
    'functions/b.ts': 'export const wrong = 1;',
    'functions/c d.ts': 'export default () => new Response();',
  });

  assert.match(stdout, /Could not resolve ".\/missing.ts"[^]*functions\/a\.ts:1:7/);
  assert.match(stdout, /functions\/b\.ts Expected the function b to export default/);
  assert.match(stdout, /functions\/c d\.ts Names of functions/);
  assert.equal(code, 1);
});

test('a pattern that names no file, and a missing folder, say what to do', async (context) => {
  const noFile = await check(context, { 'functions/graphql.ts': graphql }, 'src/*.graphql');
  const noFolder = await check(context, {});

  assert.match(noFile.stderr, /No file is named src\/\*\.graphql\. Put patterns into quotes/);
  assert.match(noFolder.stderr, /--functions <folder>/);
  assert.deepEqual([noFile.code, noFolder.code], [1, 1]);
});

test('operations without a sound schema are a problem that says so', async (context) => {
  const { code, stdout } = await check(
    context,
    { 'functions/plain.ts': 'export default () => new Response();', 'a.graphql': '{ a }' },
    'a.graphql',
  );

  assert.match(stdout, /No schema to validate documents with.*--function.*none/);
  assert.equal(code, 1);
});
