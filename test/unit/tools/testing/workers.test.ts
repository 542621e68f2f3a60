import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { createProject } from '../../../support/functions-project.ts';

const settings = '{ "main": "src/index.ts", "kv_namespaces": [{ "binding": "CACHE", "id": "1" }] }';

test('node --import graphql-functions/testing runs tests of code that imports cloudflare:workers', async (context) => {
  const { directory } = await createProject(context, {
    'wrangler.jsonc': settings,
    'worker.mjs': `import { DurableObject, env } from 'cloudflare:workers';
export class Room extends DurableObject {}
console.log(typeof env.CACHE.get, typeof env.OTHER, new Room('state', 'bindings').ctx);`,
  });
  const entry = join(import.meta.dirname, '../../../../src/entries/testing.ts');

  const { stdout, stderr } = spawnSync(process.execPath, ['--import', entry, 'worker.mjs'], { cwd: directory, encoding: 'utf8' });

  assert.equal(stdout, 'function undefined state\n', stderr);
});

test('a tester gives a function of options stand-ins for bindings, which fail by name when a request uses them', async (context) => {
  const { directory } = await createProject(context, { 'wrangler.jsonc': settings });
  const cwd = process.cwd();
  process.chdir(directory);
  context.after(() => process.chdir(cwd));
  const handler = createHandler(({ env }: { readonly env: { readonly CACHE: { get(key: string): Promise<string> } } }) => ({
    nodeEnv: 'test',
    typeDefs: 'type Query { hello: String, cached: String }',
    resolvers: { Query: { hello: () => 'Hello!', cached: () => env.CACHE.get('a') } },
  }));

  const { data, errors } = await createTester(handler).run('{ hello cached }');

  assert.deepEqual(data, { hello: 'Hello!', cached: null });
  assert.match(errors![0]!.message, /^The binding CACHE exists only on Workers/);
});
