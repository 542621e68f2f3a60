import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guardCache } from '../../src/cache/guard.ts';
import { InMemoryLRUCache } from '../../src/cache/in-memory.ts';
import type { KeyValueCache } from '../../src/cache/key-value-cache.ts';
import { PrefixingKeyValueCache } from '../../src/cache/guard.ts';
import { createClock } from '../support/clock.ts';

/** A store that does as it is told, and counts how often it was asked. */
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
  it('does what the store does, as long as that works', async () => {
    const { store } = createStore({ mode: 'works' });
    const cache = guardCache(store);

    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.equal(await cache.delete('a'), true);
    assert.equal(await cache.get('a'), undefined);
  });

  for (const mode of ['fails', 'throws', 'hangs'] as const) {
    it(`has nothing when the store ${mode}, and says so to onError alone`, async () => {
      const errors: unknown[] = [];
      const { store } = createStore({ mode });
      const cache = guardCache(store, { deadline: 5, onError: (error) => errors.push(error) });

      assert.equal(await cache.get('a'), undefined);
      assert.equal(await cache.set('a', '1'), undefined);
      assert.equal(await cache.delete('a'), undefined);
      assert.equal(errors.length, 1);
    });
  }

  it('leaves a store alone for a while after two keys have failed, asks once, and goes on when that works', async () => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'fails' };
    const { store, calls } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { cooldown: 1000, now: clock.now });

    await cache.get('a');
    await cache.get('b');
    await Promise.all([cache.get('a'), cache.set('a', '1'), cache.get('c')]);
    assert.deepEqual(calls, { get: 2, set: 0, delete: 0 });

    clock.turn(1000);
    await Promise.all([cache.get('a'), cache.get('b'), cache.get('c')]);
    assert.deepEqual(calls, { get: 3, set: 0, delete: 0 });

    behaviour.mode = 'works';
    clock.turn(1000);
    await cache.set('a', '1');
    assert.equal(await cache.get('a'), '1');
    assert.deepEqual(calls, { get: 4, set: 1, delete: 0 });
  });

  it('asks a store again although the call that was to try it has vanished with its timer', async (t) => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'fails' };
    const { store } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { deadline: 250, cooldown: 1000, now: clock.now });
    await cache.get('a');
    await cache.get('b');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    behaviour.mode = 'hangs';
    clock.turn(1000);
    void cache.get('c');

    behaviour.mode = 'works';
    clock.turn(1250);
    await cache.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  it('asks a store again at once after it has refused one value', async () => {
    const behaviour: Parameters<typeof createStore>[0] = { mode: 'fails' };
    const { store, entries } = createStore(behaviour);
    const clock = createClock(0);
    const cache = guardCache(store, { cooldown: 1000, now: clock.now });
    await cache.get('a');
    await cache.get('b');
    clock.turn(1000);
    await cache.set('c', 'too large');

    behaviour.mode = 'works';
    entries.set('d', '1');

    assert.equal(await cache.get('d'), '1');
  });

  for (const mode of ['fails', 'hangs'] as const) {
    it(`does without one key whose get ${mode}, and goes on with the others`, async () => {
      const { store, entries } = createStore({ mode: 'works' });
      const bad = createStore({ mode });
      const cache = guardCache({ ...store, get: (key) => (key === 'bad' ? bad.store : store).get(key) }, { deadline: 5 });
      entries.set('good', '1');

      const got = [];
      for (const key of ['bad', 'good', 'bad', 'good', 'bad', 'good']) got.push(await cache.get(key));

      assert.deepEqual(got, [undefined, '1', undefined, '1', undefined, '1']);
      assert.equal(bad.calls.get, 1);
    });
  }

  it('lets a set mend a key that cannot be read', async () => {
    const { store } = createStore({ mode: 'works' });
    const { get } = store;
    let isMended = false;
    const set = async (): Promise<void> => {
      isMended = true;
    };
    const cache = guardCache({ ...store, set, get: (key) => (isMended ? get(key) : Promise.reject(new Error('WRONGTYPE'))) });

    await cache.get('a');
    await cache.set('a', '1');

    assert.ok(isMended);
    assert.equal(await cache.get('a'), undefined);
  });

  it('does not leave a store alone because it refuses one value', async () => {
    const { store, calls } = createStore({ mode: 'works' });
    store.set = async () => {
      throw new Error('object too large for cache');
    };
    const cache = guardCache(store);

    await cache.set('a', 'x');
    await cache.get('b');

    assert.equal(calls.get, 1);
  });

  it('sends deletes all the same, without waiting, and not without end', async () => {
    const { store, calls } = createStore({ mode: 'hangs' });
    const cache = guardCache(store, { deadline: 5 });
    await Promise.all([cache.get('a'), cache.get('b')]);

    await Promise.all(Array.from({ length: 500 }, (_, index) => cache.delete(`k${index}`)));

    assert.equal(calls.delete, 100);
  });

  it('takes a value that is no text for none', async () => {
    const { store } = createStore({ mode: 'works' });
    store.get = async () => 7 as unknown as string;

    assert.equal(await guardCache(store).get('a'), undefined);
  });

  it('survives an onError that throws', async () => {
    const { store } = createStore({ mode: 'fails' });
    const cache = guardCache(store, {
      onError: () => {
        throw new Error('logger');
      },
    });

    assert.equal(await cache.get('a'), undefined);
  });

  it('tells the next one who asks of what goes wrong, where nobody is told yet', async () => {
    const errors: string[] = [];
    const told = guardCache(createStore({ mode: 'fails' }).store, { onError: () => errors.push('own') });
    const untold = guardCache(createStore({ mode: 'fails' }).store);
    const prefixed = new PrefixingKeyValueCache(untold, 'a:');

    await guardCache(told, { onError: () => errors.push('server') }).get('a');
    await guardCache(prefixed, { onError: () => errors.push('server') }).get('a');

    assert.deepEqual(errors, ['own', 'server']);
  });

  it('is not put around what needs none, or has one', () => {
    const memory = new InMemoryLRUCache();
    const guarded = guardCache(createStore({ mode: 'works' }).store);
    const prefixed = new PrefixingKeyValueCache(guarded, 'a:');

    assert.equal(guardCache(memory), memory);
    assert.equal(guardCache(guarded), guarded);
    assert.equal(guardCache(prefixed), prefixed);
  });
});
