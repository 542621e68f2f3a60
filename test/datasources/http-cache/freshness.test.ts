import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { parseHTTPDate } from '../../../src/datasources/http-cache/freshness.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

const numbered = (headers: Record<string, string>) => (_call: unknown, before: number) => ({ headers, body: before });

describe('a response without a lifetime', () => {
  const longAgo = 'Wed, 01 Jan 2020 00:00:00 GMT';
  for (const [what, headers] of [
    ['only Last-Modified', { 'last-modified': longAgo }],
    ['Last-Modified and public', { 'last-modified': longAgo, 'cache-control': 'public' }],
    ['Last-Modified and immutable', { 'last-modified': longAgo, 'cache-control': 'immutable' }],
    ['only stale-while-revalidate', { 'cache-control': 'stale-while-revalidate=600' }],
    ['only a Date', { date: longAgo }],
  ] as const) {
    it(`is never fresh: ${what}`, async (t) => {
      const origin = await startOrigin(t, numbered(headers));
      const operations = new Operations(origin.url);

      assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], [0, 1]);
    });
  }

  it('is revalidated if it is public and has Last-Modified', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-modified-since']
        ? { status: 304 }
        : { headers: { 'last-modified': longAgo, 'cache-control': 'public' }, body: 'fine' },
    );
    const operations = new Operations(origin.url);

    assert.deepEqual([await operations.begin().read('x'), await operations.begin().read('x')], ['fine', 'fine']);
    assert.deepEqual(
      origin.calls.map((call) => call.headers['if-modified-since']),
      [undefined, longAgo],
    );
  });
});

describe('the age of a response', () => {
  for (const [age, seconds] of [
    ['-100', 60],
    ['20', 40],
    ['20, 0', 40],
    ['1.5', 60],
    ['soon', 60],
    ['', 60],
  ] as const) {
    it(`with Age: "${age}" leaves ${seconds} s of max-age=60`, async (t) => {
      const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60', age }));
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');

      operations.clock.turn((seconds - 1) * 1000);
      assert.equal(await operations.begin().read('x'), 0);
      operations.clock.turn(2000);
      assert.equal(await operations.begin().read('x'), 1);
    });
  }

  it('applies to a request with max-age', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60', age: '30' }));
    const operations = new Operations(origin.url);
    await operations.begin().read('x');

    assert.equal(await operations.begin({ headers: { 'cache-control': 'max-age=20' } }).read('x'), 1);
  });

  it('is unknown when the clock was set back: the response is revalidated', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60, stale-while-revalidate=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(-3_600_000);

    assert.equal(await operations.begin().read('x'), 1);
    assert.equal(await operations.begin().read('x'), 1);
  });

  it('can be slightly negative when the clocks of two instances differ', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(-1000);

    assert.equal(await operations.begin().read('x'), 0);
  });

  it('is counted from the latest validation', async (t) => {
    const origin = await startOrigin(t, (call) => ({
      status: call.headers['if-none-match'] ? 304 : 200,
      headers: { 'cache-control': 'max-age=60', etag: '"v"', ...(call.headers['if-none-match'] ? {} : { age: '50' }) },
      body: '',
    }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(11_000);
    await operations.begin().read('x');
    operations.clock.turn(50_000);
    await operations.begin().read('x');

    assert.equal(origin.calls.length, 2);
  });
});

describe('a status', () => {
  const statuses = [200, 203, 204, 299, 400, 401, 403, 404, 410, 418, 451, 499, 500, 502, 503, 504, 599];
  const countOf = async (t: TestContext, status: number, headers: Record<string, string>): Promise<number> => {
    const origin = await startOrigin(t, () => ({ status, headers, body: status === 204 ? '' : 'x' }));
    const operations = new Operations(origin.url);
    for (let nth = 0; nth < 2; nth++)
      await operations
        .begin()
        .read('x')
        .catch(() => {});
    return origin.calls.length;
  };
  for (const status of statuses) {
    it(`of ${status} is stored with an explicit lifetime (RFC 9111 section 3)`, async (t) => {
      assert.equal(await countOf(t, status, { 'cache-control': 'max-age=60' }), 1);
      assert.equal(await countOf(t, status, { expires: new Date(Date.now() + 86_400_000).toUTCString() }), 1);
    });

    it(`of ${status} is not stored without one, when it is over, or with no-store`, async (t) => {
      for (const headers of [{}, { 'cache-control': 'max-age=0' }, { 'cache-control': 'max-age=60, no-store' }])
        assert.equal(await countOf(t, status, headers as Record<string, string>), 2);
    });
  }

  it('that is unknown is not stored with must-understand', async (t) => {
    assert.equal(await countOf(t, 499, { 'cache-control': 'max-age=60, must-understand' }), 2);
  });

  for (const status of [206, 600, 999]) {
    it(`of ${status} is not stored`, async (t) => {
      const origin = await startOrigin(t, () => ({ status, headers: { 'cache-control': 'max-age=60' }, body: 'x' }));
      const operations = new Operations(origin.url);
      for (let nth = 0; nth < 2; nth++)
        await operations
          .begin()
          .read('x')
          .catch(() => {});

      assert.equal(origin.calls.length, 2);
    });
  }

  it('that is a stored error gives the same error from the store', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 401, headers: { 'cache-control': 'max-age=60' }, body: { reason: 'x' } }));
    const operations = new Operations(origin.url);

    for (let nth = 0; nth < 2; nth++) await assert.rejects(operations.begin().read('x'), isUnauthenticated);
    assert.equal(origin.calls.length, 1);
  });
});

function isUnauthenticated(error: { extensions: { code: string; response: { body: unknown } } }): true {
  assert.deepEqual([error.extensions.code, error.extensions.response.body], ['UNAUTHENTICATED', { reason: 'x' }]);
  return true;
}

describe('a 304', () => {
  it('updates the stored header fields, except those about the body as it was sent (RFC 9111 section 3.2)', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-none-match']
        ? { status: 304, headers: { 'content-type': 'application/problem+json', 'content-language': 'de', 'x-seen': 'twice' } }
        : {
            headers: { 'cache-control': 'no-cache', etag: '"v"', 'content-language': 'en', 'content-length': '7', 'x-seen': 'once' },
            body: { n: 1 },
          },
    );
    const operations = new Operations(origin.url);
    class Fields extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        const names = ['content-type', 'content-language', 'content-length', 'x-seen'];
        return [...names.map((name) => response.headers.get(name)), await this.parseBody(response)] as T;
      }
    }
    await operations.begin().read('x');
    const api = new Fields(origin.url);
    void api.initialize({ context: {}, cache: operations.cache });

    assert.deepEqual(await api.read('x'), ['application/problem+json', 'de', '7', 'twice', { n: 1 }]);
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
  ] as const) {
    it(`"${text}" is ${expected ?? 'none'}`, () => {
      const time = parseHTTPDate(text);

      assert.equal(time === undefined ? undefined : new Date(time).toISOString(), expected);
    });
  }
});
