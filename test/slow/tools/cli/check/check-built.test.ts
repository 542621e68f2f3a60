import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommandHere } from '../../../../support/command-here.ts';
import { createProject, linkPackage } from '../../../../support/functions-project.ts';

const esbuild = join(import.meta.dirname, '../../../../../node_modules/.bin/esbuild');

/** Bundles functions of a project with these flags, and checks the result. Returns the lines that name a problem, or the last line. */
async function checkBuilt(
  context: TestContext,
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = ['--format=esm', '--out-extension:.js=.mjs'],
): Promise<readonly string[]> {
  const { directory } = await createProject(context, files);
  await linkPackage({ directory }, 'graphql');
  const banner = "--banner:js=import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";
  const functions = Object.keys(files).filter((name) => /^functions\/\w+\.ts$/.test(name));
  const all = [
    ...functions,
    '--bundle',
    '--platform=node',
    '--outdir=built',
    ...flags,
    ...(flags.includes('--format=esm') ? [banner] : []),
  ];
  const { status, stderr } = spawnSync(esbuild, all, { cwd: directory, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const { stdout } = await runCommandHere(directory, 'check', '--built', 'built');
  return stdout.trim().split('\n');
}

const sound = `import { createHandler } from 'graphql-functions';
export default createHandler({ csrfPrevention: true, typeDefs: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } } });`;

test('sound functions have no problems, as ES modules and as CommonJS, also those of Lambda', async (context) => {
  const lambda = sound.replace("'graphql-functions'", "'graphql-functions/aws-lambda'").replace('export default', 'export const handler =');
  const files = { 'functions/graphql.ts': sound, 'functions/lambda.ts': lambda };

  assert.deepEqual(await checkBuilt(context, files), ['No problems in built.']);
  assert.deepEqual(await checkBuilt(context, files, ['--format=cjs']), ['No problems in built.']);
});

test('what is not deployed is named: files that are read, packages, and a file that Lambda would take for CommonJS', async (context) => {
  const reads = sound.replace("'type Query { a: Int }'", "readFileSync(new URL('schema.graphql', import.meta.url), 'utf8')");
  const files = {
    'functions/reads.ts': `import { readFileSync } from 'node:fs';\n${reads}`,
    'functions/native.ts': `import sharp from 'sharp';\n${sound.replace('() => 1', '() => sharp')}`,
  };
  const esm = ['--format=esm', '--external:sharp'];

  const lines = await checkBuilt(context, files, [...esm, '--out-extension:.js=.mjs']);
  const asScripts = await checkBuilt(context, files, esm);

  assert.match(lines[0]!, /^built\/native\.mjs Cannot find package 'sharp' imported from native\.mjs/);
  assert.match(lines.join('\n'), /^built\/reads\.mjs It reads schema\.graphql, which is not deployed\./m);
  assert.match(asScripts[0]!, /^built\/native\.js Cannot use import statement outside a module/);
});

test('types whose classes a bundler has renamed are named', async (context) => {
  const files = {
    'functions/graphql.ts': `import { createHandler } from 'graphql-functions';
import { GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';
class Bookshelf {}
class Query {}
const shelf = new GraphQLObjectType({ name: Bookshelf.name, fields: { size: { type: GraphQLInt } } });
const query = new GraphQLObjectType({ name: Query.name, fields: { shelf: { type: shelf } } });
export default createHandler({ csrfPrevention: true, schema: new GraphQLSchema({ query }) });`,
  };
  const flags = ['--format=esm', '--out-extension:.js=.mjs', '--minify'];

  const renamed = await checkBuilt(context, files, flags);
  const kept = await checkBuilt(context, files, [...flags, '--keep-names']);

  assert.match(
    renamed[0]!,
    /^built\/graphql\.mjs Its schema has no Query, Bookshelf: the bundler renamed classes\. Bundle with --keep-names/,
  );
  assert.deepEqual(kept, ['No problems in built.']);
});

test('a server is started on the port in PORT, and must answer at /health', async (context) => {
  const server = (port: string): string => `import { serve } from 'graphql-functions/node';
serve({ typeDefs: 'type Query { a: Int }' }, { port: ${port} });`;

  const right = await checkBuilt(context, { 'functions/server.ts': server("Number(process.env['PORT'])") });
  const wrong = await checkBuilt(context, { 'functions/server.ts': server('0') });

  assert.deepEqual(right, ['No problems in built.']);
  assert.match(wrong[0]!, /^built It has no file that exports a handler, or starts a server on the port in the variable PORT\./);
});

test('a wrong schema, a handler that is not exported, and a folder without one are problems', async (context) => {
  const wrong = await checkBuilt(context, { 'functions/graphql.ts': sound.replace('a: Int', 'a: Missing') });
  const unexported = await checkBuilt(context, { 'functions/graphql.ts': sound.replace('export default', 'void') });
  const other = await checkBuilt(context, { 'functions/other.ts': 'export const nothing = 1;' });
  const { directory } = await createProject(context, {});
  const { code, stderr } = await runCommandHere(directory, 'check', '--built', 'dist');

  assert.match(wrong[0]!, /^built\/graphql\.mjs .*"Missing"/);
  assert.match(unexported[0]!, /^built\/graphql\.mjs It exports neither default nor handler, and no server answers at \/health/);
  assert.match(other[0]!, /^built It has no file that exports a handler/);
  assert.match(stderr, /^There is no dist in .*\. Build the project first\./);
  assert.equal(code, 1);
});

test('a store in memory, which production refuses, is named', async (context) => {
  const store = `import { idempotency, memoryStore } from 'graphql-functions/idempotency';
${sound.replace('csrfPrevention: true,', 'csrfPrevention: true, plugins: [idempotency({ store: memoryStore(), identity: () => undefined })],')}`;

  const lines = await checkBuilt(context, { 'functions/graphql.ts': store });

  assert.match(lines[0]!, /^built\/graphql\.mjs Expected a shared store in production, got memoryStore\(\)/);
});

test('a handler of Lambda may have any name, as Handler names the export; Netlify calls no other than its own', async (context) => {
  const files = { 'functions/graphql.ts': sound.replace('export default', 'export const graphqlHandler =') };

  assert.deepEqual(await checkBuilt(context, files), ['No problems in built.']);
  assert.match(
    (await checkBuilt(context, { ...files, 'netlify.toml': '' }))[0]!,
    /^built\/graphql\.mjs It exports neither default nor handler/,
  );
});

test('a worker exports an object, and may read bindings when it is loaded', async (context) => {
  const settings = '{ "main": "functions/graphql.ts", "d1_databases": [{ "binding": "DB", "database_id": "1" }] }';
  const worker = `import { env } from 'cloudflare:workers';
import { d1Store, idempotency } from 'graphql-functions/idempotency';
${sound.replace('csrfPrevention: true,', 'csrfPrevention: true, plugins: [idempotency({ store: d1Store(env.DB), identity: () => undefined })],')}`;
  const flags = ['--format=esm', '--out-extension:.js=.mjs', '--external:cloudflare:*'];
  const object = worker.replace('export default createHandler', 'const { fetch } = createHandler').concat('\nexport default { fetch };');

  const lines = await checkBuilt(context, { 'wrangler.jsonc': settings, 'functions/graphql.ts': worker }, flags);

  assert.match(
    lines[0]!,
    /^built\/graphql\.mjs Expected the default export to be an object with fetch, got a function: Workers take a function for a class\./,
  );
  assert.deepEqual(await checkBuilt(context, { 'wrangler.jsonc': settings, 'functions/graphql.ts': object }, flags), [
    'No problems in built.',
  ]);
});
