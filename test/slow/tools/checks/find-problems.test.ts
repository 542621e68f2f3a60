import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { build } from 'esbuild';

import { startCommand } from '../../../support/program.ts';
import { createProject, linkPackage } from '../../../support/functions-project.ts';

/** What a server of Node prints that runs this code, with a schema and resolvers that have three mistakes. */
async function run(context: TestContext, code: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { directory } = await createProject(context, {
    'server.ts': `import { createHandler } from 'graphql-functions';
import { resolvers } from './graphql/resolvers.ts';
import { typeDefs } from './graphql/schema.ts';

${code}
`,
    'graphql/schema.ts': 'export const typeDefs = /* GraphQL */ `\n  type Query {\n    a: Missing\n    b: Gone\n  }\n`;\n',
    'graphql/resolvers.ts': 'export const resolvers = {\n  Query: {\n    c: () => 1,\n  },\n};\n',
    'package.json': '{ "type": "module" }',
  });
  await linkPackage({ directory }, 'graphql');
  const { stdout, stderr } = await startCommand(context, ['server.ts'], { cwd: directory, env }).exited;
  return (stdout + stderr).replaceAll(directory, '');
}

const places = [
  'server.ts:6:3 Unknown option "option"',
  'graphql/schema.ts:3:8 Unknown type "Missing"',
  'graphql/schema.ts:4:8 Unknown type "Gone"',
  'graphql/resolvers.ts:3:8 resolvers.Query names the field "c"',
];
const refused = 'createHandler({\n  option: 1,\n  typeDefs, resolvers } as never);';

test('in development, a server that Node runs prints all problems with file and line, and none of our frames', async (context) => {
  const printed = await run(context, refused, { NODE_ENV: 'development' });

  assert.deepEqual(printed.match(/^ *[\w/]+\.ts:\d+:\d+ [^"\n]+"\w+"/gm), places);
  assert.match(printed, /> 3 \| {5}a: Missing\n/);
  assert.deepEqual(printed.match(/^ +at .*/gm), ['    at /server.ts:5:1']);
});

test('options of a function are explained when the first request needs them', async (context) => {
  const code = `const handler = createHandler(async () => ({ typeDefs, resolvers }));
const response = await handler(new Request('https://api.example/', { method: 'POST', body: '{"query":"{ a }"}', headers: { 'content-type': 'application/json' } }));
console.log(response.status);`;
  const printed = await run(context, code, { NODE_ENV: 'development' });

  assert.match(
    printed,
    /^500\ngraphql\/schema\.ts:3:8 Unknown type "Missing"[^]*\ngraphql\/resolvers\.ts:3:8 [^]*\nThe server could not start/,
  );
});

test('in production, the error is the first one', async (context) => {
  const printed = await run(context, refused, { NODE_ENV: 'production' });

  assert.match(printed, /Error: Unknown option "option"/);
  assert.doesNotMatch(printed, /Missing/);
});

test('in a bundle without the files of the package, the error is the first one, and names the command that finds all', async (context) => {
  const { directory } = await createProject(context, {});
  const contents =
    "import { createHandler } from 'graphql-functions';\nexport default createHandler({ typeDefs: 'type Query { a: A b: B }' });";
  const stdin = { contents, resolveDir: join(import.meta.dirname, '../../../..') };
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: join(directory, 'server.mjs'), logLevel: 'error' });

  const { stderr } = await startCommand(context, ['server.mjs'], { cwd: directory, env: { NODE_ENV: 'development' } }).exited;

  assert.match(stderr, /"A".* To see all problems with file and line, run: npx graphql-functions check\n/);
});
