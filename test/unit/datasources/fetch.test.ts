import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { recordingFetch } from '../../../src/tools/testing/recording-fetch.ts';
import { deferred } from '../../support/deferred.ts';
import { API, startAPI } from '../../support/datasources/api.ts';
import type { Call, Reply } from '../../support/datasources/origin.ts';

const counting =
  (headers: Record<string, string | string[]> = {}) =>
  ({ method, url, body }: Call, before: number): Reply => ({
    headers: { 'x-total': `${before + 1}`, ...headers },
    body: { method, url, sent: body },
  });
const kept = (): Reply => ({ headers: { 'cache-control': 'max-age=60' }, body: 1 });

describe('fetch returns the result and the header fields of the response', () => {
  it('from the API', async (t) => {
    const { begin, url } = await startAPI(t, counting({ 'set-cookie': ['a=1', 'b=2'] }));

    const { body, response } = await begin().send('books', { params: { page: 2 } });

    assert.deepEqual(body, { method: 'GET', url: '/books?page=2', sent: '' });
    assert.equal(response.headers.get('x-total'), '1');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual([response.status, response.statusText, response.ok, response.url], [200, 'OK', true, `${url}/books?page=2`]);
  });

  it('of a write', async (t) => {
    const { begin, calls } = await startAPI(t, counting());

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
      const { body, response } = await begin().send('books', { method, body: { a: 1 }, headers: { 'x-a': '1' } });

      assert.deepEqual(body, { method, url: '/books', sent: '{"a":1}' });
      assert.deepEqual([response.headers.get('x-total'), calls.at(-1)!.headers['x-a']], [`${calls.length}`, '1']);
    }
  });

  it('from the memo: each caller gets a copy of the header fields, also with get', async (t) => {
    const { begin, calls } = await startAPI(t, counting());
    const api = begin();
    const [first, , third] = await Promise.all([api.send('x'), api.read('x'), api.send('x')]);
    first.response.headers.set('x-total', '8');
    first.body.url = 'changed';

    const fourth = await api.send('x');

    for (const { body, response } of [third, fourth]) assert.deepEqual([body.url, response.headers.get('x-total')], ['/x', '1']);
    assert.equal(calls.length, 1);
  });

  it('and the result of an overridden didReceiveResponse, even of an unsuccessful response', async (t) => {
    const { begin } = await startAPI(t, () => ({ status: 404, headers: { 'x-total': '1' } }));
    const api = begin({ didReceiveResponse: async ({ headers }) => Number(headers.get('x-total')) });

    const { body, response } = await api.send('x');

    assert.deepEqual([body, response.headers.get('x-total')], [1, '1']);
  });

  it('throws as get does, and returns neither when didEncounterError swallows the error', async (t) => {
    const { begin } = await startAPI(t, () => ({ status: 404 }));

    await assert.rejects(begin().send('x'), { message: '404: Not Found (GET)' });
    assert.deepEqual(await begin({ didEncounterError: () => {} }).send('x'), { body: undefined, response: undefined });
  });
});

describe('head', () => {
  it('sends a HEAD request and returns its header fields; an unsuccessful status is an error', async (t) => {
    const { begin, calls } = await startAPI(t, ({ url }) => ({ status: url === '/y' ? 404 : 200, headers: { etag: '"1"' } }));

    const response = await begin().look('books/1', { a: 1 }, { headers: { 'x-a': '1' } });

    assert.equal(response.headers.get('etag'), '"1"');
    assert.deepEqual([calls[0]!.method, calls[0]!.url, calls[0]!.headers['x-a']], ['HEAD', '/books/1?a=1', '1']);
    await assert.rejects(begin().look('y'), { message: '404: Not Found (HEAD)' });
  });

  it('is sent each time, and leaves the GET in memo and response cache', async (t) => {
    const { begin, calls } = await startAPI(t, kept);
    const api = begin();
    await api.read('x');

    for (let nth = 0; nth < 2; nth++) await api.look('x');
    for (const source of [api, begin()]) await source.read('x');

    assert.deepEqual(calls.map(({ method }) => method), ['GET', 'HEAD', 'HEAD']); // oxfmt-ignore
  });
});

describe('cacheKey', () => {
  it('of a call replaces the URL in memo and response cache', async (t) => {
    const { begin } = await startAPI(t, (call) => ({ headers: { 'cache-control': 'max-age=60' }, body: call.url }));
    const api = begin();

    const results = [];
    for (const [at, source] of [api, api, begin()].entries()) results.push(await source.read('x', { trace: at }, { cacheKey: 'x' }));

    assert.deepEqual(results, ['/x?trace=0', '/x?trace=0', '/x?trace=0']);
  });

  it('and other options of the library are not passed to fetch', async () => {
    const seen: string[] = [];
    const willSendRequest: API['willSendRequest'] = ({ fetchOptions }) => void seen.push(...Object.keys(fetchOptions ?? {}));
    const api = new API('http://a.test', { httpFetch: recordingFetch().httpFetch, willSendRequest });
    const options = { cacheKey: 'k', invalidates: ['y'], maxResponseBytes: 5, timeout: 1000, retry: 1 };

    await api.create('x', 1, { ...options, referrer: 'http://a.test/' });

    assert.deepEqual(seen, ['referrer']);
  });
});

describe('invalidates', () => {
  it('drops entries of other paths from the memo and the response cache', async (t) => {
    const { begin, calls } = await startAPI(t, kept);
    const api = begin();
    const readAll = async (source: API): Promise<void> => {
      for (const params of [{}, { page: 2 }]) await source.read('books', params);
      await source.read('authors');
    };
    await readAll(api);

    await api.create('orders', { book: 1 }, { invalidates: ['books', '/books?page=2'] });
    for (const source of [api, begin()]) await readAll(source);

    assert.deepEqual(
      calls.slice(3).map(({ method, url }) => `${method} ${url}`),
      ['POST /orders', 'GET /books', 'GET /books?page=2'],
    );
  });

  it('finds keys created by hooks', async (t) => {
    const { begin, calls } = await startAPI(t, kept);
    const api = begin({
      willSendRequest: async (request) => request.params.set('api_key', 'K'),
      cacheKeyFor: ({ url }) => `key of ${new URL(url).search} ${new URL(url).pathname}`,
    });
    await api.read('books');

    await api.remove('books/1', undefined, { invalidates: ['books'] });
    await api.read('books');

    assert.equal(calls.length, 3);
  });

  it('drops a GET that is sent during the write', async (t) => {
    const held = deferred();
    const { begin, calls } = await startAPI(t, async (call) => {
      if (call.method === 'POST') await held.promise;
      return kept();
    });
    const write = begin().create('orders', {}, { invalidates: ['books'] });
    await begin().read('books');
    held.resolve();
    await write;

    await begin().read('books');

    assert.equal(calls.filter(({ url }) => url === '/books').length, 2);
  });

  it('keeps them when the write fails', async (t) => {
    const { begin, calls } = await startAPI(t, (call) => (call.method === 'GET' ? kept() : { status: 400 }));
    await begin().read('books');

    await assert.rejects(begin().create('orders', {}, { invalidates: ['books'] }));
    await begin().read('books');

    assert.equal(calls.length, 2);
  });

  it('is refused with a path outside the baseURL, and for a call that does not write', async (t) => {
    const { begin, calls } = await startAPI(t, kept);

    await assert.rejects(begin().create('x', {}, { invalidates: ['../y'] }), { name: 'URLError' });
    await assert.rejects(begin().read('x', {}, { invalidates: ['y'] }), /invalidates is for calls that write/);
    assert.equal(calls.length, 0);
  });
});

/** RFC 9111, section 4.4, defines this invalidation. */
describe('Location and Content-Location of the response of a write', () => {
  /** The number of GETs, of one operation around the write and of another one. */
  const readsAround = async (t: TestContext, headers: Record<string, string>, status = 200): Promise<number> => {
    const { begin, calls } = await startAPI(t, ({ method }) => (method === 'GET' ? kept() : { status, headers }));
    const api = begin();
    await api.read('books/1');
    await api.replace('books/1/title', 'Emma').catch(() => undefined); // oxfmt-ignore
    for (const source of [api, begin()]) await source.read('books/1');
    return calls.filter(({ method }) => method === 'GET').length;
  };

  for (const name of ['Location', 'Content-Location'])
    for (const [what, value, status, expected] of [
      ['drops a GET from the memo and the response cache', '../1', 200, 2],
      ['drops a GET from both, whatever its fragment is', '/books/1#title', 201, 2],
      ['of another origin is ignored', 'http://localhost:1/books/1', 200, 1],
      ['of a failed write is ignored', '/books/1', 409, 1],
      ['that is no URL is ignored', 'http://[', 200, 1],
    ] as const)
      it(`${name} ${what}`, async (t) => assert.equal(await readsAround(t, { [name]: value }, status), expected));

  it('are ignored if cacheKeyFor is overridden, which is not called with a request that no hook has seen', async (t) => {
    const { begin } = await startAPI(t, () => ({ headers: { 'content-location': '/books/1' }, body: 1 }));
    const keyed: string[] = [];

    await begin({ cacheKeyFor: ({ method, url }) => (keyed.push(method), url) }).create('books', {});

    assert.deepEqual(keyed, ['POST']);
  });
});
