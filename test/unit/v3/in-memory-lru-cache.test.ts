import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { InMemoryLRUCache } from '../../../src/entries/v3/core.ts';

test('the least recently used value is dropped when the sizes of all exceed maxSize', async () => {
  const cache = new InMemoryLRUCache({ maxSize: 10 });
  await cache.set('a', '12345');
  await cache.set('b', '1234');
  await cache.get('a');

  await cache.set('c', '12');

  deepEqual(cache.keys(), ['c', 'a']);
  deepEqual([await cache.get('a'), await cache.get('b'), await cache.get('c')], ['12345', undefined, '12']);
});

test('max limits the number of values, and a value larger than maxSize only drops the previous one', async () => {
  const cache = new InMemoryLRUCache<object>({ max: 2, maxSize: 30 });
  for (const key of ['a', 'b', 'c']) await cache.set(key, { key });
  deepEqual(cache.keys(), ['c', 'b']);

  await cache.set('c', { text: 'more than thirty bytes' });

  deepEqual(cache.keys(), ['b']);
});

test('a value expires after its ttl in seconds, else after the cache’s ttl in milliseconds', async (context) => {
  context.mock.timers.enable({ apis: ['Date'] });
  const cache = new InMemoryLRUCache({ ttl: 500 });
  await cache.set('short', '1');
  await cache.set('long', '2', { ttl: 1 });

  context.mock.timers.tick(501);
  deepEqual([await cache.get('short'), await cache.get('long')], [undefined, '2']);
  context.mock.timers.tick(500);

  equal(await cache.get('long'), undefined);
  deepEqual(cache.keys(), []);
});

test('values of any kind are stored unchanged, and counted by their size', async () => {
  const cache = new InMemoryLRUCache<unknown>({ maxSize: 8 });
  const value = { a: 1 };
  await cache.set('object', value);
  await cache.set('number', 7);

  equal(await cache.get('object'), value);
  equal(await cache.delete('object'), true);
  equal(await cache.delete('object'), false);
  cache.clear();
  equal(await cache.get('number'), undefined);
  equal(InMemoryLRUCache.sizeCalculation('four'), 4);
});
