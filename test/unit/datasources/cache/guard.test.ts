import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { guardCache, PrefixingKeyValueCache } from '../../../../src/datasources/cache/guard.ts';
import type { GuardOptions } from '../../../../src/datasources/cache/guard.ts';
import { InMemoryLRUCache } from '../../../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import { createClock } from '../../../support/clock.ts';

type Mode = 'works' | 'fails' | 'throws' | 'hangs';

/** A guarded store that counts its calls, and whose behavior a test can change. */
function createGuarded(start: Mode, options: GuardOptions = {}) {
  const behavior = { mode: start };
  const entries = new Map<string, string>();
  const calls = { get: 0, set: 0, delete: 0 };
  const act = <T>(name: keyof typeof calls, result: () => T): Promise<T> => {
    calls[name]++;
    const { mode } = behavior;
    if (mode === 'throws') throw new Error('broken');
    if (mode === 'hangs') return new Promise(() => {});
    return mode === 'fails' ? Promise.reject(new Error('down')) : Promise.resolve(result());
  };
  const store: KeyValueCache = {
    get: (key) => act('get', () => entries.get(key)),
    set: (key, value) => act('set', () => void entries.set(key, value)),
    delete: (key) => act('delete', () => entries.delete(key)),
  };
  const clock = createClock(0);
  return { behavior, calls, clock, entries, store, cache: guardCache(store, { deadline: 5, cooldown: 1000, now: clock.now, ...options }) };
}

describe('a guarded cache', () => {
  it('passes calls through while the store works', async () => {
    const { cache } = createGuarded('works');

    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.equal(await cache.delete('a'), true);
    assert.equal(await cache.get('a'), undefined);
  });

  for (const mode of ['fails', 'throws', 'hangs'] as const)
    it(`misses when the store ${mode}, and reports it only to onError`, async () => {
      const errors: unknown[] = [];
      const { cache } = createGuarded(mode, { onError: (error) => errors.push(error) });

      assert.deepEqual([await cache.get('a'), await cache.set('a', '1'), await cache.delete('a')], [undefined, undefined, undefined]);
      assert.equal(errors.length, 1);
    });

  it('pauses after a late call, tries once, and resumes when that succeeds', async () => {
    const { behavior, cache, calls, clock } = createGuarded('hangs');

    await cache.get('a');
    await Promise.all([cache.get('a'), cache.set('a', '1'), cache.get('c')]);
    assert.deepEqual(calls, { get: 1, set: 0, delete: 0 });

    clock.turn(1000);
    await Promise.all([cache.get('a'), cache.get('b'), cache.get('c')]);
    assert.deepEqual(calls, { get: 2, set: 0, delete: 0 });

    behavior.mode = 'works';
    clock.turn(1000);
    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.deepEqual(calls, { get: 3, set: 1, delete: 0 });
  });

  it('tries the store again even if the call that was to try it never ended', async (t) => {
    const { behavior, cache, clock } = createGuarded('hangs');
    await cache.get('a');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    clock.turn(1000);
    void cache.get('c');

    behavior.mode = 'works';
    clock.turn(1005);
    await cache.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  it('resumes when the store refuses the call that was to try it', async () => {
    const { behavior, cache, clock, entries } = createGuarded('hangs');
    await cache.get('a');
    clock.turn(1000);
    behavior.mode = 'fails';
    await cache.set('c', 'too large');

    behavior.mode = 'works';
    entries.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  it('does without a key or a value that the store refuses, and does not pause', async () => {
    const { cache, entries, store } = createGuarded('works');
    const { get } = store;
    store.get = (key) => (key === 'bad' ? Promise.reject(new Error('bad key')) : get(key));
    store.set = () => Promise.reject(new Error('object too large for cache'));
    entries.set('good', '1');

    await cache.set('a', 'x');
    const got = [];
    for (const key of ['bad', 'good', 'bad', 'good']) got.push(await cache.get(key));

    assert.deepEqual(got, [undefined, '1', undefined, '1']);
  });

  it('still sends deletes during a pause, without waiting, up to a limit', async () => {
    const { cache, calls } = createGuarded('hangs');
    await Promise.all([cache.get('a'), cache.get('b')]);

    await Promise.all(Array.from({ length: 500 }, (_, index) => cache.delete(`k${index}`)));

    assert.equal(calls.delete, 100);
  });

  for (const value of ['late', 7])
    it(`reads ${JSON.stringify(value)} as ${typeof value === 'string' ? 'that' : 'a miss'}`, async () => {
      const { cache, store } = createGuarded('works');
      store.get = async () => value as string;

      assert.equal(await cache.get('a'), typeof value === 'string' ? value : undefined);
    });

  it('ignores an onError that throws', async () => {
    const { cache } = createGuarded('fails', { onError: () => { throw new Error('logger'); } }); // oxfmt-ignore

    assert.equal(await cache.get('a'), undefined);
  });

  it('reports later errors to the next onError that is set, if none was set before', async () => {
    const errors: string[] = [];
    const report = (who: string) => ({ onError: () => errors.push(who) });
    const own = createGuarded('fails', report('own')).cache;
    const prefixed = new PrefixingKeyValueCache(createGuarded('fails').cache, 'a:');

    for (const cache of [own, prefixed]) await guardCache(cache, report('server')).get('a');

    assert.deepEqual(errors, ['own', 'server']);
  });

  it('is returned as it is when it is guarded again, as are caches that need no guard', () => {
    const guarded = createGuarded('works').cache;

    for (const cache of [new InMemoryLRUCache(), guarded, new PrefixingKeyValueCache(guarded, 'a:')])
      assert.equal(guardCache(cache), cache);
  });
});

it('PrefixingKeyValueCache adds its prefix to every key, and sees no entries of other prefixes', async () => {
  const shared = new InMemoryLRUCache();
  const [a, b] = [new PrefixingKeyValueCache(shared, 'a:'), new PrefixingKeyValueCache(shared, 'b:')];

  await a.set('k', '1', { ttl: 60 });

  assert.deepEqual([await a.get('k'), await b.get('k'), await shared.get('a:k')], ['1', undefined, '1']);
  await b.delete('k');
  assert.equal(await a.get('k'), '1');
  await a.delete('k');
  assert.equal(await a.get('k'), undefined);
});
