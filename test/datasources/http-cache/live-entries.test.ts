import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import type { Origin } from '../origin.ts';

const storable = { 'cache-control': 'public, max-age=60', vary: 'accept', etag: '"v"' };

async function startBooks(t: TestContext, body: string | Uint8Array, type = 'application/json'): Promise<Origin> {
  return startOrigin(t, () => ({ headers: { ...storable, 'content-type': type }, body }));
}

describe('a response in the in-memory cache', () => {
  for (const [what, body, type] of [
    ['JSON', '{"name":"Emma","parts":[1,2]}', 'application/json'],
    ['text of two bytes a character', 'Ωmega'.repeat(5), 'text/plain'],
    ['bytes', Uint8Array.from({ length: 40 }, (_, index) => index * 7), 'image/png'],
  ] as const) {
    it(`can be read as text and stored in another cache (${what})`, async (t) => {
      const origin = await startBooks(t, body, type);
      const first = new Operations(origin.url, new InMemoryLRUCache());
      const result: unknown = await first.begin().read('books/1');
      const key = `httpcache:${origin.url}/books/1`;
      const text = await first.cache.get(key);
      assert.equal(typeof text, 'string');

      const second = new Operations(origin.url, new InMemoryLRUCache());
      await second.cache.set(key, text!, { ttl: 60 });

      assert.deepEqual(await second.begin().read('books/1'), result);
      assert.equal(origin.calls.length, 1);
    });
  }

  it('is stored through the methods of a subclass', async (t) => {
    const origin = await startBooks(t, '{"name":"Emma"}');
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
    const operations = new Operations(origin.url, new Counting());

    await operations.begin().read('books/1');
    await operations.begin().read('books/1');

    assert.deepEqual(seen, ['get', 'set string', 'get']);
    assert.equal(origin.calls.length, 1);
  });

  it('is stored through the methods of a test double once it is installed', async (t) => {
    const origin = await startBooks(t, '{"name":"Emma"}');
    const cache = new InMemoryLRUCache();
    const operations = new Operations(origin.url, cache);
    await operations.begin().read('books/1');
    const get = t.mock.method(cache, 'get', async () => undefined);

    await operations.begin().read('books/1');

    assert.equal(get.mock.callCount(), 1);
    assert.equal(origin.calls.length, 2);
  });

  it('counts with all its bytes', async (t) => {
    const origin = await startBooks(t, JSON.stringify('x'.repeat(20_000)));
    const operations = new Operations(origin.url, new InMemoryLRUCache({ maxSize: 30_000 }));

    for (const path of ['books/1', 'books/2', 'books/2', 'books/1']) await operations.begin().read(path);

    assert.deepEqual(
      origin.calls.map((call) => call.url),
      ['/books/1', '/books/2', '/books/1'],
    );
  });

  it('counts with the header fields that it varies by, which a client can set', async (t) => {
    const origin = await startBooks(t, '1');
    const cache = new InMemoryLRUCache({ maxSize: 12_000 });
    for (const path of ['books/1', 'books/2', 'books/1']) {
      const operations = new Operations(origin.url, cache);
      await operations.begin({ headers: { accept: 'x'.repeat(8000) } }).read(path);
    }

    assert.equal(origin.calls.length, 3);
  });

  it('is not changed when a caller modifies its bytes or header fields', async (t) => {
    const origin = await startBooks(t, Uint8Array.from([200, 201]), 'image/png');
    const operations = new Operations(origin.url, new InMemoryLRUCache());
    class Spoiling extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        const bytes = new Uint8Array(await response.arrayBuffer());
        const seen = [...bytes, response.headers.get('etag')];
        bytes.fill(0);
        response.headers.set('etag', 'spoiled');
        return seen as T;
      }
    }

    for (let call = 0; call < 3; call++) {
      const api = new Spoiling(origin.url);
      void api.initialize({ context: {}, cache: operations.cache });
      assert.deepEqual(await api.read('books/1'), [200, 201, '"v"']);
    }
    assert.equal(origin.calls.length, 1);
  });

  it('is not changed when httpFetch reuses its buffer', async () => {
    const memory = Buffer.alloc(2);
    const answer = (byte: number): Response => {
      memory.fill(byte);
      const body = { getReader: () => ({ read: async () => pieces.shift() ?? { done: true }, cancel: async () => {} }) };
      const pieces = [{ done: false, value: memory }];
      return {
        status: 200,
        ok: true,
        statusText: '',
        url: '',
        headers: new Headers({ ...storable, 'content-type': 'image/png' }),
        body,
      } as never;
    };
    const cache = new InMemoryLRUCache();
    const bytesOf = async (path: string, byte: number): Promise<number[]> => {
      class Bytes extends API {
        protected override async didReceiveResponse<T>(response: Response): Promise<T> {
          return [...new Uint8Array(await response.arrayBuffer())] as T;
        }
      }
      const api = new Bytes('http://a.test', { httpFetch: async () => answer(byte) });
      void api.initialize({ context: {}, cache });
      return api.read(path);
    };

    assert.deepEqual(await bytesOf('1', 200), [200, 200]);
    assert.deepEqual(await bytesOf('2', 201), [201, 201]);
    assert.deepEqual(await bytesOf('1', 202), [200, 200]);
  });
});
