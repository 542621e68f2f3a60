import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';

/** The overhead of an entry in addition to its characters. */
const overhead = 240;
const roomFor = (entries: number, characters: number): number => entries * (overhead + characters);

test('get returns a value that was set, and nothing after delete', async () => {
  const cache = new InMemoryLRUCache();
  await cache.set('a', '1');
  await cache.set('a', '2');

  equal(await cache.get('a'), '2');
  equal(await cache.delete('a'), true);
  equal(await cache.get('a'), undefined);
  equal(await cache.delete('a'), false);
});

test('the least recently used entries are evicted first, and get counts as use', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(3, 2) });
  for (const key of ['a', 'b', 'c']) await cache.set(key, '1');
  await cache.get('a');

  await cache.set('d', '1');

  deepEqual(await present(cache, 'abcd'), ['a', 'c', 'd']);
});

test('keys, values and overhead count toward the limit, with two bytes per character where needed', async () => {
  const oneByte = new InMemoryLRUCache({ maxSize: roomFor(2, 11) });
  const twoBytes = new InMemoryLRUCache({ maxSize: roomFor(2, 11) });
  for (const key of ['a', 'b']) {
    await oneByte.set(key, 'é'.repeat(10));
    await twoBytes.set(key, 'Ω'.repeat(10));
  }

  deepEqual(await present(oneByte, 'ab'), ['a', 'b']);
  deepEqual(await present(twoBytes, 'ab'), ['b']);
});

test('replacing or deleting an entry frees its space', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2) });
  for (let time = 0; time < 10; time++) await cache.set('a', '1');
  await cache.set('b', '1');
  await cache.delete('b');
  await cache.set('c', '1');

  deepEqual(await present(cache, 'abc'), ['a', 'c']);
});

test('a value that is too large is not stored, evicts nothing, and removes the entry it would replace', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2) });
  await cache.set('a', '1');
  await cache.set('b', '1');

  await cache.set('a', 'x'.repeat(2000));

  deepEqual(await present(cache, 'ab'), ['b']);
});

test('an entry lives for its ttl, else for the cache’s ttl, else forever', async () => {
  let time = 5000;
  const now = (): number => time;
  const cache = new InMemoryLRUCache({ ttl: 10, now });
  const forEver = new InMemoryLRUCache({ now });
  await cache.set('a', '1', { ttl: 0.5 });
  await cache.set('b', '1');
  await forEver.set('c', '1', { ttl: null as never });

  time += 501;
  deepEqual(await present(cache, 'ab'), ['b']);
  time += 9500;
  deepEqual(await present(cache, 'ab'), []);
  time += 1e12;
  deepEqual(await present(forEver, 'c'), ['c']);
});

test('an expired entry frees its space', async () => {
  let time = 0;
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2), now: () => time });
  await cache.set('a', '1');
  await cache.set('b', '1', { ttl: 1 });
  time = 1001;
  await cache.get('b');

  await cache.set('c', '1');

  deepEqual(await present(cache, 'abc'), ['a', 'c']);
});

test('property names of Object.prototype work as keys', async () => {
  const cache = new InMemoryLRUCache();

  equal(await cache.get('__proto__'), undefined);
  await cache.set('__proto__', '1');
  equal(await cache.get('__proto__'), '1');
  equal(await cache.get('constructor'), undefined);
});

test('an invalid limit is refused', () => {
  for (const maxSize of [0, -1, NaN]) throws(() => new InMemoryLRUCache({ maxSize }), { name: 'TypeError', message: /maxSize/ });
});

test('a value that is not a string rejects and does not throw', async () => {
  const cache = new InMemoryLRUCache();

  await rejects(cache.set('a', undefined as never), TypeError);
});

async function present(cache: InMemoryLRUCache, keys: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if ((await cache.get(key)) !== undefined) found.push(key);
  return found;
}

test('keys and values do not retain the larger strings they were sliced from', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const cache = new InMemoryLRUCache();
  collect();
  const before = process.memoryUsage().heapUsed;

  for (let index = 0; index < 100; index++) {
    const body = Buffer.alloc(512 * 1024, `${index}, a text `).toString('latin1');
    await cache.set(`${index}`, body.slice(100, 200));
    await cache.set(body.slice(0, 30), '');
  }

  collect();
  const grown = process.memoryUsage().heapUsed - before;
  ok(grown < 20 * 1024 * 1024, `${grown} bytes for 200 short texts`);
});

test('a negative TTL stores nothing, and deletes the value before', async () => {
  const cache = new InMemoryLRUCache();
  await cache.set('a', '1');

  await cache.set('a', '2', { ttl: -5 });

  equal(await cache.get('a'), undefined);
});
