import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHTTPDate } from '../../../src/datasource/http-cache/http-date.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

const numbered = (headers: Record<string, string>) => (_call: unknown, before: number) => ({ headers, body: before });

describe('a response that nobody gave a life', () => {
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

  it('is asked about again where it says public and has a date of change', async (t) => {
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

  it('counts for a request that asks for a max-age', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60', age: '30' }));
    const operations = new Operations(origin.url);
    await operations.begin().read('x');

    assert.equal(await operations.begin({ headers: { 'cache-control': 'max-age=20' } }).read('x'), 1);
  });

  it('is unknown when the clock has gone back: the origin is asked', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60, stale-while-revalidate=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(-3_600_000);

    assert.equal(await operations.begin().read('x'), 1);
    assert.equal(await operations.begin().read('x'), 1);
  });

  it('may be a little below zero where the clocks of two instances differ', async (t) => {
    const origin = await startOrigin(t, numbered({ 'cache-control': 'max-age=60' }));
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');

    operations.clock.turn(-1000);

    assert.equal(await operations.begin().read('x'), 0);
  });

  it('is that of the answer which has validated the response, not that of the first', async (t) => {
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

describe('a 304', () => {
  it('speaks of its own empty body, and not of the stored one', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.headers['if-none-match']
        ? { status: 304, headers: { 'content-type': 'text/html', 'x-seen': 'twice' } }
        : { headers: { 'cache-control': 'no-cache', etag: '"v"', 'x-seen': 'once' }, body: { n: 1 } },
    );
    const operations = new Operations(origin.url);
    class Fields extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        return [response.headers.get('content-type'), response.headers.get('x-seen'), await this.parseBody(response)] as T;
      }
    }
    await operations.begin().read('x');
    const api = new Fields(origin.url);
    void api.initialize({ context: {}, cache: operations.cache });

    assert.deepEqual(await api.read('x'), ['application/json', 'twice', { n: 1 }]);
  });
});

describe('a date of HTTP', () => {
  const now = Date.UTC(2026, 10, 21);
  for (const [text, expected] of [
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Saturday, 21-Nov-76 00:00:00 GMT', '2076-11-21T00:00:00.000Z'],
    ['Monday, 21-Nov-77 00:00:00 GMT', '1977-11-21T00:00:00.000Z'],
    ['Saturday, 21-Nov-26 00:00:00 GMT', '2026-11-21T00:00:00.000Z'],
    ['Fri, 30 Jun 2028 23:59:60 GMT', '2028-07-01T00:00:00.000Z'],
    ['Tue, 31 Feb 2026 00:00:00 GMT', undefined],
    ['Tue, 10 Foo 2026 00:00:00 GMT', undefined],
    ['Tue, 10 Feb 2026 24:00:00 GMT', undefined],
    ['2026-11-21T00:00:00Z', undefined],
    ['Sun, 06 Nov 1994 08:49:37 CET', undefined],
    ['0', undefined],
    ['', undefined],
  ] as const) {
    it(`"${text}" is ${expected ?? 'none'}`, () => {
      const time = parseHTTPDate(text, now);

      assert.equal(time === undefined ? undefined : new Date(time).toISOString(), expected);
    });
  }
});
