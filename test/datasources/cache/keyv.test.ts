import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Keyv } from 'keyv';
import Keyv5 from 'keyv5';
import { KeyvAdapter } from '../../../src/datasources/cache/keyv.ts';
import type { KeyvLike } from '../../../src/datasources/cache/keyv.ts';
import { createHandler } from '../../../src/entries/index.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

/** A Keyv that records its calls. */
function recordingKeyv(result: unknown = undefined) {
  const calls: unknown[][] = [];
  const listeners: ((error: unknown) => void)[] = [];
  const keyv: KeyvLike = {
    async get(...args) {
      calls.push(['get', ...args]);
      return result;
    },
    async set(...args) {
      calls.push(['set', ...args]);
    },
    async delete(...args) {
      calls.push(['delete', ...args]);
      return result;
    },
    on: (_event, listener) => listeners.push(listener),
  };
  return { keyv, calls, listeners };
}

for (const [version, create] of [
  [6, () => new Keyv()],
  [5, () => new Keyv5()],
] as const) {
  describe(`KeyvAdapter with Keyv ${version}`, () => {
    it('stores, replaces and deletes entries', async () => {
      const cache = new KeyvAdapter(create());

      assert.equal(await cache.get('a'), undefined);
      await cache.set('a', '1');
      await cache.set('a', '2', { ttl: 60 });
      assert.equal(await cache.get('a'), '2');
      assert.equal(await cache.delete('a'), true);
      assert.equal(await cache.get('a'), undefined);
    });

    it('passes error events to onError without failing a call', () => {
      const keyv = create();
      const errors: unknown[] = [];
      const cache = new KeyvAdapter(keyv, { onError: (error) => errors.push(error) });

      keyv.emit('error', new Error('Socket closed unexpectedly'));

      assert.equal(errors.length, 1);
      assert.ok(cache);
    });
  });
}

describe('KeyvAdapter', () => {
  for (const [ttl, sent] of [
    [60, 60_000],
    [0.0001, 1],
    [1.0005, 1001],
    [0, undefined],
    [null, undefined],
    [undefined, undefined],
    [Number.NaN, undefined],
  ] as const) {
    it(`a ttl of ${ttl} seconds is passed to Keyv as ${sent}`, async () => {
      const { keyv, calls } = recordingKeyv();

      await new KeyvAdapter(keyv, { prefix: '' }).set('a', '1', ttl === undefined ? {} : { ttl });

      assert.deepEqual(calls, [['set', 'a', '1', sent]]);
    });
  }

  it('a negative ttl deletes the value', async () => {
    const { keyv, calls } = recordingKeyv();

    await new KeyvAdapter(keyv, { prefix: '' }).set('a', '1', { ttl: -5 });

    assert.deepEqual(calls, [['delete', 'a']]);
  });

  it('adds the default prefix or a custom one to keys', async () => {
    const { keyv, calls } = recordingKeyv();
    await new KeyvAdapter(keyv).get('a');
    await new KeyvAdapter(keyv, { prefix: 'shop:' }).delete('a');

    assert.deepEqual(calls, [
      ['get', 'graphql-functions:a'],
      ['delete', 'shop:a'],
    ]);
  });

  for (const value of [null, undefined, 7, { a: 1 }]) {
    it(`reads ${JSON.stringify(value)} as a miss`, async () => {
      assert.equal(await new KeyvAdapter(recordingKeyv(value).keyv).get('a'), undefined);
    });
  }

  it('attaches one error listener, so that a dropped connection does not end the process', () => {
    const { keyv, listeners } = recordingKeyv();
    assert.ok(new KeyvAdapter(keyv));

    assert.equal(listeners.length, 1);
    listeners[0]!(new Error('Socket closed unexpectedly'));
  });

  it('makes the server log errors, at most once a second, unless onError is set', async () => {
    const { keyv, listeners } = recordingKeyv();
    const [logger, lines] = recordingLogger();
    const failures = (): object[] => lines.filter(({ message }) => message.startsWith('The cache failed'));
    const ask = async (cache: KeyvAdapter): Promise<void> => {
      const handler = createHandler({ typeDefs: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } }, cache, logger });
      await handler({ query: '{ a }' }, {});
      for (const listener of listeners) listener(new Error('Socket closed unexpectedly'));
    };

    await ask(new KeyvAdapter(keyv, { onError: () => {} }));
    assert.deepEqual(failures(), []);
    listeners.length = 0;
    await ask(new KeyvAdapter(keyv));
    listeners[0]!(new Error('Socket closed unexpectedly'));

    assert.equal(failures().length, 1);
  });

  it('works with any object that has get, set and delete', async () => {
    const map = new Map<string, string>();
    const cache = new KeyvAdapter({
      get: async (key) => map.get(key),
      set: async (key, value) => map.set(key, value),
      delete: async (key) => map.delete(key),
    });

    await cache.set('a', '1');

    assert.equal(await cache.get('a'), '1');
  });
});

for (const [name, store, got] of [
  ['nothing', undefined, 'undefined'],
  ['the address of a server', 'redis://localhost', 'redis://localhost'],
  ['a client of Redis', { get() {}, set() {}, del() {} }, 'an object without get, set and delete'],
] as const) {
  it(`KeyvAdapter refuses ${name}, and says what it expects`, () => {
    assert.throws(() => new KeyvAdapter(store as never), {
      name: 'TypeError',
      message: `Expected KeyvAdapter to get a Keyv, for example new KeyvAdapter(new Keyv(new KeyvRedis(url))), got ${got}.`,
    });
  });
}
