import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { parseHTTPDate } from '../../../../src/datasources/http-cache/freshness.ts';
import { OpenStore, numbered, startAPI } from '../../../support/datasources/api.ts';

const longAgo = 'Wed, 01 Jan 2020 00:00:00 GMT';
const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();
const inADay = at(86_400);

interface Asked {
  /** Header fields of both requests. */
  readonly sent?: Record<string, string>;
  readonly ttl?: number;
  /** The cache mode and the header fields of the second request. */
  readonly cache?: NonNullable<RequestInit['cache']>;
  readonly headers?: Record<string, string>;
}

/** How the second of two operations gets its response, some seconds after the first. */
async function secondOutcome(
  t: TestContext,
  response: object,
  seconds: number,
  { sent = {}, ttl, cache, headers = {} }: Asked,
): Promise<string | undefined> {
  const { begin, clock } = await startAPI(t, numbered(response as Record<string, string>), new OpenStore());
  await begin({ ttl, headers: sent }).read('x');
  clock.turn(seconds * 1000);
  const api = begin({ ttl, headers: { ...sent, ...headers } });
  await api.read('x', undefined, cache === undefined ? {} : { cache }).catch(() => undefined);
  return api.lastOutcome;
}

type Row = readonly [response: Record<string, string>, seconds: number, outcome: string, asked?: Asked];

function tests(rows: readonly Row[]): void {
  for (const [response, seconds, outcome, asked = {}] of rows) {
    const { sent: _sent, ...others } = asked;
    const what = Object.entries(response).map(([name, value]) => `${name}: ${value}`).join(', ') || 'no header field'; // oxfmt-ignore
    const request = Object.keys(others).length === 0 ? '' : `, to a request with ${JSON.stringify(others)}`;
    it(`${outcome}: ${what}, after ${seconds} s${request}`, async (t) =>
      assert.equal(await secondOutcome(t, response, seconds, asked), outcome));
  }
}

const minute = { 'cache-control': 'max-age=60' };

describe('a stored response is used again for its lifetime', () => {
  tests([
    [minute, 59, 'fresh'],
    [minute, 61, 'miss'],
    [{ 'cache-control': 'Public, MAX-AGE=60' }, 59, 'fresh'],
    [{ 'cache-control': 'max-age="60"' }, 59, 'fresh'],
    [{ 'cache-control': 'max-age=60, must-revalidate' }, 59, 'fresh'],
    [{ 'cache-control': 'x="a, no-store", max-age=60' }, 59, 'fresh'],
    [{ 'cache-control': 'max-age=0, s-maxage=60' }, 59, 'fresh'],
    [{ expires: inADay }, 59, 'fresh'],
    [{ expires: inADay, date: 'soon' }, 59, 'fresh'],
  ]);
});

describe('a response that may not be stored, or has no lifetime, is not used again', () => {
  tests([
    [{}, 0, 'miss'],
    [{ 'cache-control': 'max-age=60, no-store' }, 0, 'miss'],
    [{ 'cache-control': 'max-age=60, No-Store' }, 0, 'miss'],
    [{ 'cache-control': 'private, max-age=60' }, 0, 'miss'],
    [{ expires: '2099' }, 0, 'miss'],
    [{ expires: '0' }, 0, 'miss'],
    [{ 'cache-control': 'max-age=60, max-age=0' }, 0, 'miss'],
    [{ 'cache-control': 'max-age=soon' }, 0, 'miss'],
    [{ pragma: 'no-cache', expires: inADay }, 0, 'miss'],
    [{ ...minute, age: '61' }, 0, 'miss'],
    [{ ...minute, 'set-cookie': 'a=1' }, 0, 'miss'],
    [{ 'cache-control': 'immutable' }, 0, 'miss'],
    [{ 'last-modified': longAgo }, 0, 'miss'],
    [{ 'last-modified': longAgo, 'cache-control': 'public' }, 0, 'miss'],
    [{ 'last-modified': longAgo, 'cache-control': 'immutable' }, 0, 'miss'],
    [{ 'cache-control': 'stale-while-revalidate=600' }, 0, 'miss'],
    [{ date: longAgo }, 0, 'miss'],
    [{ 'cache-control': 'no-cache', etag: '"v"' }, 0, 'miss'],
    [{ 'cache-control': 'no-cache, max-age=60' }, 0, 'miss'],
  ]);
});

describe('the age of a response counts', () => {
  tests([
    [{ ...minute, age: '-100' }, 59, 'fresh'],
    [{ ...minute, age: '20' }, 39, 'fresh'],
    [{ ...minute, age: '20' }, 41, 'miss'],
    [{ ...minute, age: '20, 0' }, 39, 'fresh'],
    [{ ...minute, age: '20, 0' }, 41, 'miss'],
    [{ ...minute, age: '1.5' }, 59, 'fresh'],
    [{ ...minute, age: 'soon' }, 59, 'fresh'],
    [{ ...minute, age: '' }, 59, 'fresh'],
    [{ ...minute, age: '30' }, 0, 'miss', { headers: { 'cache-control': 'max-age=20' } }],
    // The age on its way counts, but not before Expires, which is a moment.
    [{ date: at(-3600), expires: at(6000) }, 500, 'fresh'],
    [{ date: at(-3600), expires: at(6000) }, 6100, 'miss'],
    // The clocks of two instances may differ.
    [minute, -1, 'fresh'],
    // The clock was set back.
    [{ 'cache-control': 'max-age=60, stale-while-revalidate=60' }, -3600, 'miss'],
  ]);

  it('from the latest validation', async (t) => {
    const { begin, calls, clock } = await startAPI(t, ({ headers }) => ({
      status: headers['if-none-match'] ? 304 : 200,
      headers: { ...minute, etag: '"v"', ...(headers['if-none-match'] ? {} : { age: '50' }) },
    }), new OpenStore()); // oxfmt-ignore

    for (const seconds of [0, 11, 50]) {
      clock.turn(seconds * 1000);
      await begin().read('x');
    }

    assert.equal(calls.length, 2);
  });
});

describe("fetch's cache modes", () => {
  for (const [cache, outcome, stored] of [
    ['default', 'fresh', 0],
    ['no-store', 'bypass', 0],
    ['reload', 'miss', 1],
    ['no-cache', 'miss', 1],
    ['force-cache', 'fresh', 0],
    ['only-if-cached', 'fresh', 0],
  ] as const)
    it(`"${cache}" with a fresh response`, async (t) => {
      const { begin } = await startAPI(t, numbered(minute));
      await begin().read('x');
      const api = begin();

      await api.read('x', undefined, { cache });

      assert.deepEqual([api.lastOutcome, await begin().read('x')], [outcome, stored]);
    });

  tests([
    [minute, 61, 'stale', { cache: 'force-cache' }],
    [minute, 61, 'stale', { cache: 'only-if-cached' }],
  ]);

  it('"only-if-cached" sends no request', async (t) => {
    const { begin, calls } = await startAPI(t, numbered());

    await assert.rejects(begin().read('x', undefined, { cache: 'only-if-cached' }), /^504: Gateway Timeout/);
    assert.equal(calls.length, 0);
  });
});

describe('the header fields of a request decide, too', () => {
  const asking = (control: string): Asked => ({ headers: { 'cache-control': control } });
  const revalidatable = { 'cache-control': 'max-age=60, stale-while-revalidate=60' };

  tests([
    ...['range', 'if-none-match', 'if-modified-since', 'if-range', 'if-match', 'if-unmodified-since'].map((name): Row => [
      minute,
      0,
      'bypass',
      { headers: { [name]: 'bytes=0-1' } },
    ]),
    [minute, 20, 'miss', asking('no-cache')],
    [minute, 20, 'miss', { headers: { pragma: 'no-cache' } }],
    [minute, 20, 'bypass', asking('no-store')],
    [minute, 20, 'miss', asking('max-age=10')],
    [minute, 20, 'fresh', asking('max-age=60')],
    [minute, 20, 'miss', asking('min-fresh=50')],
    [minute, 20, 'fresh', asking('min-fresh=10')],
    [minute, 80, 'stale', asking('max-stale')],
    [minute, 80, 'stale', asking('max-stale=30')],
    [minute, 80, 'miss', asking('max-stale=10')],
    // CVE-2026-93748 of http-cache-semantics: max-stale does not allow a response that the API forbids to use stale.
    ...['must-revalidate', 'proxy-revalidate', 'no-cache', 's-maxage=60'].map((strict): Row => [
      { 'cache-control': `max-age=60, ${strict}`, etag: '"v"' },
      80,
      'miss',
      asking('max-stale'),
    ]),
    [revalidatable, 80, 'stale', asking('no-transform')],
    [revalidatable, 80, 'stale', asking('unknown=1')],
    [revalidatable, 80, 'miss', asking('max-age=90')],
    [revalidatable, 80, 'miss', asking('min-fresh=1')],
    [revalidatable, 80, 'miss', asking('max-stale=10')],
    [revalidatable, 80, 'miss', asking('only-if-cached')],
    [{ 'cache-control': 's-maxage=60, stale-while-revalidate=600, stale-if-error=600' }, 61, 'miss'],
  ]);
});

describe('a ttl replaces the lifetime', () => {
  tests([
    [{ 'cache-control': 'max-age=0' }, 59, 'fresh', { ttl: 60 }],
    [{ 'cache-control': 'max-age=0' }, 61, 'miss', { ttl: 60 }],
    [minute, 0, 'miss', { ttl: 0 }],
    [{ 'cache-control': 'no-store' }, 0, 'miss', { ttl: 60 }],
  ]);

  it('and that of the call that of the class', async (t) => {
    const { begin } = await startAPI(t, numbered());
    await begin({ ttl: 60 }).read('x', undefined, { cacheOptions: { ttl: 0 } });
    await begin().read('y', undefined, { cacheOptions: async () => ({ ttl: 60 }) });

    assert.deepEqual([await begin().read('x'), await begin().read('y')], [2, 1]);
  });

  it('but stores no error', async (t) => {
    const { begin } = await startAPI(t, (_call, before) => (before === 0 ? { status: 404 } : { body: 'fine' }));
    await assert.rejects(begin({ ttl: 60 }).read('x'));

    assert.equal(await begin({ ttl: 60 }).read('x'), 'fine');
  });

  it('and is passed to the store as whole positive seconds', async (t) => {
    const store = new OpenStore();
    const { begin } = await startAPI(t, () => ({ body: 1 }), store);

    for (const ttl of [0.2, 1.5, 60, Infinity]) await begin({ ttl }).read(`x${ttl}`);

    assert.deepEqual(store.ttls, [1, 2, 60, 31_536_000]);
  });
});

describe('a status', () => {
  /** The number of requests for two operations. */
  const callsFor = async (t: TestContext, status: number, headers: object): Promise<number> => {
    const { begin, calls } = await startAPI(t, () => ({ status, headers: { ...headers }, body: status === 204 ? '' : 'x' }));
    for (let nth = 0; nth < 2; nth++) await begin().read('x').catch(() => {}); // oxfmt-ignore
    return calls.length;
  };

  for (const status of [200, 203, 204, 299, 400, 401, 403, 404, 410, 418, 451, 499, 500, 502, 503, 504, 599])
    it(`of ${status} is stored with an explicit lifetime (RFC 9111 section 3), unless it is over or no-store forbids it`, async (t) => {
      for (const headers of [minute, { expires: inADay }]) assert.equal(await callsFor(t, status, headers), 1);
      for (const headers of [{}, { 'cache-control': 'max-age=0' }, { 'cache-control': 'max-age=60, no-store' }])
        assert.equal(await callsFor(t, status, headers), 2);
    });

  for (const [status, control] of [
    [499, 'max-age=60, must-understand'],
    [206, 'max-age=60'],
    [600, 'max-age=60'],
    [999, 'max-age=60'],
  ] as const)
    it(`of ${status} is not stored with ${control}`, async (t) => assert.equal(await callsFor(t, status, { 'cache-control': control }), 2));

  it('that is a stored error gives the same error from the store', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ status: 401, headers: minute, body: { reason: 'x' } }));

    for (let nth = 0; nth < 2; nth++)
      await assert.rejects(begin().read('x'), ({ extensions }: { extensions: { code: string; response: { body: unknown } } }) => {
        assert.deepEqual([extensions.code, extensions.response.body], ['UNAUTHENTICATED', { reason: 'x' }]);
        return true;
      });
    assert.equal(calls.length, 1);
  });
});

describe('an HTTP date', () => {
  for (const [text, expected] of [
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Monday, 21-Nov-77 00:00:00 GMT', '1977-11-21T00:00:00.000Z'],
    ['Saturday, 21-Nov-26 00:00:00 GMT', '2026-11-21T00:00:00.000Z'],
    ['Tue, 10 Foo 2026 00:00:00 GMT', undefined],
    ['Tue, 10 Feb 2026 25:00:00 GMT', undefined],
    ['Tue, 40 Feb 2026 00:00:00 GMT', undefined],
    ['2026-11-21T00:00:00Z', undefined],
    ['Sun, 06 Nov 1994 08:49:37 CET', undefined],
    ['0', undefined],
    ['', undefined],
  ] as const)
    it(`"${text}" is ${expected ?? 'none'}`, () => {
      const time = parseHTTPDate(text);

      assert.equal(time === undefined ? undefined : new Date(time).toISOString(), expected);
    });
});
