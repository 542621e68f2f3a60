import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import { deferred } from '../../../support/deferred.ts';
import { OpenStore, brokenBody, createOperation, numbered, startAPI } from '../../../support/datasources/api.ts';
import type { StartedAPI } from '../../../support/datasources/api.ts';
import type { Call, Reply } from '../../../support/datasources/origin.ts';

const minute = { 'cache-control': 'max-age=60' };
const longAgo = 'Wed, 01 Jan 2020 00:00:00 GMT';
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts an API, and reads x from it. Stored: the response "old" with these header fields. Now: 61 seconds later. From now on, the API
 * answers with `next`. A response with max-age=60 was fresh until a second ago.
 */
async function startStale(
  t: TestContext,
  headers: Record<string, string>,
  next: (call: Call) => Reply | Promise<Reply>,
): Promise<StartedAPI & { store: OpenStore }> {
  const store = new OpenStore();
  const api = await startAPI(t, (call, before) => (before === 0 ? { headers, body: 'old' } : next(call)), store);
  await api.begin().read('x');
  api.clock.turn(61_000);
  return { ...api, store };
}

describe('a stored response', () => {
  it('is served to other operations, and when memoizeGetRequests is false, without a request to the API', async (t) => {
    const { begin, calls } = await startAPI(t, numbered(minute));
    const api = begin({ memoizeGetRequests: false });

    assert.deepEqual([await begin().read('x'), await api.read('x'), await api.read('x')], [0, 0, 0]);
    assert.equal(api.lastOutcome, 'fresh');
    assert.equal(calls.length, 1);
  });

  it('is copied for each operation', async (t) => {
    const { begin } = await startAPI(t, () => ({ headers: minute, body: { tags: ['a'] } }));
    for (let index = 0; index < 4; index++) (await begin().read('x')).tags.push('b');

    assert.deepEqual(await begin().read('x'), { tags: ['a'] });
  });

  it('has its URL, its status and its age in hooks', async (t) => {
    const { begin, clock, url } = await startAPI(t, () => ({ status: 203, headers: { ...minute, 'X-Total': '7' }, body: {} }));
    await begin().read('x');
    clock.turn(7000);

    const seen = await begin({
      didReceiveResponse: async (response) => [response.url, response.status, response.headers.get('x-total'), response.headers.get('age')],
    }).read('x');

    assert.deepEqual(seen, [`${url}/x`, 203, '7', '7']);
  });
});

describe('a redirect', () => {
  it('that the caller does not follow bypasses the cache', async (t) => {
    const { begin } = await startAPI(t, (call) =>
      call.url === '/old'
        ? { status: 301, headers: { location: '/new', 'cache-control': 'public, max-age=3600' } }
        : { headers: minute, body: call.url },
    );
    const statusOf = (redirect: 'manual' | 'follow'): Promise<number> =>
      begin({ didReceiveResponse: async ({ status }) => status }).read('old', undefined, { redirect, cacheOptions: { ttl: 60 } });

    assert.deepEqual([await statusOf('manual'), await statusOf('follow'), await statusOf('manual')], [301, 200, 301]);
    assert.equal(await begin().read('old'), '/new');
  });

  it('that the caller does not follow is another GET for the memo', async (t) => {
    const { begin } = await startAPI(t, ({ url }) => (url === '/old' ? { status: 301, headers: { location: '/new' } } : { body: url }));
    const api = begin();

    await assert.rejects(api.read('old', undefined, { redirect: 'manual' }), /301/);
    assert.equal(await api.read('old'), '/new');
  });
});

describe('a write', () => {
  it('is always sent: only GETs are stored and reused', async (t) => {
    const { begin } = await startAPI(t, numbered({ 'cache-control': 'public, max-age=60' }));

    const seen = [];
    for (const method of ['read', 'create', 'create', 'read', 'replace', 'change'] as const)
      seen.push(await begin({ ttl: 60 })[method]('x'));

    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5]);
  });

  for (const [what, reply, isKept] of [
    ['succeeds', { body: 'done' }, false],
    ['is refused', { status: 422 }, true],
    ['gets no response, so that its effect is unknown', 'hang up', false],
  ] as [string, Reply, boolean][])
    for (const method of ['create', 'replace', 'change', 'remove'] as const)
      it(`${isKept ? 'keeps' : 'drops'} the stored response if it ${what} (${method})`, async (t) => {
        const { begin } = await startAPI(t, (call, before) => (call.method === 'GET' ? { headers: minute, body: before } : reply));
        await begin().read('x');
        await begin()[method]('x').catch(() => undefined); // oxfmt-ignore

        assert.equal(await begin().read('x'), isKept ? 0 : 2);
      });

  it('prevents storing a GET that it overtakes, even if the GET of another user has ended earlier', async (t) => {
    const answered = { anna: deferred(), bert: deferred() };
    const both = deferred();
    let state = 'old';
    const { begin } = await startAPI(t, async (call, before) => {
      if (call.method !== 'GET') state = 'new';
      const body = state;
      if (before === 1) both.resolve();
      if (before < 2) await answered[call.headers['x-user'] as 'anna' | 'bert'].promise;
      return { headers: { 'cache-control': 'public, max-age=60' }, body };
    });
    const [anna, bert] = ['anna', 'bert'].map((user) => begin({ headers: { 'x-user': user } }).read('x'));
    await both.promise;
    answered.anna.resolve();
    await anna;
    await begin().create('x');
    answered.bert.resolve();

    assert.equal(await bert, 'old');
    assert.equal(await begin().read('x'), 'new');
  });

  it('keeps a GET that is sent meanwhile from the result of one that was sent before it', async (t) => {
    const [read, written, release] = [deferred(), deferred(), deferred()];
    const { begin } = await startAPI(t, async (call, before) => {
      if (call.method !== 'GET') written.resolve();
      else if (before === 0) read.resolve();
      if (before < 2) await release.promise;
      return { headers: minute, body: before };
    });
    const before = begin().read('x');
    await read.promise;
    const write = begin().create('x');
    await written.promise;

    const during = begin().read('x');
    for (let turns = 0; turns < 20; turns++) await turn();
    release.resolve();

    assert.deepEqual([await during, await before], [2, 0]);
    await write;
  });

  it('drops the stored response for this process even if the store cannot delete it', async (t) => {
    const store = Object.assign(new OpenStore(), { delete: () => Promise.reject(new Error('down')) });
    const { begin, clock } = await startAPI(t, numbered(minute), store);
    await begin().read('x');
    await begin().create('x');

    assert.equal(await begin().read('x'), 2);
    clock.turn(1);
    assert.equal(await begin().read('x'), 2);
  });

  it('is not undone by a slow set before it', async (t) => {
    const store = new OpenStore();
    const released = deferred();
    const set = store.set.bind(store);
    store.set = (...args) => released.promise.then(() => set(...args));
    const { begin } = await startAPI(t, numbered(minute), store);
    const operation = createOperation();
    await begin({ operation }).read('x');
    const write = begin().create('x');
    await turn();
    released.resolve();
    await write;
    await operation.settle();

    assert.equal(store.entries.size, 0);
  });
});

/** The result of a call, or the status or the name of its error. */
const outcomeOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: any) => error.extensions.response.status ?? error.name);

describe('a stale response', () => {
  const etag = { ...minute, etag: '"v1"' };
  const dated = { ...minute, 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' };
  const ifError = { 'cache-control': 'max-age=60, stale-if-error=600' };
  const noStore = { 'cache-control': 'no-store' };
  const strict = { 'cache-control': 'max-age=60, must-revalidate, stale-if-error=600, stale-while-revalidate=600' };

  /**
   * What the API answers when it is asked again, and what two calls then return, with the source of the first one's result. The API sends
   * a 304 only if it is asked with the validators of the first response.
   */
  const rows: readonly (readonly [what: string, headers: Record<string, string>, later: Reply, returned: string])[] = [
    [
      'is fresh again after a 304 with a lifetime',
      etag,
      { status: 304, headers: minute },
      'old (revalidated), old, by 2 requests, 1 stored',
    ],
    ['is fresh again after a 304 without an ETag', etag, { status: 304 }, 'old (revalidated), old, by 2 requests, 1 stored'],
    [
      'is fresh again after a 304 with the weak ETag',
      etag,
      { status: 304, headers: { etag: 'W/"v1"' } },
      'old (revalidated), old, by 2 requests, 1 stored',
    ],
    ['is fresh again after a 304 for Last-Modified', dated, { status: 304 }, 'old (revalidated), old, by 2 requests, 1 stored'],
    [
      'is requested again after a 304 for another ETag',
      etag,
      { status: 304, headers: { etag: '"v9"' } },
      'new (miss), new, by 4 requests, 0 stored',
    ],
    [
      'is used once more after a 304 with no-store',
      etag,
      { status: 304, headers: noStore },
      'old (revalidated), new, by 3 requests, 0 stored',
    ],
    ['is replaced by a new response', etag, { headers: minute, body: 'new' }, 'new (miss), new, by 2 requests, 1 stored'],
    ['is removed by one that may not be stored', ifError, { headers: noStore, body: 'new' }, 'new (miss), new, by 3 requests, 0 stored'],
    ['is kept, but not used, after a 429', ifError, { status: 429 }, '429 (miss), 429, by 3 requests, 1 stored'],
    ['replaces a 503 with stale-if-error', ifError, { status: 503 }, 'old (stale), old, by 3 requests, 1 stored'],
    ['replaces a network failure with stale-if-error', ifError, 'hang up', 'old (stale), old, by 3 requests, 1 stored'],
    ['does not replace a 404', ifError, { status: 404 }, '404 (miss), 404, by 3 requests, 0 stored'],
    ['does not replace a 503 with must-revalidate', strict, { status: 503 }, '503 (miss), 503, by 3 requests, 1 stored'],
  ];
  for (const [what, headers, later, returned] of rows)
    it(what, async (t) => {
      const isNotModified = ({ headers: sent }: Call): boolean =>
        (sent['if-none-match'] ?? sent['if-modified-since']) !== undefined &&
        sent['if-none-match'] === headers['etag'] &&
        sent['if-modified-since'] === headers['last-modified'];
      const { begin, calls, store } = await startStale(t, headers, (call) =>
        typeof later === 'object' && later.status === 304 && !isNotModified(call) ? { body: 'new' } : later,
      );
      const api = begin();

      const results = `${await outcomeOf(api.read('x'))} (${api.lastOutcome}), ${await outcomeOf(begin().read('x'))}`;

      assert.equal(`${results}, by ${calls.length} requests, ${store.entries.size} stored`, returned);
    });

  for (const [what, headers, ttl, validators] of [
    ['no-cache is validated every time', { 'cache-control': 'no-cache', etag: '"v"' }, undefined, [undefined, '"v"', '"v"']],
    [
      'public and Last-Modified alone, too',
      { 'cache-control': 'public', 'last-modified': longAgo },
      undefined,
      [undefined, longAgo, longAgo],
    ],
    ['a ttl is validated when it ends, and begins anew', { etag: '"v"' }, 60, [undefined, '"v"']],
  ] as [string, Record<string, string>, number | undefined, (string | undefined)[]][])
    it(`with ${what}`, async (t) => {
      const validatorOf = ({ headers: sent }: Call): unknown => sent['if-none-match'] ?? sent['if-modified-since'];
      const { begin, calls, clock } = await startAPI(t, (call) => (validatorOf(call) ? { status: 304 } : { headers, body: 'fine' }));

      for (const seconds of [0, 61, 59]) {
        clock.turn(seconds * 1000);
        assert.equal(await begin({ ttl }).read('x'), 'fine');
      }

      assert.deepEqual(calls.map(validatorOf), validators);
    });

  it('gets the header fields of a 304, except those about the body as it was sent (RFC 9111 section 3.2)', async (t) => {
    const first = { 'cache-control': 'no-cache', etag: '"v"', 'content-language': 'en', 'content-length': '7', 'x-seen': 'once' };
    const later = { 'content-type': 'application/problem+json', 'content-language': 'de', 'x-seen': 'twice' };
    const { begin } = await startAPI(t, (call) =>
      call.headers['if-none-match'] ? { status: 304, headers: later } : { headers: first, body: { n: 1 } },
    );
    await begin().read('x');

    const seen = await begin({
      didReceiveResponse: async (response) => [Object.fromEntries(response.headers), await response.json()],
    }).read('x');

    assert.partialDeepStrictEqual(seen, [{ ...later, 'content-length': '7' }, { n: 1 }]);
  });

  it('replaces a response that does not arrive in time, until stale-if-error is over', async (t) => {
    const never = deferred();
    t.after(() => never.resolve());
    const { begin, clock } = await startStale(t, ifError, () => never.promise.then(() => ({})));

    const seen = [];
    for (const seconds of [0, 601]) {
      clock.turn(seconds * 1000);
      seen.push(await outcomeOf(begin().read('x', undefined, { timeout: 20 })));
    }

    assert.deepEqual(seen, ['old', 'TimeoutError']);
  });

  for (const headers of [ifError, { 'cache-control': 'no-store' }])
    it(`replaces a response with ${headers['cache-control']} whose body is cut off`, async (t) => {
      const { begin } = await startStale(t, ifError, () => ({}));
      const api = begin({ httpFetch: async () => new Response(brokenBody('{"half'), { headers }), cacheIdentity: '' });

      assert.deepEqual([await api.read('x'), api.lastOutcome], ['old', 'stale']);
    });
});

describe('stale-while-revalidate', () => {
  const control = { 'cache-control': 'max-age=1, stale-while-revalidate=3600' };

  it('returns the stale response immediately, and revalidates it once in the background of several operations', async (t) => {
    const { begin, calls } = await startStale(t, control, () => ({ headers: control, body: 'new' }));
    const operation = createOperation();
    const sources = Array.from({ length: 20 }, () => begin({ operation }));

    assert.deepEqual(new Set(await Promise.all(sources.map((api) => api.read('x')))), new Set(['old']));
    assert.deepEqual(new Set(sources.map(({ lastOutcome }) => lastOutcome)), new Set(['stale']));
    await operation.settle();

    assert.equal(await begin().read('x'), 'new');
    assert.equal(calls.length, 2);
  });

  for (const failure of [{ status: 503 }, 'hang up'] as Reply[])
    it(`fails no call if the API answers ${JSON.stringify(failure)}, and tries again after increasing delays, until it succeeds`, async (t) => {
      let isDown = false;
      const answer = (_call: Call, before: number): Reply => (isDown ? failure : { headers: control, body: before });
      const { begin, calls, clock } = await startAPI(t, answer, new OpenStore());
      const operation = createOperation();
      /** The results, and the numbers of requests, of calls after these seconds. */
      const readAfter = async (...delays: number[]): Promise<string> => {
        const seen = [];
        for (const seconds of delays) {
          clock.turn(seconds * 1000);
          const before = calls.length;
          const result: unknown = await begin({ operation }).read('x');
          await operation.settle();
          seen.push(`${result}+${calls.length - before}`);
        }
        return seen.join(' ');
      };
      await readAfter(0);
      isDown = true;

      assert.equal(await readAfter(2, 0, 0.9, 0.2, 1, 1.1, 3.9, 0.2), '0+1 0+0 0+0 0+1 0+0 0+1 0+0 0+1');
      isDown = false;
      assert.equal(await readAfter(9, 2, 2), '0+1 5+1 6+1');
    });
});

describe('the store', () => {
  it('is written in the background of the operation, which need not wait', async (t) => {
    const released = deferred();
    const store = Object.assign(new OpenStore(), { set: () => released.promise });
    const { begin } = await startAPI(t, numbered(minute), store);
    const operation = createOperation();

    assert.equal(await begin({ operation }).read('x'), 0);

    released.resolve();
    assert.equal(await operation.settle(), 1);
  });

  it('is awaited without an operation', async (t) => {
    const { store } = await startStale(t, minute, () => ({}));

    assert.equal(store.entries.size, 1);
  });

  const everyMethod = (act: () => unknown): KeyValueCache => ({ get: act, set: act, delete: act }) as never;
  for (const [what, store] of [
    ['throws synchronously', everyMethod(() => { throw new Error('down'); })], // oxfmt-ignore
    ['rejects', everyMethod(() => Promise.reject(new Error('down')))],
    ['never answers', everyMethod(() => new Promise(() => {}))],
    ['answers with nonsense', everyMethod(async () => ({ not: 'text' }))],
  ] as const)
    it(`fails no call when it ${what}`, async (t) => {
      const { begin } = await startAPI(t, numbered(minute), store);

      assert.deepEqual([await begin().read('x'), await begin().create('x'), await begin().read('x')], [0, 1, 2]);
    });

  it('fails no call when waitUntil throws, because the operation has ended', async (t) => {
    const operation = { ...createOperation(), waitUntil: () => { throw new Error('the operation has ended'); } }; // oxfmt-ignore

    assert.equal(await (await startAPI(t, numbered(minute), new OpenStore())).begin({ operation }).read('x'), 0);
  });
});
