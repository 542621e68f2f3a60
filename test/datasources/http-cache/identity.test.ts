import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import type { Call, Origin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

const fields = [
  'accept-token',
  'x-datadog-user',
  'x-b3-user',
  'x-api-key',
  'x-auth-token',
  'x-user-id',
  'x-session',
  'x-impersonate',
  'x-forwarded-user',
  'apikey',
  'x-tenant',
];

const userOf = ({ headers }: Call): string =>
  fields
    .concat('authorization', 'cookie')
    .map((name) => headers[name] ?? '')
    .join('');
const forUser = (headers: Record<string, string>) => (call: Call) => ({ headers, body: `for ${userOf(call) || 'nobody'}` });

describe('a request header field that could identify a user', () => {
  for (const field of fields) {
    for (const [what, headers] of [
      ['max-age', { 'cache-control': 'max-age=60' }],
      ['Expires', { expires: new Date(Date.now() + 86_400_000).toUTCString() }],
      ['Last-Modified alone', { 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' }],
      ['must-revalidate and an ETag', { 'cache-control': 'max-age=60, must-revalidate', etag: '"v"' }],
      ['private', { 'cache-control': 'private, max-age=60' }],
      ['private and s-maxage', { 'cache-control': 'private, s-maxage=60, max-age=60' }],
      ['s-maxage and a cookie', { 'cache-control': 's-maxage=60, max-age=60', 'set-cookie': 'a=1' }],
    ] as const) {
      it(`prevents sharing a response under ${what} with another user (${field})`, async (t) => {
        const origin = await startOrigin(t, forUser(headers));
        const operations = new Operations(origin.url);
        const ask = (user?: string): Promise<string> =>
          operations.begin(user === undefined ? {} : { headers: { [field]: user } }).read('me');

        const seen = [await ask('alice'), await ask('bob'), await ask(), await ask('alice')];

        assert.deepEqual(seen, ['for alice', 'for bob', 'for nobody', 'for alice']);
      });
    }
  }

  it('allows reuse for the same user, also of a private response', async (t) => {
    const origin = await startOrigin(t, forUser({ 'cache-control': 'private, max-age=60' }));
    const operations = new Operations(origin.url);
    const ask = (): Promise<string> => operations.begin({ headers: { 'x-api-key': 'alice' } }).read('me');

    assert.deepEqual([await ask(), await ask()], ['for alice', 'for alice']);
    assert.equal(origin.calls.length, 1);
  });

  it('does not matter if the response is public or has s-maxage: then Vary decides', async (t) => {
    const origin = await startOrigin(t, forUser({ 'cache-control': 'max-age=0, s-maxage=60', vary: 'x-tenant' }));
    const operations = new Operations(origin.url);
    const ask = (headers: Record<string, string>): Promise<string> => operations.begin({ headers }).read('x');

    assert.equal(await ask({ 'x-api-key': 'alice' }), 'for alice');
    assert.equal(await ask({ 'x-api-key': 'bob' }), 'for alice');
    assert.equal(await ask({ 'x-tenant': 't' }), 'for t');
  });

  it('is any field not on the safe list, which shareableHeaders extends', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({ headers: { 'cache-control': 'max-age=60' }, body: before }));
    const operations = new Operations(origin.url);
    const ask = (id: string): Promise<number> => {
      const safe = {
        accept: `text/${id}`,
        'user-agent': id,
        'x-request-id': id,
        traceparent: id,
        'accept-language': id,
        'x-app-version': id,
      };
      const api = operations.begin({ headers: safe });
      api.shareableHeaders = ['X-App-Version'];
      return api.read('x');
    };

    assert.deepEqual([await ask('1'), await ask('2')], [0, 0]);
  });

  it('a public redirect to a private response is not shared', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.url === '/me'
        ? { status: 302, headers: { location: `/users/${String(call.headers['x-api-key'])}` } }
        : { headers: { 'cache-control': 'public, max-age=60' }, body: call.url },
    );
    const operations = new Operations(origin.url);
    const ask = (user: string): Promise<string> => operations.begin({ ttl: 60, headers: { 'x-api-key': user } }).read('me');

    assert.deepEqual([await ask('alice'), await ask('bob')], ['/users/alice', '/users/bob']);
  });

  for (const vary of ['no name', '(x)', 'accept, x y']) {
    it(`a Vary that is not a list of names ("${vary}") matches no other request`, async (t) => {
      const origin = await startOrigin(t, (_call, before) => ({ headers: { 'cache-control': 'public, max-age=60', vary }, body: before }));
      const operations = new Operations(origin.url);
      const ask = (): Promise<number> => operations.begin({ headers: { accept: 'text/plain' } }).read('x');

      assert.deepEqual([await ask(), await ask()], [0, 1]);
    });
  }
});

interface Hidden {
  readonly user: string;
  readonly how: 'sets a field' | 'makes another request';
  readonly cacheIdentity?: unknown;
}

/** One user's operation, whose httpFetch adds the credentials. */
function beginHidden(operations: Operations, origin: Origin, { user, how, cacheIdentity }: Hidden): API {
  const httpFetch = async (request: Request): Promise<Response> => {
    if (how === 'makes another request')
      return fetch(new Request(request, { headers: { ...Object.fromEntries(request.headers), 'x-api-key': user } }));
    request.headers.set('x-api-key', user);
    return fetch(request);
  };
  const api = new API(origin.url, { httpFetch, now: operations.clock.now });
  if (cacheIdentity !== undefined) api.cacheIdentity = cacheIdentity as string;
  void api.initialize({ context: {}, cache: operations.cache });
  return api;
}

describe('credentials that httpFetch adds', () => {
  const start = async (t: TestContext, headers: Record<string, string>) => {
    const origin = await startOrigin(t, forUser(headers));
    return { origin, operations: new Operations(origin.url) };
  };

  for (const how of ['sets a field', 'makes another request'] as const) {
    for (const control of ['max-age=60', 'private, max-age=60']) {
      it(`are distinguished by cacheIdentity when httpFetch ${how} (${control})`, async (t) => {
        const { origin, operations } = await start(t, { 'cache-control': control });
        const ask = (user: string): Promise<string> => beginHidden(operations, origin, { user, how, cacheIdentity: user }).read('me');

        assert.deepEqual(
          [await ask('alice'), await ask('bob'), await ask('bob'), await ask('alice')],
          ['for alice', 'for bob', 'for bob', 'for alice'],
        );
        assert.equal(origin.calls.length, 3);
      });
    }

    it(`are distinguished by it also in a public response that varies by them (httpFetch ${how})`, async (t) => {
      const { origin, operations } = await start(t, { 'cache-control': 'public, max-age=60', vary: 'X-Api-Key' });
      const ask = (user: string): Promise<string> => beginHidden(operations, origin, { user, how, cacheIdentity: user }).read('me');

      assert.deepEqual([await ask('alice'), await ask('bob')], ['for alice', 'for bob']);
    });

    for (const [what, headers, ttl] of [
      ['with max-age', { 'cache-control': 'max-age=60' }],
      ['with Expires', { expires: new Date(Date.now() + 86_400_000).toUTCString() }],
      ['with private', { 'cache-control': 'private, max-age=60' }],
      ['with private and public', { 'cache-control': 'public, private, max-age=60' }],
      ['with s-maxage and a cookie', { 'cache-control': 's-maxage=60', 'set-cookie': 'a=1' }],
      ['under a ttl', {}, 60],
      ['with public that varies by them', { 'cache-control': 'public, max-age=60', vary: 'X-Api-Key' }],
      ['with s-maxage that varies by them, under a ttl', { 'cache-control': 's-maxage=60', vary: 'x-api-key' }, 60],
    ] as [string, Record<string, string>, number?][]) {
      it(`without cacheIdentity, a response ${what} is not stored (httpFetch ${how})`, async (t) => {
        const { origin, operations } = await start(t, headers);
        const ask = (user: string): Promise<string> => {
          const api = beginHidden(operations, origin, { user, how });
          api.ttl = ttl;
          return api.read('me');
        };

        assert.deepEqual([await ask('alice'), await ask('bob'), await ask('alice')], ['for alice', 'for bob', 'for alice']);
        assert.equal(origin.calls.length, 3);
      });
    }
  }

  for (const control of ['public, max-age=60', 's-maxage=60', 'public']) {
    it(`without cacheIdentity, a response with ${control} is stored for everybody`, async (t) => {
      const { origin, operations } = await start(t, { 'cache-control': control, vary: 'Accept' });
      const ask = (user: string): Promise<string> => {
        const api = beginHidden(operations, origin, { user, how: 'sets a field' });
        if (control === 'public') api.ttl = 60;
        return api.read('book');
      };

      assert.deepEqual([await ask('alice'), await ask('bob')], ['for alice', 'for alice']);
    });
  }

  it('without cacheIdentity, no response is used that was stored for a caller without credentials', async (t) => {
    for (const headers of [{ 'cache-control': 'max-age=60' }, { 'cache-control': 'public, max-age=60', vary: 'x-api-key' }]) {
      const { origin, operations } = await start(t, headers);

      assert.equal(await operations.begin().read('me'), 'for nobody');
      assert.equal(await beginHidden(operations, origin, { user: 'alice', how: 'makes another request' }).read('me'), 'for alice');
    }
  });

  it("with cacheIdentity = '', the fields of the data source identify the user", async (t) => {
    const { origin, operations } = await start(t, { 'cache-control': 'private, max-age=60' });
    const ask = (user: string): Promise<string> => {
      const api = new API(origin.url, { httpFetch: (request) => fetch(request), now: operations.clock.now });
      api.cacheIdentity = '';
      void api.initialize({ context: { headers: { 'x-api-key': user } }, cache: operations.cache });
      return api.read('me');
    };

    assert.deepEqual([await ask('alice'), await ask('alice'), await ask('bob')], ['for alice', 'for alice', 'for bob']);
    assert.equal(origin.calls.length, 2);
  });

  it('a field that the data source sets for another purpose does not identify the user of a private response', async (t) => {
    const { origin, operations } = await start(t, { 'cache-control': 'private, max-age=60' });
    const ask = (user: string): Promise<string> => {
      const api = beginHidden(operations, origin, { user, how: 'makes another request' });
      return api.read('me', undefined, { headers: { 'x-app-version': '3' } });
    };

    assert.deepEqual([await ask('alice'), await ask('bob')], ['for alice', 'for bob']);
  });

  it('cacheIdentity is hashed in the store', async (t) => {
    const origin = await startOrigin(t, forUser({ 'cache-control': 'max-age=60', vary: 'x-api-key' }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    await beginHidden(operations, origin, { user: 'x', how: 'sets a field', cacheIdentity: 'S3CRET' }).read('me');

    assert.equal(store.entries.size, 1);
    assert.doesNotMatch([...store.entries].join(), /S3CRET/);
  });

  for (const [what, identity] of [
    ['a Promise', Promise.resolve('alice')],
    ['an object', { id: 'alice' }],
  ] as const) {
    it(`cacheIdentity must not be ${what}`, async (t) => {
      const { origin, operations } = await start(t, {});
      const asking = beginHidden(operations, origin, { user: 'x', how: 'sets a field', cacheIdentity: identity }).read('me');

      await assert.rejects(asking, new RegExp(`cacheIdentity must be a string that identifies the user, not ${what}`));
    });
  }
});

describe('options of fetch', () => {
  it('that disable following redirects bypass the cache', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.url === '/old'
        ? { status: 301, headers: { location: '/new', 'cache-control': 'public, max-age=3600' } }
        : { headers: { 'cache-control': 'max-age=60' }, body: call.url },
    );
    const operations = new Operations(origin.url);
    class Redirects extends API {
      protected override async didReceiveResponse<T>({ status }: Response): Promise<T> {
        return status as T;
      }
    }
    const readStatus = (redirect: 'manual' | 'follow'): Promise<number> => {
      const api = new Redirects(origin.url);
      void api.initialize({ context: {}, cache: operations.cache });
      return api.read('old', undefined, { redirect, cacheOptions: { ttl: 60 } });
    };

    assert.deepEqual([await readStatus('manual'), await readStatus('follow'), await readStatus('manual')], [301, 200, 301]);
    assert.equal(await operations.begin().read('old'), '/new');
  });

  it('distinguish otherwise equal GETs in the memo', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.url === '/old' ? { status: 301, headers: { location: '/new' } } : { body: call.url },
    );
    const api = new Operations(origin.url).begin();

    await assert.rejects(api.read('old', undefined, { redirect: 'manual' }), /301/);
    assert.equal(await api.read('old'), '/new');
  });
});

describe('what cacheKeyFor returns', () => {
  for (const [what, key] of [
    ['a Promise', Promise.resolve('k')],
    ['undefined', undefined],
    ['null', null],
    ['an object', {}],
    ['""', ''],
    ['7', 7],
  ] as const) {
    it(`must be a string, not ${what}: different requests would share it`, async (t) => {
      const origin = await startOrigin(t, (call) => ({ headers: { 'cache-control': 'max-age=60' }, body: call.url }));
      const errors: unknown[] = [];
      class Keyed extends API {
        protected override cacheKeyFor(): string {
          return key as string;
        }
        protected override didEncounterError(error: unknown): void {
          errors.push(error);
        }
      }

      assert.equal(await new Keyed(origin.url).read('x'), undefined);
      assert.match(String(errors), new RegExp(`cacheKeyFor must return a string, not ${what}`));
      assert.equal(origin.calls.length, 0);
    });
  }
});
