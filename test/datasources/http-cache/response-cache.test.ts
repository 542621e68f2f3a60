import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyValueCache } from '../../../src/datasources/cache/key-value-cache.ts';
import type { DataSourceRequest } from '../../../src/datasources/request.ts';
import { createClock } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

const numbered = (headers: Record<string, string | string[]>) => (_call: unknown, before: number) => ({ headers, body: before });

describe('reuse', () => {
  it('a fresh response is served to other operations without a request to the origin', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url);
    await operations.begin().read('x');
    const api = operations.begin();

    assert.equal(await api.read('x'), 0);
    assert.equal(api.lastOutcome, 'fresh');
    assert.equal(origin.calls.length, 1);
  });

  it('works when memoizeGetRequests is false', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const api = new Operations(origin.url).begin();
    api.memoizeGetRequests = false;

    assert.deepEqual([await api.read('x'), await api.read('x')], [0, 0]);
  });

  it('ends when the response is stale', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(60_001);

    assert.equal(await operations.begin().read('x'), 1);
  });

  it('does not happen for a response without a lifetime', async (t) => {
    const origin = await startOrigin(t, numbered({}));
    const operations = new Operations(origin.url);

    assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [0, 1]);
  });

  it('each operation gets a copy', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body: { tags: ['a'] } }));
    const operations = new Operations(origin.url);
    for (let index = 0; index < 4; index++) (await operations.begin().read('x')).tags.push('b');

    assert.deepEqual(await operations.begin().read('x'), { tags: ['a'] });
  });

  for (const [what, headers] of [
    ['Cache-Control in capitals', { 'cache-control': 'Public, MAX-AGE=60' }],
    ['a quoted value', { 'cache-control': 'max-age="60"' }],
    ['must-revalidate, while it is fresh', { 'cache-control': 'max-age=60, must-revalidate' }],
    ['a comma in a quoted string', { 'cache-control': 'x="a, no-store", max-age=60' }],
    ['Expires', { expires: new Date(Date.now() + 86_400_000).toUTCString() }],
    ['s-maxage, which counts more', { 'cache-control': 'max-age=0, s-maxage=60' }],
  ] as const) {
    it(`understands ${what}`, async (t) => {
      const origin = await startOrigin(t, numbered(headers));
      const operations = new Operations(origin.url);

      assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [0, 0]);
    });
  }

  for (const [what, headers] of [
    ['no-store', { 'cache-control': 'max-age=60, no-store' }],
    ['No-Store', { 'cache-control': 'max-age=60, No-Store' }],
    ['private, without a user', { 'cache-control': 'private, max-age=60' }],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }],
    ['an Expires that is no date', { expires: '2099' }],
    ['Expires: 0', { expires: '0' }],
    ['max-age twice, one of them 0', { 'cache-control': 'max-age=60, max-age=0' }],
    ['a max-age that is no number', { 'cache-control': 'max-age=soon' }],
    ['Pragma: no-cache and nothing else', { pragma: 'no-cache', expires: new Date(Date.now() + 86_400_000).toUTCString() }],
    ['an Age beyond max-age', { 'cache-control': 'max-age=60', age: '61' }],
    ['Set-Cookie without public', { 'cache-control': 'max-age=60', 'set-cookie': 'a=1' }],
    ['immutable alone', { 'cache-control': 'immutable' }],
  ] as const) {
    it(`does not happen with ${what}`, async (t) => {
      const origin = await startOrigin(t, numbered(headers));
      const operations = new Operations(origin.url);

      assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [0, 1]);
    });
  }

  it('does not happen after a redirect, whose header fields are unknown', async (t) => {
    const origin = await startOrigin(t, (call, before) =>
      call.url === '/me'
        ? { status: 302, headers: { location: `/users/${before}` } }
        : { headers: { 'cache-control': 'public, max-age=60' }, body: call.url },
    );
    const operations = new Operations(origin.url);

    const seen = [
      await operations.begin({ headers: { cookie: 'alice' } }).read('me'),
      await operations.begin({ headers: { cookie: 'bob' } }).read('me'),
    ];

    assert.deepEqual(seen, ['/users/0', '/users/2']);
  });

  for (const header of ['range', 'if-none-match', 'if-modified-since']) {
    it(`does not happen when the caller sends ${header}`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url);
      await operations.begin().read('x');
      const api = operations.begin({ headers: { [header]: 'bytes=0-1' } });

      assert.equal(await api.read('x'), 1);
      assert.equal(api.lastOutcome, 'bypass');
    });
  }

  it('binary bodies come back byte for byte', async (t) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60', 'content-type': 'image/png' }, body: bytes }));
    class Images extends API {
      protected override async parseBody(response: Response): Promise<unknown> {
        return new Uint8Array(await response.arrayBuffer());
      }
    }
    const operations = new Operations(origin.url);
    const begin = (): Images => {
      const images = new Images(origin.url);
      void images.initialize({ context: {}, cache: operations.cache });
      return images;
    };

    assert.deepEqual(await begin().read('x'), bytes);
    assert.deepEqual(await begin().read('x'), bytes);
    assert.equal(origin.calls.length, 1);
  });

  it('text in any script, with or without a byte order mark, is decoded as by fetch', async (t) => {
    const origin = await startOrigin(t, () => ({
      headers: { 'cache-control': 'max-age=60', 'content-type': 'text/plain' },
      body: '\uFEFFGrüße, мир, 世界 🌍',
    }));
    const operations = new Operations(origin.url);

    const texts = [await operations.begin().read('x'), await operations.begin().read('x')];

    assert.deepEqual(texts, ['Grüße, мир, 世界 🌍', 'Grüße, мир, 世界 🌍']);
  });

  it('a stored response has its URL, its status and its age', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 203, headers: { 'cache-control': 'max-age=60', 'X-Total': '7' }, body: {} }));
    const operations = new Operations(origin.url);
    class Heads extends API {
      protected override async didReceiveResponse<T>({ url, status, headers }: Response): Promise<T> {
        return [url, status, headers.get('x-total'), headers.get('age')] as T;
      }
    }
    await operations.begin().read('x');
    operations.clock.turn(7000);
    const api = new Heads(origin.url, operations.clock);
    void api.initialize({ context: {}, cache: operations.cache });

    assert.deepEqual(await api.read('x'), [`${origin.url}/x`, 203, '7', '7']);
  });

  it('an entry that is corrupt, of another version or foreign is a miss', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    await operations.begin().read('x');
    const [[key, whole]] = [...store.entries] as [[string, string]];
    const broken = [
      '',
      '{}',
      'null',
      '{"policy":{},"body":"1"}',
      whole.slice(0, -1),
      whole.slice(0, 40),
      `${whole}x`,
      whole.replace('/3 ', '/2 '),
      whole.replace('{', '['),
    ];

    for (const text of broken) {
      store.entries.set(key, text);
      const before = origin.calls.length;
      await operations.begin().read('x');
      assert.equal(origin.calls.length, before + 1, text);
    }
  });
});

describe('ttl', () => {
  it('of cacheOptionsFor overrides the lifetime set by the origin', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=0' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin({ ttl: 60 }).read('x');

    operations.clock.turn(59_000);
    assert.equal(await operations.begin().read('x'), 0);
    operations.clock.turn(2000);
    assert.equal(await operations.begin().read('x'), 1);
  });

  it('of the call wins over that of the class', async (t) => {
    const origin = await startOrigin(t, numbered({}));
    const operations = new Operations(origin.url);
    await operations.begin({ ttl: 60 }).read('x', undefined, { cacheOptions: { ttl: 0 } });
    await operations.begin().read('y', undefined, { cacheOptions: async () => ({ ttl: 60 }) });

    assert.equal(await operations.begin().read('x'), 2);
    assert.equal(await operations.begin().read('y'), 1);
  });

  it('of 0 prevents storing a response', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url);
    await operations.begin({ ttl: 0 }).read('x');

    assert.equal(await operations.begin().read('x'), 1);
  });

  it('never stores an error', async (t) => {
    const origin = await startOrigin(t, (_call, before) => (before === 0 ? { status: 404 } : { body: 'fine' }));
    const operations = new Operations(origin.url);
    await assert.rejects(operations.begin({ ttl: 60 }).read('x'));

    assert.equal(await operations.begin({ ttl: 60 }).read('x'), 'fine');
  });

  it('never stores a no-store response', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'no-store' }));
    const operations = new Operations(origin.url);

    assert.deepEqual([await operations.begin({ ttl: 60 }).read('x'), await operations.begin({ ttl: 60 }).read('x')], [0, 1]);
  });

  it('is passed to the store as whole positive seconds', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);

    for (const ttl of [0.2, 1.5, 60, Infinity]) await operations.begin({ ttl }).read(`x${ttl}`);

    assert.deepEqual(store.ttls, [1, 2, 60, 31_536_000]);
  });
});

describe('ttl and validators', () => {
  it('a response with an ETag is revalidated when its ttl expires, and gets a new ttl', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-none-match'] ? { status: 304 } : { headers: { etag: '"v"' }, body: 'fine' },
    );
    const operations = new Operations(origin.url);
    await operations.begin({ ttl: 60 }).read('x');

    operations.clock.turn(61_000);
    assert.equal(await operations.begin({ ttl: 60 }).read('x'), 'fine');
    operations.clock.turn(59_000);
    assert.equal(await operations.begin({ ttl: 60 }).read('x'), 'fine');

    assert.deepEqual(
      origin.calls.map((call) => call.headers['if-none-match']),
      [undefined, '"v"'],
    );
  });
});

describe('sharing between users', () => {
  const byUser = (headers: Record<string, string>) => (call: { headers: Record<string, unknown> }) => ({
    headers,
    body: `for ${call.headers['authorization'] ?? call.headers['cookie'] ?? call.headers['x-user'] ?? 'nobody'}`,
  });

  for (const field of ['authorization', 'cookie', 'x-user']) {
    it(`one user's response under a ttl is not served to another (${field})`, async (t) => {
      const origin = await startOrigin(t, byUser({}));
      const operations = new Operations(origin.url);
      const ask = (user?: string): Promise<string> => operations.begin({ ttl: 60, ...(user && { headers: { [field]: user } }) }).read('me');

      assert.deepEqual(
        [await ask('alice'), await ask('bob'), await ask(), await ask('alice')],
        ['for alice', 'for bob', 'for nobody', 'for alice'],
      );
    });
  }

  for (const field of ['authorization', 'cookie']) {
    for (const control of ['max-age=60', 'private, max-age=60', 'private, s-maxage=60, max-age=60', 'max-age=60, must-revalidate']) {
      it(`one user's response under "${control}" is not served to another (${field}), but is reused for the same user`, async (t) => {
        const origin = await startOrigin(t, byUser({ 'cache-control': control }));
        const operations = new Operations(origin.url);
        const ask = (user?: string): Promise<string> =>
          operations.begin(user === undefined ? {} : { headers: { [field]: user } }).read('me');

        const seen = [await ask('alice'), await ask('alice'), await ask('bob'), await ask(), await ask('alice')];

        assert.deepEqual(seen, ['for alice', 'for alice', 'for bob', 'for nobody', 'for alice']);
        assert.equal(origin.calls.length, 4);
      });
    }
  }

  for (const control of ['public, max-age=60', 's-maxage=60']) {
    for (const ttl of [undefined, 60]) {
      it(`a response that says ${control} is shared by all users${ttl ? ', also under a ttl' : ''}`, async (t) => {
        const origin = await startOrigin(t, byUser({ 'cache-control': control }));
        const operations = new Operations(origin.url);
        const ask = (user?: string): Promise<string> =>
          operations.begin({ ...(ttl && { ttl }), ...(user && { headers: { authorization: user, 'x-api-key': user } }) }).read('x');

        assert.deepEqual([await ask('alice'), await ask('bob'), await ask()], ['for alice', 'for alice', 'for alice']);
      });
    }
  }

  it('public together with private means private', async (t) => {
    const origin = await startOrigin(t, byUser({ 'cache-control': 'public, private, max-age=60' }));
    const operations = new Operations(origin.url);
    await operations.begin({ headers: { authorization: 'alice' } }).read('x');

    assert.equal(await operations.begin({ headers: { authorization: 'bob' } }).read('x'), 'for bob');
  });

  for (const ttl of [undefined, 60]) {
    it(`fields named by Vary must be equal${ttl ? ', also under a ttl' : ''}, and a new response replaces the old one`, async (t) => {
      const origin = await startOrigin(t, (call) => ({
        headers: { 'cache-control': 'public, max-age=60', vary: 'Accept-Language, X-Tenant' },
        body: `${call.headers['accept-language']} ${call.headers['x-tenant']}`,
      }));
      const operations = new Operations(origin.url);
      const ask = (language: string, tenant: string): Promise<string> =>
        operations.begin({ ...(ttl && { ttl }), headers: { 'accept-language': language, 'x-tenant': tenant } }).read('x');

      const seen = [await ask('de', 'a'), await ask('de', 'a'), await ask('fr', 'a'), await ask('fr', 'b'), await ask('de', 'a')];

      assert.deepEqual(seen, ['de a', 'de a', 'fr a', 'fr b', 'de a']);
      assert.equal(origin.calls.length, 4);
    });
  }

  it('a field named by Vary that only one of two requests has prevents sharing', async (t) => {
    const origin = await startOrigin(t, (call) => ({
      headers: { 'cache-control': 'public, max-age=60', vary: 'x-tenant' },
      body: call.headers['x-tenant'] ?? 'none',
    }));
    const operations = new Operations(origin.url);

    assert.equal(await operations.begin().read('x'), 'none');
    assert.equal(await operations.begin({ headers: { 'x-tenant': 'a' } }).read('x'), 'a');
    assert.equal(await operations.begin().read('x'), 'none');
  });

  it('under a ttl, fields that do not identify a user are ignored', async (t) => {
    const origin = await startOrigin(t, numbered({}));
    const operations = new Operations(origin.url);
    const ask = (id: string): Promise<number> =>
      operations
        .begin({ ttl: 60, headers: { 'x-request-id': id, traceparent: id, 'user-agent': id, accept: 'application/json' } })
        .read('x');

    assert.deepEqual([await ask('1'), await ask('2')], [0, 0]);
  });

  it('shareableHeaders lists fields that do not prevent sharing', async (t) => {
    const origin = await startOrigin(t, numbered({}));
    const operations = new Operations(origin.url);
    const ask = (token: string): Promise<number> => {
      const api = operations.begin({ ttl: 60, headers: { authorization: token, 'x-app': token } });
      api.shareableHeaders = ['Authorization', 'x-app'];
      return api.read('x');
    };

    assert.deepEqual([await ask('service-1'), await ask('service-2')], [0, 0]);
  });

  it('no credential is readable in the store', async (t) => {
    const origin = await startOrigin(t, () => ({
      headers: { 'cache-control': 'max-age=60', vary: 'authorization, cookie, x-api-key', 'set-cookie': ['sid=S3CRET'] },
      body: 'x',
    }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    await operations.begin({ ttl: 60, headers: { authorization: 'Bearer S3CRET', cookie: 'sid=S3CRET', 'x-api-key': 'S3CRET' } }).read('x');
    await operations.begin({ headers: { authorization: 'Bearer S3CRET', cookie: 'sid=S3CRET' } }).read('y');

    const stored = [...store.entries.values()];
    assert.equal(stored.length, 2);
    for (const text of stored) assert.doesNotMatch(text, /S3CRET|set-cookie|UzNDUkVU/i);
  });

  it('entries of two users have unrelated hashes', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 'x' }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    const api = operations.begin({ ttl: 60, headers: { authorization: 'alice' } });
    await api.read('x');
    await api.read('y');

    const [first, second] = [...store.entries.values()].map((text) => /"audienceHash":"(\w+)"/.exec(text)![1]);

    assert.match(first!, /^[\da-f]{64}$/);
    assert.notEqual(first, second);
  });

  it('Set-Cookie reaches only the caller whose request was sent', async (t) => {
    const origin = await startOrigin(t, () => ({
      headers: { 'cache-control': 'public, max-age=60', 'set-cookie': 'sid=alice' },
      body: 'x',
    }));
    const operations = new Operations(origin.url);
    class Cookies extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        return response.headers.getSetCookie() as T;
      }
    }
    const ask = (): Promise<string[]> => {
      const api = new Cookies(origin.url);
      void api.initialize({ context: {}, cache: operations.cache });
      return api.read('x');
    };

    assert.deepEqual([await ask(), await ask()], [['sid=alice'], []]);
  });
});

describe('writes', () => {
  it('only GETs are stored and reused: every POST is sent', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'public, max-age=60' }));
    const operations = new Operations(origin.url);

    const seen = [];
    for (const method of ['read', 'create', 'create', 'read', 'replace', 'change'] as const)
      seen.push(await operations.begin({ ttl: 60 })[method]('x'));

    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  });

  for (const method of ['create', 'replace', 'change', 'remove'] as const) {
    it(`a ${method} that succeeded drops the stored response, for other operations too`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url);
      await operations.begin().read('x');
      await operations.begin()[method]('x');

      assert.equal(await operations.begin().read('x'), 2);
    });
  }

  it('a write that was refused keeps it', async (t) => {
    const origin = await startOrigin(t, (call, before) =>
      call.method === 'GET' ? { headers: { 'cache-control': 'max-age=60' }, body: before } : { status: 422 },
    );
    const operations = new Operations(origin.url);
    await operations.begin().read('x');
    await assert.rejects(operations.begin().create('x'));

    assert.equal(await operations.begin().read('x'), 0);
  });

  it('a write without a response drops it, because its effect is unknown', async (t) => {
    const origin = await startOrigin(t, (call, before) =>
      call.method === 'GET' ? { headers: { 'cache-control': 'max-age=60' }, body: before } : 'hang up',
    );
    const operations = new Operations(origin.url);
    await operations.begin().read('x');
    await assert.rejects(operations.begin().create('x'));

    assert.equal(await operations.begin().read('x'), 2);
  });

  it('a GET overtaken by a write is not stored', async (t) => {
    const [asked, answered] = [deferred(), deferred()];
    let state = 'old';
    const origin = await startOrigin(t, async (call, before) => {
      if (call.method !== 'GET') state = 'new';
      const body = state;
      if (before === 0) {
        asked.resolve();
        await answered.promise;
      }
      return { headers: { 'cache-control': 'max-age=60' }, body };
    });
    const operations = new Operations(origin.url);
    const slow = operations.begin().read('x');
    await asked.promise;
    await operations.begin().create('x');
    answered.resolve();

    assert.equal(await slow, 'old');
    assert.equal(await operations.begin().read('x'), 'new');
  });

  it('a GET overtaken by a write is not stored, even if another user’s GET finished earlier', async (t) => {
    const answered = { anna: deferred(), bert: deferred() };
    const [both, headers] = [deferred(), { 'cache-control': 'public, max-age=60' }];
    let state = 'old';
    const origin = await startOrigin(t, async (call, before) => {
      if (call.method !== 'GET') state = 'new';
      const body = state;
      if (before === 1) both.resolve();
      if (before < 2) await answered[call.headers['x-user'] as 'anna' | 'bert'].promise;
      return { headers, body };
    });
    const operations = new Operations(origin.url);
    const [anna, bert] = ['anna', 'bert'].map((user) => operations.begin({ headers: { 'x-user': user } }).read('x'));
    await both.promise;
    answered.anna.resolve();
    await anna;
    await operations.begin().create('x');
    answered.bert.resolve();

    assert.equal(await bert, 'old');
    assert.equal(await operations.begin().read('x'), 'new');
  });

  it('a GET sent during a write does not share a GET sent before it', async (t) => {
    const [read, written, release] = [deferred(), deferred(), deferred()];
    const origin = await startOrigin(t, async (call, before) => {
      if (call.method !== 'GET') written.resolve();
      else if (before === 0) read.resolve();
      if (before < 2) await release.promise;
      return { headers: { 'cache-control': 'max-age=60' }, body: before };
    });
    const operations = new Operations(origin.url);
    const before = operations.begin().read('x');
    await read.promise;
    const write = operations.begin().create('x');
    await written.promise;

    const during = operations.begin().read('x');
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    release.resolve();

    assert.deepEqual([await during, await before], [2, 0]);
    await write;
  });

  it('a store that cannot delete does not bring the old response back', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const store = new OpenStore();
    store.delete = async () => {
      throw new Error('down');
    };
    const operations = new Operations(origin.url, store);
    await operations.begin().read('x');
    await operations.begin().create('x');

    assert.equal(await operations.begin().read('x'), 2);
    operations.clock.turn(1);
    assert.equal(await operations.begin().read('x'), 2);
  });

  it('a slow set does not undo the delete that followed it', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const store = new OpenStore();
    const set = store.set.bind(store);
    const released = deferred();
    store.set = async (...args) => {
      await released.promise;
      await set(...args);
    };
    const operations = new Operations(origin.url, store);
    const pending: Promise<unknown>[] = [];
    await operations.begin({ operation: { signal: new AbortController().signal, waitUntil: (work) => pending.push(work) } }).read('x');
    const write = operations.begin().create('x');
    await new Promise(setImmediate);
    released.resolve();
    await write;
    await Promise.all(pending);

    assert.equal(store.entries.size, 0);
  });
});

describe('validation', () => {
  it('a stale response with an ETag is validated, and a 304 makes it fresh again', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-none-match'] === '"v1"'
        ? { status: 304, headers: { 'cache-control': 'max-age=60', 'x-seen': 'again' } }
        : { headers: { 'cache-control': 'max-age=60', etag: '"v1"' }, body: { n: 1 } },
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    const api = operations.begin();

    assert.deepEqual(await api.read('x'), { n: 1 });
    assert.equal(api.lastOutcome, 'revalidated');
    assert.deepEqual(await operations.begin().read('x'), { n: 1 });
    assert.equal(origin.calls.length, 2);
  });

  for (const [what, validators, headers] of [
    ['no validator at all', { etag: '"v1"' }, {}],
    ['the weak form of the ETag', { etag: '"v1"' }, { etag: 'W/"v1"' }],
    ['Last-Modified alone', { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' }, {}],
  ] as const) {
    it(`a 304 with ${what} is accepted`, async (t) => {
      const origin = await startOrigin(t, (call) =>
        call.headers['if-none-match'] || call.headers['if-modified-since']
          ? { status: 304, headers }
          : { headers: { 'cache-control': 'max-age=60', ...validators }, body: 'fine' },
      );
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(61_000);

      assert.equal(await operations.begin().read('x'), 'fine');
      assert.equal(origin.calls.length, 2);
    });
  }

  it('a 304 for another ETag leads to an unconditional request', async (t) => {
    const origin = await startOrigin(t, (call, before) =>
      call.headers['if-none-match']
        ? { status: 304, headers: { etag: '"v9"' } }
        : { headers: { 'cache-control': 'max-age=60', etag: '"v1"' }, body: before },
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);

    assert.equal(await operations.begin().read('x'), 2);
  });

  it('a changed response replaces the stale one', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({
      headers: { 'cache-control': 'max-age=60', etag: `"v${before}"` },
      body: before,
    }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);

    assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [1, 1]);
  });

  it('no-cache is stored and validated every time', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-none-match'] ? { status: 304 } : { headers: { 'cache-control': 'no-cache', etag: '"v1"' }, body: 'fine' },
    );
    const operations = new Operations(origin.url);

    for (let index = 0; index < 3; index++) assert.equal(await operations.begin().read('x'), 'fine');

    assert.deepEqual(
      origin.calls.map((call) => call.headers['if-none-match']),
      [undefined, '"v1"', '"v1"'],
    );
  });
});

describe('stale responses', () => {
  const controlled = (control: string, fails: () => boolean) => (_call: unknown, before: number) =>
    fails() ? { status: 503 } : { headers: { 'cache-control': control }, body: before };

  it('stale-while-revalidate returns immediately and revalidates in the background', async (t) => {
    const origin = await startOrigin(
      t,
      controlled('max-age=60, stale-while-revalidate=60', () => false),
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    const pending: Promise<unknown>[] = [];
    const api = operations.begin({ operation: { signal: new AbortController().signal, waitUntil: (work) => pending.push(work) } });

    assert.equal(await api.read('x'), 0);
    assert.equal(api.lastOutcome, 'stale');
    await Promise.all(pending);

    assert.equal(await operations.begin().read('x'), 1);
    assert.equal(origin.calls.length, 2);
  });

  it('a failed background revalidation of stale-while-revalidate fails no call', async (t) => {
    let down = false;
    const origin = await startOrigin(
      t,
      controlled('max-age=60, stale-while-revalidate=60', () => down),
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    down = true;
    const pending: Promise<unknown>[] = [];

    const results = [];
    for (let index = 0; index < 3; index++) {
      results.push(
        await operations.begin({ operation: { signal: new AbortController().signal, waitUntil: (work) => pending.push(work) } }).read('x'),
      );
      await Promise.all(pending);
    }

    assert.deepEqual(results, [0, 0, 0]);
  });

  for (const [failure, reply] of [
    ['a 503', { status: 503 }],
    ['a network failure', 'hang up'],
  ] as const) {
    it(`stale-if-error replaces ${failure}`, async (t) => {
      const origin = await startOrigin(t, (_call, before) =>
        before === 0 ? { headers: { 'cache-control': 'max-age=60, stale-if-error=60' }, body: 'old' } : reply,
      );
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(61_000);
      const api = operations.begin();

      assert.equal(await api.read('x'), 'old');
      assert.equal(api.lastOutcome, 'stale');
      operations.clock.turn(60_000);
      await assert.rejects(operations.begin().read('x'));
    });
  }

  it('stale-if-error does not replace a 404', async (t) => {
    const origin = await startOrigin(t, (_call, before) =>
      before === 0 ? { headers: { 'cache-control': 'max-age=60, stale-if-error=60' } } : { status: 404 },
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);

    await assert.rejects(operations.begin().read('x'), /404/);
  });

  it('must-revalidate forbids both', async (t) => {
    let down = false;
    const origin = await startOrigin(
      t,
      controlled('max-age=60, must-revalidate, stale-if-error=60, stale-while-revalidate=60', () => down),
    );
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    down = true;

    await assert.rejects(operations.begin().read('x'), /503/);
  });
});

describe("fetch's cache modes", () => {
  const modes = {
    'no-store': { fresh: 1, stored: 0 },
    reload: { fresh: 1, stored: 1 },
    'no-cache': { fresh: 1, stored: 1 },
    'force-cache': { fresh: 0, stored: 0 },
    'only-if-cached': { fresh: 0, stored: 0 },
    default: { fresh: 0, stored: 0 },
  } as const;
  for (const [cache, expected] of Object.entries(modes)) {
    it(`"${cache}" with a fresh response`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url);
      await operations.begin().read('x');

      const fresh = await operations.begin().read('x', undefined, { cache: cache as NonNullable<RequestInit['cache']> });

      assert.deepEqual({ fresh, stored: await operations.begin().read('x') }, expected);
    });
  }

  it('"force-cache" reuses a stale response', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);

    assert.equal(await operations.begin().read('x', undefined, { cache: 'force-cache' }), 0);
  });

  it('"only-if-cached" sends no request', async (t) => {
    const origin = await startOrigin(t, numbered({}));

    await assert.rejects(new Operations(origin.url).begin().read('x', undefined, { cache: 'only-if-cached' }), /^504: Gateway Timeout/);
    assert.equal(origin.calls.length, 0);
  });

  for (const [control, expected] of [
    ['no-cache', 1],
    ['no-store', 1],
    ['max-age=10', 1],
    ['max-age=60', 0],
    ['min-fresh=50', 1],
    ['min-fresh=10', 0],
  ] as const) {
    it(`the request's own Cache-Control: ${control} is respected`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url);
      await operations.begin().read('x');
      operations.clock.turn(20_000);

      assert.equal(await operations.begin({ headers: { 'cache-control': control } }).read('x'), expected);
    });
  }

  for (const [control, expected] of [
    ['max-stale', 0],
    ['max-stale=30', 0],
    ['max-stale=10', 1],
  ] as const) {
    it(`${control} is respected, for a response that is 20 seconds stale`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(80_000);

      assert.equal(await operations.begin({ headers: { 'cache-control': control } }).read('x'), expected);
    });
  }

  for (const strict of ['must-revalidate', 'proxy-revalidate', 'no-cache', 's-maxage=60'] as const) {
    it(`max-stale does not allow a stale response against ${strict} (CVE-2026-93748 of http-cache-semantics)`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': `max-age=60, ${strict}`, etag: '"v"' }));
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(80_000);

      assert.equal(await operations.begin({ headers: { 'cache-control': 'max-stale' } }).read('x'), 1);
    });
  }

  for (const [control, expected] of [
    ['no-transform', 'stale'],
    ['unknown=1', 'stale'],
    ['max-age=90', 'miss'],
    ['min-fresh=1', 'miss'],
    ['max-stale=10', 'miss'],
    ['only-if-cached', 'miss'],
  ] as const) {
    it(`${control} ${expected === 'stale' ? 'leaves' : 'prevents'} stale-while-revalidate`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60, stale-while-revalidate=60' }));
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(80_000);

      const api = operations.begin({ headers: { 'cache-control': control } });
      await api.read('x').catch(() => {});
      assert.equal(api.lastOutcome, expected);
    });
  }
});

describe('operations at the same time', () => {
  it('share one background revalidation', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60, stale-while-revalidate=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    const pending: Promise<unknown>[] = [];
    const operation = { signal: new AbortController().signal, waitUntil: (work: Promise<unknown>) => pending.push(work) };

    await Promise.all(Array.from({ length: 20 }, () => operations.begin({ operation }).read('x')));
    await Promise.all(pending);

    assert.equal(origin.calls.length, 2);
  });

  it('of different users and languages do not share responses', async (t) => {
    const origin = await startOrigin(t, (call) => ({
      headers: { 'cache-control': 'public, max-age=60' },
      body: `${call.headers.authorization} ${call.headers['accept-language']}`,
    }));
    const operations = new Operations(origin.url);
    const ask = (authorization: string, language: string): Promise<string> =>
      operations.begin({ headers: { authorization, 'accept-language': language } }).read('x');

    assert.deepEqual(await Promise.all([ask('a', 'de'), ask('b', 'de'), ask('a', 'fr')]), ['a de', 'b de', 'a fr']);
  });
});

describe('writes to the cache', () => {
  it('run in the background of the operation, which need not wait for them', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const store = new OpenStore();
    const released = deferred();
    store.set = async () => released.promise;
    const pending: Promise<unknown>[] = [];
    const operations = new Operations(origin.url, store);

    assert.equal(
      await operations.begin({ operation: { signal: new AbortController().signal, waitUntil: (work) => pending.push(work) } }).read('x'),
      0,
    );

    assert.equal(pending.length, 1);
    released.resolve();
    await Promise.all(pending);
  });

  it('are awaited outside an operation', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const store = new OpenStore();
    await new Operations(origin.url, store).begin().read('x');

    assert.equal(store.entries.size, 1);
  });

  for (const [how, store] of [
    [
      'throws synchronously',
      {
        get: () => {
          throw new Error('get');
        },
        set: () => {
          throw new Error('set');
        },
        delete: () => {
          throw new Error('delete');
        },
      },
    ],
    [
      'rejects',
      {
        get: async () => {
          throw new Error('get');
        },
        set: async () => {
          throw new Error('set');
        },
        delete: async () => {
          throw new Error('delete');
        },
      },
    ],
    ['never answers', { get: () => new Promise(() => {}), set: () => new Promise(() => {}), delete: () => new Promise(() => {}) }],
    ['answers with nonsense', { get: async () => ({ not: 'text' }), set: async () => 7, delete: async () => null }],
  ] as [string, KeyValueCache][]) {
    it(`and reads fail no call when the store ${how}`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
      const operations = new Operations(origin.url, store);

      assert.equal(await operations.begin().read('x'), 0);
      assert.equal(await operations.begin().create('x'), 1);
      assert.equal(await operations.begin().read('x'), 2);
    });
  }

  it('fail no call when waitUntil throws', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operation = {
      signal: new AbortController().signal,
      waitUntil: () => {
        throw new Error('the operation has ended');
      },
    };

    assert.equal(await new Operations(origin.url).begin({ operation }).read('x'), 0);
  });
});

describe('cacheKeyFor', () => {
  it('can drop query parameters from the key of stored responses', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60', etag: '"v"' }));
    class Keyed extends API {
      protected override cacheKeyFor(request: DataSourceRequest): string {
        const url = new URL(request.url);
        url.searchParams.delete('session');
        return url.href;
      }
    }
    const clock = createClock(Date.now());
    const store = new OpenStore();
    const begin = (): Keyed => {
      const api = new Keyed(origin.url, clock);
      void api.initialize({ context: {}, cache: store });
      return api;
    };

    assert.equal(await begin().read('x', { session: 1 }), 0);
    assert.equal(await begin().read('x', { session: 2 }), 0);
    assert.deepEqual([...store.entries.keys()], [`httpcache:${origin.url}/x`]);
    assert.doesNotMatch([...store.entries.values()].join(), /session/);
  });
});
