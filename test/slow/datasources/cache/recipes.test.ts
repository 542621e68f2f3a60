import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import { hostileInputs } from '../../../support/hostile-inputs.ts';
import { freePort } from '../../../support/free-port.ts';
import { numbered, startAPI } from '../../../support/datasources/api.ts';
import { startOrigin } from '../../../support/datasources/origin.ts';
import { needsProgram, startProgram } from '../../../support/program.ts';
import { DynamoDBCache } from '../../../../docs/examples/caching/dynamodb.ts';
import { HTTPRedisCache } from '../../../../docs/examples/caching/http-store.ts';
import { MemcachedCache } from '../../../../docs/examples/caching/memcached.ts';
import type { MemcachedClient } from '../../../../docs/examples/caching/memcached.ts';
import { SQLiteCache } from '../../../../docs/examples/caching/sqlite.ts';

interface Recipe {
  readonly create: (t: TestContext) => KeyValueCache | Promise<KeyValueCache>;
  /** The store expires entries by a clock of its own, which the test cannot advance. */
  readonly hasClock?: true;
  readonly skip?: string | false;
}

/** test/real/stores/caches.test.ts has those over the vendors' own clients. */
const recipes: Readonly<Record<string, Recipe>> = {
  memcached: { create: createMemcached, hasClock: true, ...needsProgram('memcached') },
  'a store over HTTP': { create: createHTTPStore, hasClock: true },
  SQLite: {
    async create(t) {
      const folder = await mkdtemp(join(tmpdir(), 'cache-'));
      const cache = new SQLiteCache(join(folder, 'cache.db'));
      t.after(() => {
        cache.sweep();
        cache.close();
        return rm(folder, { recursive: true });
      });
      return cache;
    },
  },
  DynamoDB: {
    create() {
      const items = new Map<string, Record<string, unknown>>();
      const table = {
        get: async ({ Key: { key } }: { Key: { key: string } }) => (items.has(key) ? { Item: items.get(key)! } : {}),
        put: async ({ Item: item }: { Item: Record<string, unknown> }) => items.set(String(item['key']), item),
        delete: async ({ Key: { key } }: { Key: { key: string } }) => items.delete(key),
      };
      return new DynamoDBCache(table, 'graphql-cache');
    },
  },
};

async function createMemcached(t: TestContext): Promise<KeyValueCache> {
  const port = await freePort();
  const server = startProgram('memcached', ['-l', '127.0.0.1', '-p', String(port), '-u', 'nobody']);
  t.after(() => server.end());
  for (let isUp = false; !isUp;) {
    const socket = connect(port, '127.0.0.1');
    isUp = await once(socket, 'connect').then(() => true, () => false); // oxfmt-ignore
    socket.destroy();
  }
  // memjs has no type declarations.
  const memjs = createRequire(import.meta.url)('memjs') as { Client: { create(servers: string): MemcachedClient & { close(): void } } };
  const client = memjs.Client.create(`127.0.0.1:${port}`);
  t.after(() => client.close());
  return new MemcachedCache(client);
}

/** Starts a server that runs Redis commands as Upstash does. */
async function createHTTPStore(t: TestContext): Promise<KeyValueCache> {
  const entries = new Map<string, string>();
  const commands: Record<string, (...args: string[]) => unknown> = {
    GET: (key) => entries.get(key!) ?? null,
    SET: (key, value) => entries.set(key!, value!) && 'OK',
    DEL: (key) => Number(entries.delete(key!)),
  };
  const { url } = await startOrigin(t, ({ headers, body }) => {
    const [name, ...args] = JSON.parse(body) as string[];
    return { status: headers.authorization === 'Bearer token' ? 200 : 401, body: { result: commands[name!]!(...args) } };
  });
  return new HTTPRedisCache(url, 'token');
}

for (const [name, { create, hasClock, skip = false }] of Object.entries(recipes))
  describe(`a cache in ${name}`, { skip }, () => {
    it('stores, replaces and deletes entries, with long keys and values in any script', async (t) => {
      const cache = await create(t);
      const key = `https://api.test/${'long/'.repeat(100)}?q=ü`;

      assert.equal(await cache.get(key), undefined);
      await cache.set(key, 'old');
      await cache.set(key, 'new: 世界\n', { ttl: 60 });
      assert.equal(await cache.get(key), 'new: 世界\n');
      await cache.delete(key);
      assert.equal(await cache.get(key), undefined);
    });

    it('keeps an entry for each key, whatever users choose', async (t) => {
      const cache = await create(t);

      for (const key of hostileInputs) assert.equal(await cache.get(key), undefined);
      for (const key of hostileInputs) await cache.set(key, `${key}\n`, { ttl: 60 });
      for (const key of hostileInputs) assert.equal(await cache.get(key), `${key}\n`);
    });

    it('works with the response cache', async (t) => {
      const { begin } = await startAPI(t, numbered({ 'cache-control': 'max-age=60' }), await create(t));

      assert.deepEqual([await begin().read('x'), await begin().read('x')], [0, 0]);
      await begin().create('x');
      assert.equal(await begin().read('x'), 2);
    });

    it('drops an entry when its ttl ends', { skip: hasClock ?? false }, async (t) => {
      const cache = await create(t);
      await cache.set('a', '1', { ttl: 60 });
      await cache.set('b', '1');
      const later = Date.now() + 61_000;
      t.mock.method(Date, 'now', () => later);

      assert.deepEqual([await cache.get('a'), await cache.get('b')], [undefined, '1']);
    });
  });
