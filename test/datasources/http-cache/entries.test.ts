import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { cases } from '../../support/long-form.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

/** The default suite cuts at every fourth character, the long form at every character. */
const step = 4 / cases({ short: 1, long: 4 });

describe('an entry that was cut in the store', () => {
  for (const [what, body, type] of [
    ['JSON', '{"name":"Emma","year":1815}', 'application/json'],
    ['text', 'Emma, 1815', 'text/plain'],
    ['bytes', Uint8Array.from({ length: 40 }, (_, index) => index * 7), 'image/png'],
  ] as const) {
    it(`is a miss, wherever it was cut (${what})`, async (t) => {
      const origin = await startOrigin(t, () => ({
        headers: { 'cache-control': 'max-age=60', vary: 'accept', 'content-type': type },
        body,
      }));
      const store = new OpenStore();
      const operations = new Operations(origin.url, store);
      const expected: unknown = await operations.begin().read('x');
      const [[key, whole]] = [...store.entries] as [[string, string]];

      for (let at = 0; at < whole.length; at += step) {
        store.entries.set(key, whole.slice(0, at));
        const before = origin.calls.length;
        assert.deepEqual(await operations.begin().read('x'), expected);
        assert.equal(origin.calls.length, before + 1, `cut at ${at}: ${whole.slice(at, at + 20)}`);
      }
    });
  }

  it('is a miss when the store returns the entry of another key', async (t) => {
    const origin = await startOrigin(t, (call) => ({ headers: { 'cache-control': 'public, max-age=60' }, body: call.url }));
    const store = new OpenStore();
    // Like a table with a case-insensitive collation.
    const { get, set } = { get: store.get.bind(store), set: store.set.bind(store) };
    store.get = (key) => get(key.toLowerCase());
    store.set = (key, ...rest) => set(key.toLowerCase(), ...rest);
    const operations = new Operations(origin.url, store);

    assert.deepEqual([await operations.begin().read('users/Ab'), await operations.begin().read('users/aB')], ['/users/Ab', '/users/aB']);
  });
});

describe('a successful response with invalid JSON', () => {
  it('is not stored for its max-age', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({
      headers: { 'cache-control': 'max-age=3600', 'content-type': 'application/json' },
      body: before === 0 ? '{"half' : '{"whole":true}',
    }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);

    await assert.rejects(operations.begin().read('x'), /JSON/);
    assert.equal(store.entries.size, 0);
    assert.deepEqual(await operations.begin().read('x'), { whole: true });
  });

  it('is not stored when a hook fails to parse it', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({
      headers: { 'cache-control': 'max-age=3600' },
      body: before === 0 ? '{"half' : '{"whole":true}',
    }));
    const operations = new Operations(origin.url, new OpenStore());
    class Parsing extends API {
      protected override async parseBody(response: Response): Promise<unknown> {
        return JSON.parse(await response.text());
      }
    }
    const begin = (): Parsing => {
      const api = new Parsing(origin.url);
      void api.initialize({ context: {}, cache: operations.cache });
      return api;
    };

    await assert.rejects(begin().read('x'), SyntaxError);
    assert.deepEqual(await begin().read('x'), { whole: true });
  });
});

describe('header fields in hooks', () => {
  class Fields extends API {
    protected override async didReceiveResponse<T>({ headers }: Response): Promise<T> {
      return Object.fromEntries(headers) as T;
    }
  }
  const seenTwice = async (origin: { url: string }): Promise<Record<string, string>[]> => {
    const operations = new Operations(origin.url);
    const ask = (): Promise<Record<string, string>> => {
      const api = new Fields(origin.url);
      void api.initialize({ context: {}, cache: operations.cache });
      return api.read('x');
    };
    return [await ask(), await ask()];
  };

  it('are the same from the origin and from the store, except cookies and age', async (t) => {
    const headers = { 'cache-control': 'public, max-age=60', 'x-total': '7', 'set-cookie': 'a=1', connection: 'x-hop', 'x-hop': '1' };
    const origin = await startOrigin(t, () => ({ headers: { ...headers, 'content-length': '5' }, body: 'hello' }));

    const [first, second] = await seenTwice(origin);

    assert.deepEqual([first!['set-cookie'], second!['set-cookie'], second!['age']], ['a=1', undefined, '0']);
    const common = ({ 'set-cookie': _cookie, age: _age, ...rest }: Record<string, string>): object => rest;
    assert.deepEqual(common(first!), common(second!));
    assert.deepEqual([first!['content-length'], first!['x-total'], first!['x-hop']], ['5', '7', undefined]);
  });

  it('do not name an encoding that was decoded, from the origin or from the store', async (t) => {
    const body = gzipSync('hello');
    const headers = { 'cache-control': 'max-age=60', 'content-encoding': 'gzip', 'content-length': `${body.length}` };
    const origin = await startOrigin(t, () => ({ headers, body }));

    for (const seen of await seenTwice(origin))
      assert.deepEqual([seen['content-encoding'], seen['content-length']], [undefined, undefined]);
  });
});

describe('the key of an entry in a shared store', () => {
  const keysFor = async (t: Parameters<typeof startOrigin>[0], ...asked: [string, object?][]): Promise<{ url: string; keys: string[] }> => {
    const origin = await startOrigin(t, (call) => ({ headers: { 'cache-control': 'public, max-age=60' }, body: call.url }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    for (const [path, params] of asked) {
      await operations.begin().read(path, params);
      await operations.begin().read(path, params);
    }
    assert.equal(origin.calls.length, asked.length);
    return { url: origin.url, keys: [...store.entries.keys()] };
  };

  it('is the URL if it has no query, so that it can be looked up', async (t) => {
    const { url, keys } = await keysFor(t, ['books/1']);

    assert.deepEqual(keys, [`httpcache:${url}/books/1`]);
  });

  it('contains a hash of the query instead of the query', async (t) => {
    const { url, keys } = await keysFor(t, ['me', { access_token: 'S3CRET-A' }], ['me', { access_token: 'S3CRET-B' }]);

    assert.equal(new Set(keys).size, 2);
    for (const key of keys) assert.match(key, new RegExp(`^httpcache:${url}/me\\?[\\da-f]{64}$`));
  });

  it('is a hash if it is long or not a URL', async (t) => {
    const { keys } = await keysFor(t, [`books/${'x'.repeat(200)}`]);

    assert.match(keys[0]!, /^httpcache:#[\da-f]{64}$/);
  });

  it('does not contain a key returned by cacheKeyFor', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'public, max-age=60' } }));
    const store = new OpenStore();
    class Keyed extends API {
      protected override cacheKeyFor(): string {
        return 'S3CRET:me';
      }
    }
    const api = new Keyed(origin.url);
    void api.initialize({ context: {}, cache: store });
    await api.read('x');

    assert.doesNotMatch([...store.entries.keys()].join(), /S3CRET/);
  });

  it('has a bounded length, however long the path is', async (t) => {
    const { keys } = await keysFor(t, [`books/${'x'.repeat(10_000)}`, { page: 1 }]);

    assert.ok(keys[0]!.length < 250);
  });
});
