import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { InMemoryLRUCache } from '../../src/cache/in-memory.ts';

/** What an entry takes beside its characters. */
const overhead = 240;
const roomFor = (entries: number, characters: number): number => entries * (overhead + characters);

test('what was set is got, and what was deleted is gone', async () => {
  const cache = new InMemoryLRUCache();
  await cache.set('a', '1');
  await cache.set('a', '2');

  equal(await cache.get('a'), '2');
  equal(await cache.delete('a'), true);
  equal(await cache.get('a'), undefined);
  equal(await cache.delete('a'), false);
});

test('the least recently used entries go first, and a get is a use', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(3, 2) });
  for (const key of ['a', 'b', 'c']) await cache.set(key, '1');
  await cache.get('a');

  await cache.set('d', '1');

  deepEqual(await present(cache, 'abcd'), ['a', 'c', 'd']);
});

test('keys, values and bookkeeping count against the bound, two bytes a character where a text needs them', async () => {
  const oneByte = new InMemoryLRUCache({ maxSize: roomFor(2, 11) });
  const twoBytes = new InMemoryLRUCache({ maxSize: roomFor(2, 11) });
  for (const key of ['a', 'b']) {
    await oneByte.set(key, 'é'.repeat(10));
    await twoBytes.set(key, 'Ω'.repeat(10));
  }

  deepEqual(await present(oneByte, 'ab'), ['a', 'b']);
  deepEqual(await present(twoBytes, 'ab'), ['b']);
});

test('what is replaced or deleted gives its room back', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2) });
  for (let time = 0; time < 10; time++) await cache.set('a', '1');
  await cache.set('b', '1');
  await cache.delete('b');
  await cache.set('c', '1');

  deepEqual(await present(cache, 'abc'), ['a', 'c']);
});

test('a value that is too large is not kept, drives nothing out, and what it was to replace is gone', async () => {
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2) });
  await cache.set('a', '1');
  await cache.set('b', '1');

  await cache.set('a', 'x'.repeat(2000));

  deepEqual(await present(cache, 'ab'), ['b']);
});

test('an entry lives for its ttl, else for that of the cache, else for ever', async () => {
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

test('an expired entry gives its room back', async () => {
  let time = 0;
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2), now: () => time });
  await cache.set('a', '1');
  await cache.set('b', '1', { ttl: 1 });
  time = 1001;
  await cache.get('b');

  await cache.set('c', '1');

  deepEqual(await present(cache, 'abc'), ['a', 'c']);
});

test('keys that are names of Object.prototype are keys like any other', async () => {
  const cache = new InMemoryLRUCache();

  equal(await cache.get('__proto__'), undefined);
  await cache.set('__proto__', '1');
  equal(await cache.get('__proto__'), '1');
  equal(await cache.get('constructor'), undefined);
});

test('a bound that bounds nothing is refused', () => {
  for (const maxSize of [0, -1, NaN]) throws(() => new InMemoryLRUCache({ maxSize }), { name: 'TypeError', message: /maxSize/ });
});

test('a value that is no text is a rejection, never a throw', async () => {
  const cache = new InMemoryLRUCache();

  await rejects(cache.set('a', undefined as never), TypeError);
});

async function present(cache: InMemoryLRUCache, keys: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) if ((await cache.get(key)) !== undefined) found.push(key);
  return found;
}

test('keys and values do not keep the texts alive that they were cut from', async () => {
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
