import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { InMemoryLRUCache } from '../../../../src/datasources/cache/in-memory.ts';
import type { InMemoryLRUCacheOptions } from '../../../../src/datasources/cache/in-memory.ts';
import { createClock } from '../../../support/clock.ts';

/** The overhead of an entry in addition to its characters. */
const overhead = 240;
const roomFor = (entries: number, characters: number): number => entries * (overhead + characters);

const change: Readonly<Record<string, (cache: InMemoryLRUCache, key: string) => Promise<unknown>>> = {
  sets: (cache, key) => cache.set(key, '1'),
  gets: (cache, key) => cache.get(key),
  deletes: (cache, key) => cache.delete(key),
  'sets two characters, Ω,': (cache, key) => cache.set(key, 'Ω'.repeat(5)),
  'sets 2,000 characters': (cache, key) => cache.set(key, 'x'.repeat(2000)),
  'sets with a negative ttl': (cache, key) => cache.set(key, '2', { ttl: -5 }),
};

/** The keys in a cache after some steps: `'sets a'`, `'gets a'`. */
async function keysAfter(steps: readonly string[], options: InMemoryLRUCacheOptions): Promise<string> {
  const cache = new InMemoryLRUCache(options);
  for (const step of steps) await change[step.slice(0, -2)]!(cache, step.at(-1)!);
  return present(cache, 'abcd');
}

async function present(cache: InMemoryLRUCache, keys: string): Promise<string> {
  let found = '';
  for (const key of keys) if ((await cache.get(key)) !== undefined) found += key;
  return found;
}

for (const [what, maxSize, steps, expected] of [
  [
    'evicts the least recently used entries first, and get counts as use',
    roomFor(3, 2),
    ['sets a', 'sets b', 'sets c', 'gets a', 'sets d'],
    'acd',
  ],
  ['counts keys, values and overhead', roomFor(2, 2), ['sets a', 'sets b'], 'ab'],
  ['counts keys, values and overhead of the entry that is too many', roomFor(2, 2) - 1, ['sets a', 'sets b'], 'b'],
  ['counts two bytes for a character that needs them', roomFor(2, 11), ['sets two characters, Ω, a', 'sets two characters, Ω, b'], 'ab'],
  ['counts no fewer than two', roomFor(2, 11) - 1, ['sets two characters, Ω, a', 'sets two characters, Ω, b'], 'b'],
  [
    'frees the space of an entry that is replaced or deleted',
    roomFor(2, 2),
    ['sets a', 'sets a', 'sets a', 'sets b', 'deletes b', 'sets c'],
    'ac',
  ],
  ['does not store a value that is too large, evicts nothing for it, and removes the one before', roomFor(2, 2), ['sets a', 'sets b', 'sets 2,000 characters a'], 'b'], // oxfmt-ignore
  ['does not store a value with a negative ttl, and removes the one before', undefined, ['sets a', 'sets with a negative ttl a'], ''],
] as const)
  test(`InMemoryLRUCache ${what}`, async () => equal(await keysAfter(steps, { maxSize }), expected));

test('get returns the last value that was set, and nothing after delete; names of Object.prototype are keys like others', async () => {
  const cache = new InMemoryLRUCache();
  for (const key of ['a', '__proto__', 'constructor']) {
    equal(await cache.get(key), undefined);
    await cache.set(key, '1');
    await cache.set(key, '2');
    equal(await cache.get(key), '2');
    deepEqual([await cache.delete(key), await cache.get(key), await cache.delete(key)], [true, undefined, false]);
  }
});

test('an entry lives for its ttl, else for that of the cache, else forever', async () => {
  const { now, turn } = createClock(5000);
  const [cache, forever] = [new InMemoryLRUCache({ ttl: 10, now }), new InMemoryLRUCache({ now })];
  await cache.set('a', '1', { ttl: 0.5 });
  await cache.set('b', '1');
  await forever.set('c', '1', { ttl: null });

  turn(501);
  equal(await present(cache, 'ab'), 'b');
  turn(9500);
  equal(await present(cache, 'ab'), '');
  turn(1e12);
  equal(await present(forever, 'c'), 'c');
});

test('an expired entry frees its space', async () => {
  const { now, turn } = createClock(0);
  const cache = new InMemoryLRUCache({ maxSize: roomFor(2, 2), now });
  await cache.set('a', '1');
  await cache.set('b', '1', { ttl: 1 });
  turn(1001);
  await cache.get('b');

  await cache.set('c', '1');

  equal(await present(cache, 'abc'), 'ac');
});

test('an invalid limit is refused', () => {
  for (const maxSize of [0, -1, NaN]) throws(() => new InMemoryLRUCache({ maxSize }), { name: 'TypeError', message: /maxSize/ });
});

test('a value that is not a string rejects and does not throw', async () => {
  await rejects(new InMemoryLRUCache().set('a', undefined as never), TypeError);
});

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
