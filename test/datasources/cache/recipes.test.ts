import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import type { TestContext } from 'node:test';
import type { KeyValueCache } from '../../../src/datasources/cache/key-value-cache.ts';
import { Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { freePort } from '../../support/free-port.ts';
import { end, needsProgram } from './processes.ts';
import { DynamoDBCache } from './recipes/dynamodb.ts';
import { HTTPRedisCache } from './recipes/http-store.ts';
import { MemcachedCache } from './recipes/memcached.ts';
import type { MemcachedClient } from './recipes/memcached.ts';
import { NetlifyBlobsCache } from './recipes/netlify-blobs.ts';
import { SQLiteCache } from './recipes/sqlite.ts';
import { WorkersKVCache } from './recipes/workers-kv.ts';

const recipes: [name: string, options: { skip: string | false }, create: (t: TestContext) => Promise<KeyValueCache>, expires: boolean][] = [
  ['memcached', needsProgram('memcached'), createMemcached, false],
  ['SQLite', { skip: false }, createSQLite, true],
  ['Netlify Blobs', { skip: false }, createBlobs, true],
  ['Workers KV', { skip: false }, createKV, true],
  ['DynamoDB', { skip: false }, createDynamoDB, true],
  ['a store over HTTP', { skip: false }, createHTTPStore, false],
];

for (const [name, options, create, expires] of recipes) {
  describe(`a cache in ${name}`, options, () => {
    it('stores, replaces and deletes entries', async (t) => {
      const cache = await create(t);
      const key = `https://api.test/${'long/'.repeat(100)}?q=ü`;

      assert.equal(await cache.get(key), undefined);
      await cache.set(key, 'old');
      await cache.set(key, 'new: 世界\n', { ttl: 60 });
      assert.equal(await cache.get(key), 'new: 世界\n');
      await cache.delete(key);
      assert.equal(await cache.get(key), undefined);
    });

    it('works with the response cache', async (t) => {
      const origin = await startOrigin(t, (_call, before) => ({ headers: { 'cache-control': 'max-age=60' }, body: { before } }));
      const operations = new Operations(origin.url, await create(t));

      assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [{ before: 0 }, { before: 0 }]);
      await operations.begin().create('x');
      assert.deepEqual(await operations.begin().read('x'), { before: 2 });
    });

    // The other two stores expire entries by their own clocks, which the test cannot advance.
    if (!expires) return;
    it('drops an entry when its ttl expires', async (t) => {
      const cache = await create(t);
      await cache.set('a', '1', { ttl: 60 });
      await cache.set('b', '1');
      const later = Date.now() + 61_000;
      const clock = mock.method(Date, 'now', () => later);
      t.after(() => clock.mock.restore());

      assert.deepEqual([await cache.get('a'), await cache.get('b')], [undefined, '1']);
    });
  });
}

async function createMemcached(t: TestContext): Promise<KeyValueCache> {
  const port = await freePort();
  const server = spawn('memcached', ['-l', '127.0.0.1', '-p', String(port), '-u', 'nobody'], { stdio: 'ignore' });
  t.after(() => end(server));
  await untilListening(port);
  // memjs has no type declarations.
  const memjs = createRequire(import.meta.url)('memjs') as { Client: { create(servers: string): MemcachedClient & { close(): void } } };
  const client = memjs.Client.create(`127.0.0.1:${port}`);
  t.after(() => client.close());
  return new MemcachedCache(client);
}

async function createSQLite(t: TestContext): Promise<KeyValueCache> {
  const folder = await mkdtemp(join(tmpdir(), 'cache-'));
  const cache = new SQLiteCache(join(folder, 'cache.db'));
  t.after(() => {
    cache.sweep();
    cache.close();
    return rm(folder, { recursive: true });
  });
  return cache;
}

async function createBlobs(): Promise<KeyValueCache> {
  const blobs = new Map<string, string>();
  return new NetlifyBlobsCache(() => ({
    async get(key) {
      assert.ok(key.length <= 600 && !key.startsWith('/'));
      return blobs.get(key) ?? null;
    },
    set: async (key, value) => blobs.set(key, value),
    delete: async (key) => void blobs.delete(key),
  }));
}

async function createKV(): Promise<KeyValueCache> {
  const entries = new Map<string, string>();
  return new WorkersKVCache({
    async get(key) {
      assert.ok(key.length <= 512);
      return entries.get(key) ?? null;
    },
    async put(key, value, { expirationTtl = 60 }) {
      assert.ok(Number.isInteger(expirationTtl) && expirationTtl >= 60);
      entries.set(key, value);
    },
    delete: async (key) => void entries.delete(key),
  });
}

async function createDynamoDB(): Promise<KeyValueCache> {
  const items = new Map<string, Record<string, unknown>>();
  const table = {
    get: async ({ Key: { key } }: { Key: { key: string } }) => (items.has(key) ? { Item: items.get(key)! } : {}),
    put: async ({ Item: item }: { Item: Record<string, unknown> }) => items.set(String(item['key']), item),
    delete: async ({ Key: { key } }: { Key: { key: string } }) => items.delete(key),
  };
  return new DynamoDBCache(table, 'graphql-cache');
}

/** Starts a server that runs Redis commands as Upstash does. */
async function createHTTPStore(t: TestContext): Promise<KeyValueCache> {
  const entries = new Map<string, string>();
  const commands: Record<string, (...args: string[]) => unknown> = {
    GET: (key) => entries.get(key!) ?? null,
    SET: (key, value) => entries.set(key!, value!) && 'OK',
    DEL: (key) => Number(entries.delete(key!)),
  };
  const server = createServer(async (request, response) => {
    const [name, ...args] = JSON.parse(await text(request)) as string[];
    response.writeHead(request.headers.authorization === 'Bearer token' ? 200 : 401);
    response.end(JSON.stringify({ result: commands[name!]!(...args) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return new HTTPRedisCache(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
  }
}
