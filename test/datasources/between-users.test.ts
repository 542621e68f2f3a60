import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { CacheOptions, DataSourceRequest, DataSourceRequestInit } from '../../src/datasources/request.ts';
import type { RESTDataSourceOptions } from '../../src/datasources/rest-data-source.ts';
import { API, Operations } from './api.ts';
import { OpenStore } from './http-cache/open-store.ts';
import { startOrigin } from './origin.ts';

/** Returns a new response without a URL, as many custom functions do. */
const wrapped = async (request: Request): Promise<Response> => {
  const { status, statusText, headers, body } = await fetch(request);
  return new Response(status === 304 ? null : body, { status, statusText, headers });
};

/** Creates one operation per call. The operations of all users share one cache. */
function createOperations(url: string, options: RESTDataSourceOptions = {}): (user: string, ttl?: number) => API {
  const cache = new InMemoryLRUCache();
  return (user, ttl) => {
    const api = new API(url, options);
    api.ttl = ttl;
    api.cacheIdentity = '';
    void api.initialize({ context: { headers: { authorization: user } }, cache });
    return api;
  };
}

describe('a redirect from a per-user resource to a public one', () => {
  for (const [how, options] of [
    ['by fetch', {}],
    ['by an httpFetch that creates a new response', { httpFetch: wrapped }],
  ] as const) {
    it(`does not return one user's resource to another (${how})`, async (t) => {
      const origin = await startOrigin(t, ({ url, headers }) =>
        url === '/me'
          ? { status: 302, headers: { location: `/users/${headers['authorization']}` } }
          : { headers: { 'cache-control': 'public, max-age=60' }, body: url },
      );
      const begin = createOperations(origin.url, options);

      assert.equal(await begin('alice').read('me'), '/users/alice');
      assert.equal(await begin('bob').read('me'), '/users/bob');
    });

    it(`does not do so after revalidation (${how})`, async (t) => {
      const origin = await startOrigin(t, ({ url, headers }) => {
        if (url === '/me') return { status: 302, headers: { location: `/users/${headers['authorization']}` } };
        const known = headers['if-none-match'] === `"${url}"`;
        return { status: known ? 304 : 200, headers: { 'cache-control': 'public, no-cache', etag: `"${url}"` }, body: known ? '' : url };
      });
      const begin = createOperations(origin.url, options);

      const seen = [];
      for (const user of ['alice', 'alice', 'bob', 'alice', 'bob'])
        seen.push(await begin(user, 60).read('me', undefined, { cache: 'no-cache' }), await begin(user, 60).read('me'));

      assert.deepEqual(
        seen,
        ['alice', 'alice', 'bob', 'alice', 'bob'].flatMap((user) => [`/users/${user}`, `/users/${user}`]),
      );
    });
  }
});

describe('an agent in the fetch options', () => {
  /** The users that the replacement for fetch identifies by their agent, as a client certificate does: no header field names them. */
  const sent: string[] = [];
  const fetchWithAgent = async (_url: unknown, init: unknown): Promise<Response> => {
    const { dispatcher, proxy } = init as { dispatcher?: { user: string }; proxy?: string };
    sent.push(dispatcher?.user ?? proxy ?? '');
    return new Response(dispatcher?.user ?? proxy, { headers: { 'cache-control': 'max-age=60' } });
  };

  for (const [option, of] of [
    ['dispatcher', (user: string) => ({ user })],
    ['proxy', (user: string) => `http://${user}:secret@proxy.test`],
  ] as const) {
    for (const [where, createStore] of [
      ['in memory', () => new InMemoryLRUCache()],
      ['in a store', () => new OpenStore()],
    ] as const) {
      it(`does not return one user's response to another (${option}, ${where})`, async (t) => {
        t.mock.method(globalThis, 'fetch', fetchWithAgent);
        const operations = new Operations('http://a.test', createStore());
        const ask = (user: string): Promise<string> =>
          operations.begin().read('me', undefined, { [option]: of(user) } as DataSourceRequestInit);

        assert.match(await ask('alice'), /alice/);
        assert.match(await ask('bob'), /bob/);
        assert.match(await ask('alice'), /alice/);
      });

      it(`does not return one user's response to another in one operation (${option}, ${where})`, async (t) => {
        t.mock.method(globalThis, 'fetch', fetchWithAgent);
        const api = new Operations('http://a.test', createStore()).begin();
        const ask = (user: string): Promise<string> => api.read('me', undefined, { [option]: of(user) } as DataSourceRequestInit);

        assert.match(await ask('alice'), /alice/);
        assert.match(await ask('bob'), /bob/);
      });
    }
  }
});

describe('a hook that changes the request after sending', () => {
  it('does not change which user the response belongs to', async (t) => {
    const origin = await startOrigin(t, ({ headers }) => ({
      headers: { 'cache-control': 'max-age=60' },
      body: headers['authorization'] ?? 'nobody',
    }));
    const cache = new InMemoryLRUCache();
    /** Logs the request, without its credentials. */
    class Logging extends API {
      protected override cacheOptionsFor(_response?: Response, request?: DataSourceRequest): CacheOptions | undefined {
        request!.headers.delete('authorization');
        return undefined;
      }
    }
    const begin = (headers: Record<string, string>): Logging => {
      const api = new Logging(origin.url);
      void api.initialize({ context: { headers }, cache });
      return api;
    };

    assert.equal(await begin({ authorization: 'alice' }).read('me'), 'alice');
    assert.equal(await begin({}).read('me'), 'nobody');
    assert.equal(await begin({ authorization: 'bob' }).read('me'), 'bob');
  });
});
