import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { workerEnvironment } from '../../../../src/tools/testing/workers.ts';
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

test('the environment has variables, secrets of .dev.vars and every kind of binding, as JSON and as TOML', async (context) => {
  const { directory, write, remove } = await createProject(context, {
    '.dev.vars': 'TOKEN="a secret"',
    'wrangler.jsonc': `{
      /* "binding": "OLD", */
      // "binding": "OLDER",
      "routes": [{ "pattern": "shop.example/*" }],
      "triggers": { "crons": ["*/5 * * * *"] },
      "vars": { "REGION": "eu \\"1\\"", "LIMIT": 5, "FAST": true },
      "r2_buckets": [{ "binding": "FILES", "bucket_name": "files" }],
      "durable_objects": { "bindings": [{ "name": "POINTS", "class_name": "A" }, { "class_name": "B", "name": "ROOMS" }] },
      "ratelimits": [{ "name": "LIMITER", "namespace_id": "1", "simple": { "limit": 1, "period": 10 } }],
      "ai": { "binding": "AI" },
      "env": { "staging": { "kv_namespaces": [{ "binding": "CACHE" }] } },
    }`,
  });
  const shown = (): unknown => {
    const env = workerEnvironment(directory);
    return ['TOKEN', 'REGION', 'LIMIT', 'FAST', 'FILES', 'POINTS', 'ROOMS', 'LIMITER', 'AI', 'CACHE', 'OLD', 'OLDER', 'name'].map((name) =>
      typeof env[name] === 'object' ? typeof env[name].get : env[name],
    );
  };

  const fromJSON = shown();
  await remove('wrangler.jsonc');
  await write({
    'wrangler.toml': `name = "shop"
# binding = "OLD"
r2_buckets = [{ binding = "FILES", bucket_name = "files" }]
durable_objects.bindings = [{ name = "POINTS", class_name = "A" }]
[vars]
REGION = 'eu "1"'
LIMIT = 5
FAST = true
[[durable_objects.bindings]]
class_name = "B"
name = "ROOMS"
[[ratelimits]]
name = "LIMITER"
[ai]
binding = "AI"
[[env.staging.kv_namespaces]]
binding = "CACHE"`,
  });

  const binding = 'function';
  const all = ['a secret', 'eu "1"', 5, true, ...Array.from({ length: 6 }, () => binding), undefined, undefined, undefined];
  assert.deepEqual(fromJSON, all);
  assert.deepEqual(shown(), all);
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
