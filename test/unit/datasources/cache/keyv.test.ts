import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Keyv } from 'keyv';
import Keyv5 from 'keyv5';

import { KeyvAdapter } from '../../../../src/datasources/cache/keyv.ts';
import type { KeyvLike } from '../../../../src/datasources/cache/keyv.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** A Keyv that records its calls and listeners. */
function recordingKeyv(result?: unknown) {
  const calls: unknown[][] = [];
  const listeners: ((error: unknown) => void)[] = [];
  const record =
    (name: string) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given]);
      return result;
    };
  const keyv: KeyvLike = {
    get: record('get'),
    set: record('set'),
    delete: record('delete'),
    on: (_event, listener) => listeners.push(listener),
  };
  return { keyv, calls, listeners };
}
const down = new Error('Socket closed unexpectedly');
const map = new Map<string, string>();
/** Any object with the three methods. */
const minimal: KeyvLike = {
  get: async (key) => map.get(key),
  set: async (key, value) => map.set(key, value),
  delete: async (key) => map.delete(key),
};

describe('KeyvAdapter', () => {
  for (const [what, store] of [
    ['Keyv 6', new Keyv()],
    ['Keyv 5', new Keyv5()],
    ['any object with get, set and delete', minimal],
  ] as const)
    it(`stores, replaces and deletes entries with ${what}, and passes its error events to onError`, async () => {
      const errors: unknown[] = [];
      const cache = new KeyvAdapter(store, { onError: (error) => errors.push(error) });

      assert.equal(await cache.get('a'), undefined);
      await cache.set('a', '1');
      await cache.set('a', '2', { ttl: 60 });
      assert.equal(await cache.get('a'), '2');
      assert.equal(await cache.delete('a'), true);
      assert.equal(await cache.get('a'), undefined);
      if ('emit' in store) store.emit('error', down);
      assert.deepEqual(errors, 'emit' in store ? [down] : []);
    });

  for (const [ttl, sent] of [
    [60, 60_000],
    [0.0001, 1],
    [1.0005, 1001],
    [0, undefined],
    [null, undefined],
    [undefined, undefined],
    [Number.NaN, undefined],
    [-5, 'delete'],
  ] as const)
    it(`passes a ttl of ${ttl} seconds to Keyv as ${sent}`, async () => {
      const { keyv, calls } = recordingKeyv();

      await new KeyvAdapter(keyv, { prefix: '' }).set('a', '1', ttl === undefined ? {} : { ttl });

      assert.deepEqual(calls, [sent === 'delete' ? ['delete', 'a'] : ['set', 'a', '1', sent]]);
    });

  it('adds the default prefix or a custom one to keys', async () => {
    const { keyv, calls } = recordingKeyv();
    await new KeyvAdapter(keyv).get('a');
    await new KeyvAdapter(keyv, { prefix: 'shop:' }).delete('a');

    assert.deepEqual(calls, [['get', 'graphql-functions:a'], ['delete', 'shop:a']]); // oxfmt-ignore
  });

  for (const value of [null, undefined, 7, { a: 1 }])
    it(`reads ${JSON.stringify(value)} as a miss`, async () => {
      assert.equal(await new KeyvAdapter(recordingKeyv(value).keyv).get('a'), undefined);
    });

  for (const onError of [undefined, () => {}])
    it(`has the server log errors at most once a second ${onError ? ', unless onError is set' : ''}; without a listener they would end the process`, async () => {
      const { keyv, listeners } = recordingKeyv();
      const [logger, lines] = recordingLogger();
      const cache = new KeyvAdapter(keyv, { onError });
      await createTester(createHandler({ typeDefs: 'type Query { a: Int }', resolvers: { Query: { a: () => 1 } }, cache, logger })).run(
        '{ a }',
      );

      assert.equal(listeners.length, 1);
      for (let nth = 0; nth < 2; nth++) listeners[0]!(down);

      assert.equal(lines.filter(({ message }) => message.startsWith('The cache failed')).length, onError ? 0 : 1);
    });

  it('calls onError at most once in a cooldown, whatever fails', async () => {
    const { keyv, listeners } = recordingKeyv();
    const errors: unknown[] = [];
    const cache = new KeyvAdapter({ ...keyv, get: () => Promise.reject(down) }, { onError: (error) => errors.push(error) });

    for (let nth = 0; nth < 2; nth++) listeners[0]!(down);
    await cache.get('a');

    assert.deepEqual(errors, [down]);
  });

  for (const [name, store, got] of [
    ['nothing', undefined, 'undefined'],
    ['the address of a server', 'redis://localhost', 'redis://localhost'],
    ['a client of Redis', { get() {}, set() {}, del() {} }, 'an object without get, set and delete'],
  ] as const)
    it(`refuses ${name}, and says what it expects`, () => {
      assert.throws(() => new KeyvAdapter(store as never), {
        name: 'TypeError',
        message: `Expected KeyvAdapter to get a Keyv, for example new KeyvAdapter(new Keyv(new KeyvRedis(url))), got ${got}.`,
      });
    });
});
