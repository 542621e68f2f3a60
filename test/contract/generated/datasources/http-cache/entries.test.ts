import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { InMemoryLRUCache } from '../../../../../src/datasources/cache/in-memory.ts';
import { storedHeadersOf } from '../../../../../src/datasources/http-cache/stored-headers.ts';
import { cases } from '../../../../support/long-form.ts';
import { OpenStore, Operations, numbered, startAPI } from '../../../../support/datasources/api.ts';
import type { OperationSettings } from '../../../../support/datasources/api.ts';
import type { Reply } from '../../../../support/datasources/origin.ts';

const minute = { 'cache-control': 'max-age=60' };
const publicMinute = { 'cache-control': 'public, max-age=60' };
const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
const readBytes: OperationSettings = { parseBody: async (response) => new Uint8Array(await response.arrayBuffer()) };

const bodies = [
  ['JSON', '{"name":"Emma","year":1815}', 'application/json'],
  ['text', 'Emma, 1815', 'text/plain'],
  ['text in several scripts, with a byte order mark', '\uFEFFGrüße, мир, 世界 🌍', 'text/plain'],
  ['bytes', bytes, 'image/png'],
] as const;

describe('an entry in a store', () => {
  /** The default suite cuts at every eighth character, the long form at every character. */
  const step = 8 / cases({ short: 1, long: 8 });

  for (const [what, body, type] of bodies) {
    it(`has the same body as the response (${what}), and is a miss wherever it was cut`, async (t) => {
      const store = new OpenStore();
      const reply = (): Reply => ({ headers: { ...minute, vary: 'accept', 'content-type': type }, body });
      const { begin, calls } = await startAPI(t, reply, store);
      const settings = what === 'bytes' ? readBytes : {};
      const expected: unknown = await begin(settings).read('x');
      assert.deepEqual(await begin(settings).read('x'), what === 'bytes' ? bytes : expected);
      assert.equal(calls.length, 1);
      const [[key, whole]] = [...store.entries] as [[string, string]];

      for (let at = 0; at < whole.length; at += step) {
        store.entries.set(key, whole.slice(0, at));
        const before: number = calls.length;
        assert.deepEqual(await begin(settings).read('x'), expected);
        assert.equal(calls.length, before + 1, `cut at ${at}: ${whole.slice(at, at + 20)}`);
      }
    });
  }

  it('is a miss if it is of another version, longer, or something else', async (t) => {
    const store = new OpenStore();
    const { begin, calls } = await startAPI(t, numbered(minute), store);
    await begin().read('x');
    const [[key, whole]] = [...store.entries] as [[string, string]];

    for (const text of ['', '{}', 'null', '{"policy":{},"body":"1"}', `${whole}x`, whole.replace('/3 ', '/2 '), whole.replace('{', '[')]) {
      store.entries.set(key, text);
      const before = calls.length;
      await begin().read('x');
      assert.equal(calls.length, before + 1, text);
    }
  });

  it('is a miss when the store returns that of another key', async (t) => {
    const store = new OpenStore();
    // Like a table with a case-insensitive collation.
    const { get, set } = { get: store.get.bind(store), set: store.set.bind(store) };
    store.get = (key) => get(key.toLowerCase());
    store.set = (key, ...rest) => set(key.toLowerCase(), ...rest);
    const { begin } = await startAPI(t, (call) => ({ headers: publicMinute, body: call.url }), store);

    assert.deepEqual([await begin().read('users/Ab'), await begin().read('users/aB')], ['/users/Ab', '/users/aB']);
  });
});

describe('a successful response with invalid JSON is not stored', () => {
  for (const [what, type, parseBody] of [
    ['by the data source', 'application/json', undefined],
    ['by a hook', 'text/plain', async (response: Response) => JSON.parse(await response.text())],
  ] as const)
    it(`parsed ${what}`, async (t) => {
      const store = new OpenStore();
      const { begin } = await startAPI(t, (_call, before) => ({
        headers: { 'cache-control': 'max-age=3600', 'content-type': type },
        body: before === 0 ? '{"half' : '{"whole":true}',
      }), store); // oxfmt-ignore
      const settings = parseBody === undefined ? {} : { parseBody };

      await assert.rejects(begin(settings).read('x'), /JSON/);
      assert.equal(store.entries.size, 0);
      assert.deepEqual(await begin(settings).read('x'), { whole: true });
    });
});

describe('header fields', () => {
  const fields: OperationSettings = { didReceiveResponse: async ({ headers }) => Object.fromEntries(headers) };

  it('are the same in hooks from the API and from the store, except cookies and age', async (t) => {
    const headers = { ...publicMinute, 'x-total': '7', 'set-cookie': 'a=1', connection: 'x-hop', 'x-hop': '1', 'content-length': '5' };
    const { begin } = await startAPI(t, () => ({ headers, body: 'hello' }));

    const [{ 'set-cookie': cookie, ...first }, { age, ...second }] = [await begin(fields).read('x'), await begin(fields).read('x')];

    assert.deepEqual([cookie, age], ['a=1', '0']);
    assert.deepEqual(first, second);
    assert.deepEqual([first['content-length'], first['x-total'], first['x-hop']], ['5', '7', undefined]);
  });

  it('do not name an encoding that was decoded', async (t) => {
    const body = gzipSync('hello');
    const { begin } = await startAPI(t, () => ({
      headers: { ...minute, 'content-encoding': 'gzip', 'content-length': `${body.length}` },
      body,
    }));

    for (const seen of [await begin(fields).read('x'), await begin(fields).read('x')])
      assert.deepEqual([seen['content-encoding'], seen['content-length']], [undefined, undefined]);
  });

  it('name an encoding that fetch does not decode', () => {
    const sent = { 'content-encoding': 'compress', 'content-length': '9' };

    assert.deepEqual(storedHeadersOf(sent, 9), sent);
    assert.deepEqual(storedHeadersOf({ 'content-encoding': 'br, GZIP', 'content-length': '9' }, 20), {});
  });
});

describe('the key in a shared store', () => {
  for (const [what, path, params, expected] of [
    ['is the URL if it has no query, so that it can be looked up', 'books/1', undefined, /^httpcache:http:\/\/127\.0\.0\.1:\d+\/books\/1$/],
    ['has a hash of the query', 'me', { access_token: 'S3CRET' }, /^httpcache:http:\/\/127\.0\.0\.1:\d+\/me\?[\da-f]{64}$/],
    ['is a hash if the path is long', `books/${'x'.repeat(10_000)}`, { page: 1 }, /^httpcache:#[\da-f]{64}$/],
  ] as const)
    it(what, async (t) => {
      const store = new OpenStore();
      const { begin, calls } = await startAPI(t, numbered(publicMinute), store);
      for (let nth = 0; nth < 2; nth++) await begin().read(path, params);
      for (let nth = 0; nth < 2; nth++) await begin().read(path, { ...params, other: 1 });

      assert.equal(calls.length, 2);
      assert.equal(store.entries.size, 2);
      assert.match([...store.entries.keys()][0]!, expected);
    });

  it('is a hash of what cacheKeyFor returns, if that is not a URL', async (t) => {
    const store = new OpenStore();
    await (await startAPI(t, numbered(publicMinute), store)).begin({ cacheKeyFor: () => 'S3CRET:me' }).read('x');

    assert.match([...store.entries.keys()].join(), /^httpcache:#[\da-f]{64}$/);
  });

  it('can leave out query parameters, which are then not in the entry', async (t) => {
    const store = new OpenStore();
    const { begin, url } = await startAPI(t, numbered({ ...minute, etag: '"v"' }), store);
    const cacheKeyFor: OperationSettings['cacheKeyFor'] = (request) => request.url.split('?')[0];

    for (const session of [1, 2]) assert.equal(await begin({ cacheKeyFor }).read('x', { session }), 0);

    assert.deepEqual([...store.entries.keys()], [`httpcache:${url}/x`]);
    assert.doesNotMatch([...store.entries.values()].join(), /session/);
  });
});

describe('a response in the in-memory cache', () => {
  const storable = { ...publicMinute, vary: 'accept', etag: '"v"' };

  for (const [what, body, type] of bodies)
    it(`can be read as text and stored in another cache (${what})`, async (t) => {
      const { begin, cache, calls, url } = await startAPI(t, () => ({ headers: { ...storable, 'content-type': type }, body }));
      const result: unknown = await begin().read('x');
      const second = new Operations(url, new InMemoryLRUCache());
      await second.cache.set(`httpcache:${url}/x`, (await cache.get(`httpcache:${url}/x`))!, { ttl: 60 });

      assert.deepEqual(await second.begin().read('x'), result);
      assert.equal(calls.length, 1);
    });

  it('is stored through the methods of a subclass', async (t) => {
    const seen: string[] = [];
    class Counting extends InMemoryLRUCache {
      override async get(key: string): Promise<string | undefined> {
        seen.push('get');
        return super.get(key);
      }
      override async set(...args: Parameters<InMemoryLRUCache['set']>): Promise<void> {
        seen.push(`set ${typeof args[1]}`);
        return super.set(...args);
      }
    }
    const { begin, calls } = await startAPI(t, numbered(storable), new Counting());
    for (let nth = 0; nth < 2; nth++) await begin().read('x');

    assert.deepEqual(seen, ['get', 'set string', 'get']);
    assert.equal(calls.length, 1);
  });

  it('is read through the methods of a test double once it is installed', async (t) => {
    const { begin, cache, calls } = await startAPI(t, numbered(storable));
    await begin().read('x');
    const get = t.mock.method(cache, 'get', async () => undefined);

    await begin().read('x');

    assert.equal(get.mock.callCount(), 1);
    assert.equal(calls.length, 2);
  });

  for (const [what, maxSize, body, accept] of [
    ['all its bytes', 30_000, JSON.stringify('x'.repeat(20_000)), '*/*'],
    ['the header fields that it varies by, which a client can set', 12_000, '1', 'x'.repeat(8000)],
  ] as const)
    it(`counts with ${what}`, async (t) => {
      const { begin, calls } = await startAPI(t, () => ({ headers: storable, body }), new InMemoryLRUCache({ maxSize }));

      for (const path of ['1', '2', '2', '1']) await begin({ headers: { accept } }).read(path);

      assert.deepEqual(calls.map((call) => call.url), ['/1', '/2', '/1']); // oxfmt-ignore
    });

  it('is not changed when a caller modifies its bytes or header fields', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({
      headers: { ...storable, 'content-type': 'image/png' },
      body: Uint8Array.from([200, 201]),
    }));
    const spoiling: OperationSettings = {
      async didReceiveResponse(response) {
        const read = new Uint8Array(await response.arrayBuffer());
        const seen = [...read, response.headers.get('etag')];
        read.fill(0);
        response.headers.set('etag', 'spoiled');
        return seen;
      },
    };

    for (let nth = 0; nth < 3; nth++) assert.deepEqual(await begin(spoiling).read('x'), [200, 201, '"v"']);
    assert.equal(calls.length, 1);
  });

  it('is not changed when httpFetch reuses its buffer', async () => {
    const memory = Buffer.alloc(2);
    const { begin } = new Operations('http://a.test');
    const read = (path: string, byte: number): Promise<Uint8Array> => {
      const pieces = [{ done: false, value: memory }];
      const body = { getReader: () => ({ read: async () => pieces.shift() ?? { done: true }, cancel: async () => {} }) };
      const response = {
        status: 200,
        ok: true,
        statusText: '',
        url: '',
        headers: new Headers({ ...storable, 'content-type': 'image/png' }),
        body,
      };
      const httpFetch = async (): Promise<Response> => (memory.fill(byte), response as never);
      return begin({ ...readBytes, httpFetch }).read(path);
    };

    assert.deepEqual([...(await read('1', 200))], [200, 200]);
    assert.deepEqual([...(await read('2', 201))], [201, 201]);
    assert.deepEqual([...(await read('1', 202))], [200, 200]);
  });
});
