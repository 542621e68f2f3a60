// The caches of docs/examples/caching over the vendors' own clients and simulations. test/slow/datasources/cache/recipes.test.ts has the others.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { NetlifyBlobsCache } from '../../../docs/examples/caching/netlify-blobs.ts';
import { WorkersKVCache } from '../../../docs/examples/caching/workers-kv.ts';
import type { KeyValueCache } from '../../../src/entries/index.ts';
import { numbered, startAPI } from '../../support/datasources/api.ts';
import { hostileInputs } from '../../support/hostile-inputs.ts';
import { importFromPart, needs } from '../../support/real/parts.ts';

for (const [name, part, create] of [
  ['Netlify Blobs', '@netlify/blobs', createBlobs],
  ['Workers KV', 'miniflare', createKV],
] as const) {
  test(
    `a cache in ${name} takes keys of a kilobyte, keeps an entry for each key, and expires values to the millisecond`,
    needs(part),
    async (t) => {
      const cache = await create(t);
      const key = 'ü'.repeat(1_000);
      await cache.set(key, 'value: 世界\n', { ttl: 3_600.5 });
      await cache.set('short', 'here', { ttl: 5 });
      for (const hostile of hostileInputs) await cache.set(hostile, `${hostile}\n`, { ttl: 60 });
      await cache.set('gone', 'gone', { ttl: 1e-6 });

      const values = [await cache.get(key), await cache.get('short'), await cache.get('gone'), await cache.get('missing')];
      await cache.delete(key);

      for (const hostile of hostileInputs) assert.equal(await cache.get(hostile), `${hostile}\n`);
      assert.deepEqual([...values, await cache.get(key)], ['value: 世界\n', 'here', undefined, undefined, undefined]);
    },
  );

  test(`a response that one process stores in ${name} is served by another, until a write`, needs(part), async (t) => {
    const { begin } = await startAPI(t, numbered({ 'cache-control': 'max-age=60' }), await create(t));

    assert.deepEqual([await begin().read('x'), await begin().read('x')], [0, 0]);
    await begin().create('x');
    assert.equal(await begin().read('x'), 2);
  });
}

test('a value above the 25 MiB of Workers KV is refused, and none is kept', needs('miniflare'), async (t) => {
  const cache = await createKV(t);

  await assert.rejects(cache.set('large', 'x'.repeat(26 * 1_024 * 1_024)), /413|too large|exceeds/i);
  assert.equal(await cache.get('large'), undefined);
});

test('a cache in Netlify Blobs uses the token of the current call, not that of the first', needs('@netlify/blobs'), async (t) => {
  const cache = await createBlobs(t, 'second', 'first');
  await assert.rejects(cache.get('key'), /401|403/);

  configureBlobs({ token: 'second' });
  await cache.set('key', 'value');

  assert.equal(await cache.get('key'), 'value');
});

/** The global variable from which @netlify/blobs reads the configuration that the platform passes to a function. */
const environment = globalThis as { netlifyBlobsContext?: string };

function configureBlobs(change: object): void {
  const known = environment.netlifyBlobsContext === undefined ? {} : (JSON.parse(atob(environment.netlifyBlobsContext)) as object);
  environment.netlifyBlobsContext = btoa(JSON.stringify({ ...known, ...change }));
}

/** A cache over Netlify's blob server, which knows one token. */
async function createBlobs(t: TestContext, token = 'token', sent = token): Promise<KeyValueCache> {
  const { BlobsServer } = await importFromPart('@netlify/blobs', '@netlify/blobs/dist/server.js');
  const { getStore } = await importFromPart('@netlify/blobs', '@netlify/blobs/dist/main.js');
  const directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  const server = new BlobsServer({ directory, token, logger: () => {} });
  const { port } = await server.start();
  t.after(async () => {
    delete environment.netlifyBlobsContext;
    await server.stop();
    await rm(directory, { recursive: true });
  });
  // No server listens at the address of the edge cache, which shows changes late, so reads from there fail.
  configureBlobs({ edgeURL: 'http://127.0.0.1:9', uncachedEdgeURL: `http://127.0.0.1:${port}`, siteID: 'site', token: sent });
  return new NetlifyBlobsCache(() => getStore({ name: 'graphql-cache', consistency: 'strong' }));
}

/** A cache over the vendor's simulation of Workers KV. */
async function createKV(t: TestContext): Promise<KeyValueCache> {
  const { Miniflare } = await importFromPart('miniflare', 'miniflare/dist/src/index.js');
  const script = 'export default { fetch: () => new Response() };';
  const miniflare = new Miniflare({ cf: false, modules: true, script, compatibilityDate: '2026-06-01', kvNamespaces: ['CACHE'] });
  t.after(() => miniflare.dispose());
  return new WorkersKVCache(await miniflare.getKVNamespace('CACHE'));
}
