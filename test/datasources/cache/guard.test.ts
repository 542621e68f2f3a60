import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardCache, PrefixingKeyValueCache } from '../../../src/datasources/cache/guard.ts';
import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import type { KeyValueCache } from '../../../src/datasources/cache/key-value-cache.ts';
import { createClock } from '../../support/clock.ts';

/** A store with configurable behavior that counts its calls. */
function createStore(behaviour: { mode: 'works' | 'fails' | 'throws' | 'hangs' }) {
  const entries = new Map<string, string>();
  const calls = { get: 0, set: 0, delete: 0 };
  const act = <T>(name: keyof typeof calls, result: () => T): Promise<T> => {
    calls[name]++;
    if (behaviour.mode === 'throws') throw new Error('broken');
    if (behaviour.mode === 'hangs') return new Promise(() => {});
    return behaviour.mode === 'fails' ? Promise.reject(new Error('down')) : Promise.resolve(result());
  };
  const store: KeyValueCache = {
    get: (key) => act('get', () => entries.get(key)),
    set: (key, value) => act('set', () => void entries.set(key, value)),
    delete: (key) => act('delete', () => entries.delete(key)),
  };
  return { store, calls, entries };
}

describe('a guarded cache', () => {
  it('passes calls through while the store works', async () => {
    const { store } = createStore({ mode: 'works' });
    const cache = guardCache(store);

    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.equal(await cache.delete('a'), true);
    assert.equal(await cache.get('a'), undefined);
  });

  for (const mode of ['fails', 'throws', 'hangs'] as const) {
    it(`misses when the store ${mode}, and reports it only to onError`, async () => {
      const errors: unknown[] = [];
      const { store } = createStore({ mode });
      const cache = guardCache(store, { deadline: 5, onError: (error) => errors.push(error) });

      assert.equal(await cache.get('a'), undefined);
      assert.equal(await cache.set('a', '1'), undefined);
      assert.equal(await cache.delete('a'), undefined);
      assert.equal(errors.length, 1);
    });
  }

  it('pauses after a late call, tries once, and resumes when that succeeds', async () => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'hangs' };
    const { store, calls } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { deadline: 5, cooldown: 1000, now: clock.now });

    await cache.get('a');
    await Promise.all([cache.get('a'), cache.set('a', '1'), cache.get('c')]);
    assert.deepEqual(calls, { get: 1, set: 0, delete: 0 });

    clock.turn(1000);
    await Promise.all([cache.get('a'), cache.get('b'), cache.get('c')]);
    assert.deepEqual(calls, { get: 2, set: 0, delete: 0 });

    behaviour.mode = 'works';
    clock.turn(1000);
    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.deepEqual(calls, { get: 3, set: 1, delete: 0 });
  });

  it('tries the store again even if the call that was to try it never finished', async (t) => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'hangs' };
    const { store } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { deadline: 5, cooldown: 1000, now: clock.now });
    await cache.get('a');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    clock.turn(1000);
    void cache.get('c');

    behaviour.mode = 'works';
    clock.turn(1005);
    await cache.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  it('resumes when the store refuses the call that was to try it', async () => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'hangs' };
    const { store, entries } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { deadline: 5, cooldown: 1000, now: clock.now });
    await cache.get('a');
    clock.turn(1000);
    behaviour.mode = 'fails';
    await cache.set('c', 'too large');

    behaviour.mode = 'works';
    entries.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  it('does without one key whose get fails, and keeps using the others', async () => {
    const { store, entries } = createStore({ mode: 'works' });
    const bad = createStore({ mode: 'fails' });
    const cache = guardCache({ ...store, get: (key) => (key === 'bad' ? bad.store : store).get(key) });
    entries.set('good', '1');

    const got = [];
    for (const key of ['bad', 'good', 'bad', 'good', 'bad', 'good']) got.push(await cache.get(key));

    assert.deepEqual(got, [undefined, '1', undefined, '1', undefined, '1']);
  });

  it('does not pause because the store refuses one value', async () => {
    const { store, calls } = createStore({ mode: 'works' });
    store.set = async () => {
      throw new Error('object too large for cache');
    };
    const cache = guardCache(store);

    await cache.set('a', 'x');
    await cache.get('b');

    assert.equal(calls.get, 1);
  });

  it('still sends deletes during a pause, without waiting, up to a limit', async () => {
    const { store, calls } = createStore({ mode: 'hangs' });
    const cache = guardCache(store, { deadline: 5 });
    await Promise.all([cache.get('a'), cache.get('b')]);

    await Promise.all(Array.from({ length: 500 }, (_, index) => cache.delete(`k${index}`)));

    assert.equal(calls.delete, 100);
  });

  it('treats a value that is not a string as a miss', async () => {
    const { store } = createStore({ mode: 'works' });
    store.get = async () => 7 as unknown as string;

    assert.equal(await guardCache(store).get('a'), undefined);
  });

  it('ignores an onError that throws', async () => {
    const { store } = createStore({ mode: 'fails' });
    const cache = guardCache(store, {
      onError: () => {
        throw new Error('logger');
      },
    });

    assert.equal(await cache.get('a'), undefined);
  });

  it('reports later errors to the next onError that is set, if none was set before', async () => {
    const errors: string[] = [];
    const told = guardCache(createStore({ mode: 'fails' }).store, { onError: () => errors.push('own') });
    const untold = guardCache(createStore({ mode: 'fails' }).store);
    const prefixed = new PrefixingKeyValueCache(untold, 'a:');

    await guardCache(told, { onError: () => errors.push('server') }).get('a');
    await guardCache(prefixed, { onError: () => errors.push('server') }).get('a');

    assert.deepEqual(errors, ['own', 'server']);
  });

  it('does not wrap a cache that needs no guard or already has one', () => {
    const memory = new InMemoryLRUCache();
    const guarded = guardCache(createStore({ mode: 'works' }).store);
    const prefixed = new PrefixingKeyValueCache(guarded, 'a:');

    assert.equal(guardCache(memory), memory);
    assert.equal(guardCache(guarded), guarded);
    assert.equal(guardCache(prefixed), prefixed);
  });
});
