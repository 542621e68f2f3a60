import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { DataSourceRequest } from '../../../src/datasources/request.ts';
import { RESTDataSource } from '../../../src/datasources/rest-data-source.ts';
import { recordingFetch } from '../../../src/tools/testing/recording-fetch.ts';
import { API, startAPI } from '../../support/datasources/api.ts';
import type { Hooks } from '../../support/datasources/api.ts';
import type { Call } from '../../support/datasources/origin.ts';

const echo = ({ method, url, body }: Call) => ({ body: { method, url, body } });

describe('the methods', () => {
  const extra = { headers: { 'x-extra': 'yes' } };
  for (const [name, args, expected] of [
    ['read', ['books', { page: 2, q: 'a b' }, extra], { method: 'GET', url: '/books?page=2&q=a+b', body: '' }],
    ['remove', ['books/1', { force: true }, { body: { why: 'lost' }, ...extra }], { method: 'DELETE', url: '/books/1?force=true', body: '{"why":"lost"}' }], // oxfmt-ignore
    ...Object.entries({ create: 'POST', replace: 'PUT', change: 'PATCH' } as const).map(
      ([name, method]) => [name, ['books', { title: 'Emma' }, extra], { method, url: '/books', body: '{"title":"Emma"}' }] as const,
    ),
  ] as const)
    it(`${expected.method} takes a path, ${expected.body.includes('title') ? 'a body' : 'query parameters'}, and options of fetch`, async (t) => {
      const { begin, calls } = await startAPI(t, echo);

      const result = await (begin() as any)[name](...args);

      assert.deepEqual(result, expected);
      assert.equal(calls[0]!.headers['x-extra'], 'yes');
      assert.equal(calls[0]!.headers['content-type'], expected.body === '' ? undefined : 'application/json');
    });

  it('pass further options to fetch', async () => {
    let seen: Request | undefined;
    const api = new API('http://a.test', { httpFetch: async (request) => ((seen = request), Response.json(1)) });

    await api.read('x', undefined, { redirect: 'manual', referrer: 'http://a.test/page' });

    assert.deepEqual([seen!.redirect, seen!.referrer], ['manual', 'http://a.test/page']);
  });

  it('send no header field that is undefined', async (t) => {
    const { begin, calls } = await startAPI(t, echo);

    await begin().read('books', undefined, { headers: { authorization: undefined } });

    assert.equal(calls[0]!.headers.authorization, undefined);
  });
});

describe('query parameters', () => {
  for (const [what, params, expected] of [
    ['that are undefined or null are left out, arrays are repeated, dates are ISO text', { a: undefined, b: null, c: [1, 2, undefined], d: new Date(0), e: false, f: '' }, '&c=1&c=2&d=1970-01-01T00%3A00%3A00.000Z&e=false&f='], // oxfmt-ignore
    ['can be a URLSearchParams', new URLSearchParams('a=1&a=2'), '&a=1&a=2'],
    ['can be pairs', Object.entries({ a: '1', b: 2 }), '&a=1&b=2'],
    ['can be text', 'a=1&a=2', '&a=1&a=2'],
    ['can be a Map', new Map([['a', [1, 2]]]), '&a=1&a=2'],
    ['can be objects with a text of their own', { id: { toString: () => 'a1' }, link: new URL('https://a.example/') }, '&id=a1&link=https%3A%2F%2Fa.example%2F'], // oxfmt-ignore
    ['can have the names of options if their values are parameters', { headers: 'yes', params: [1, 2], body: new Date(0), signal: 5 }, '&headers=yes&params=1&params=2&body=1970-01-01T00%3A00%3A00.000Z&signal=5'], // oxfmt-ignore
  ] as [string, object | string, string][])
    it(what, async (t) => {
      const { begin, calls } = await startAPI(t, echo);

      await begin().read('books?z=0', params);

      assert.equal(calls[0]!.url, `/books?z=0${expected}`);
    });

  const hasOption = /^"\w+" contains an object and would be written into the URL: .* Write get\(path, params, \{ headers, … \}\)$/;
  const isObject =
    /^The query parameter "(?:filter|ids|where)" is an object, which has no form in a URL\. Pass its fields as separate parameters, or JSON/;
  for (const [what, params, message] of [
    ['options: params and headers', { params: { page: 1 }, headers: { authorization: 'hunter2' } }, hasOption],
    ['options: Headers', { headers: new Headers({ authorization: 'hunter2' }) }, hasOption],
    ['options: headers as pairs', { headers: [['authorization', 'hunter2']] }, hasOption],
    ['options: params', { params: new URLSearchParams('token=hunter2') }, hasOption],
    ['options in a Map', new Map([['headers', { authorization: 'hunter2' }]]), hasOption],
    ['options: a body', { body: { token: 'hunter2' } }, hasOption],
    ['options: a signal', { signal: new AbortController().signal }, hasOption],
    ['options: cacheOptions', { cacheOptions: { ttl: 60 } }, hasOption],
    ['an object', { filter: { a: 1 } }, isObject],
    ['an object in a list', { ids: [1, { id: 2 }] }, isObject],
    ['an object in pairs', [['where', { token: 'hunter2' }]], isObject],
  ] as [string, object, RegExp][])
    it(`are refused before anything is sent if they contain ${what}`, async (t) => {
      const { begin, calls } = await startAPI(t, echo);

      const { message: said }: Error = await begin().read('x', params).catch((thrown: Error) => thrown); // oxfmt-ignore

      assert.match(said, message);
      assert.doesNotMatch(said, /hunter2/);
      assert.equal(calls.length, 0);
    });
});

describe('results', () => {
  for (const [type, body, expected] of [
    ['application/json', '{"a":1}', { a: 1 }],
    ['Application/JSON; Charset=UTF-8', '{"a":1}', { a: 1 }],
    ['application/vnd.api+json; ext="x"', '{"a":1}', { a: 1 }],
    ['application/json', '', ''],
    ['text/plain', '{"a":1}', '{"a":1}'],
    ['application/jsonlines', '{}', '{}'],
  ] as const)
    it(`a body of ${type} "${body}" becomes ${JSON.stringify(expected)}`, async (t) => {
      const { begin } = await startAPI(t, () => ({ headers: { 'content-type': type }, body }));

      assert.deepEqual(await begin().read('x'), expected);
    });

  it('a 204 is ""', async (t) => {
    const { begin } = await startAPI(t, () => ({ status: 204, headers: { 'content-type': 'application/json' } }));

    assert.equal(await begin().remove('x'), '');
  });
});

describe('hooks', () => {
  const beforeTheKey = ['willSendRequest', 'resolveURL', 'cacheKeyFor ?api_key=K'];
  /** Hooks that log their calls. */
  const logging = (log: string[]): Hooks => ({
    async willSendRequest(request) {
      await Promise.resolve();
      request.params.set('api_key', 'K');
      log.push('willSendRequest');
    },
    async resolveURL(request) {
      log.push('resolveURL');
      return RESTDataSource.prototype['resolveURL'].call(this, request);
    },
    cacheKeyFor(request) {
      log.push(`cacheKeyFor ${new URL(request.url).search}`);
      return RESTDataSource.prototype['cacheKeyFor'].call(this, request);
    },
    cacheOptionsFor(response) {
      log.push(`cacheOptionsFor ${response.status}`);
      return { ttl: 60 };
    },
    async didReceiveResponse(response, request) {
      log.push(`didReceiveResponse ${response.status} ${response.url === request.url}`);
      return RESTDataSource.prototype['didReceiveResponse'].call(this, response, request);
    },
  });

  it('are called in order; a memoized call and one from the response cache skip what they do not need', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ body: { a: 1 } }));
    const log: string[] = [];
    const api = begin(logging(log));

    const logs = [];
    for (const source of [api, api, begin(logging(log))]) {
      assert.deepEqual(await source.read('x'), { a: 1 });
      logs.push(log.splice(0));
    }

    assert.deepEqual(logs, [
      [...beforeTheKey, 'cacheOptionsFor 200', 'didReceiveResponse 200 true'],
      beforeTheKey,
      [...beforeTheKey, 'didReceiveResponse 200 true'],
    ]);
    assert.deepEqual(calls.map(({ url }) => url), ['/x?api_key=K']); // oxfmt-ignore
  });

  it('willSendRequest can use the context, and its return value is ignored', async (t) => {
    const { begin, calls } = await startAPI(t, echo);
    const api = begin({
      headers: { authorization: 'Bearer alice' },
      willSendRequest(request) {
        request.headers.set('authorization', this.context.headers!['authorization']!);
        return request as unknown as void;
      },
    });

    await api.read('x');

    assert.equal(calls[0]!.headers.authorization, 'Bearer alice');
  });

  it("willSendRequest changes copies of the caller's parameters and headers", async (t) => {
    const { begin, calls } = await startAPI(t, echo);
    const params = new URLSearchParams('a=1');
    const headers = new Headers({ 'x-a': '1' });
    const willSendRequest = (request: DataSourceRequest): void => {
      request.params.set('key', 'K');
      request.headers.set('authorization', 'T');
    };

    await begin({ willSendRequest }).read('books', params, { headers });

    assert.equal(calls[0]!.url, '/books?a=1&key=K');
    assert.equal(params.toString(), 'a=1');
    assert.equal(headers.has('authorization'), false);
  });

  it('willSendRequest gets an error when it assigns a header field, as in other versions, which would not be sent', async (t) => {
    const { begin, calls } = await startAPI(t, echo);
    const willSendRequest = ({ headers }: DataSourceRequest): void => void Object.assign(headers, { authorization: 'secret' });

    await assert.rejects(begin({ willSendRequest }).read('x'), {
      name: 'TypeError',
      message: /"authorization" was assigned to request\.headers.*request\.headers\.set\('authorization'/,
    });
    assert.equal(calls.length, 0);
  });

  it('resolveURL can look up the base URL asynchronously', async (t) => {
    const { url } = await startAPI(t, echo);
    const api = new API(undefined, {
      async resolveURL(request) {
        this.baseURL = await Promise.resolve(`${url}/v2`);
        return RESTDataSource.prototype['resolveURL'].call(this, request);
      },
    });

    assert.equal((await api.read('x', { a: 1 })).url, '/v2/x?a=1');
  });

  for (const hook of ['willSendRequest', 'resolveURL', 'cacheKeyFor', 'cacheOptionsFor', 'didReceiveResponse', 'parseBody'] as const)
    it(`didEncounterError sees what ${hook} throws, and swallows it unless it throws itself`, async (t) => {
      const { begin } = await startAPI(t, () => ({ body: {} }));
      const seen: unknown[] = [];
      const failing = { [hook]: () => { throw new Error(`from ${hook}`); } }; // oxfmt-ignore
      const api = begin({ ...failing, didEncounterError: (error) => void seen.push((error as Error).message) });

      assert.equal(await api.read('x'), undefined);
      assert.deepEqual(seen, [`from ${hook}`]);
    });
});

describe('a data source', () => {
  it('works without a server, without initialize and without a cache', async (t) => {
    const { url } = await startAPI(t, echo);

    assert.equal((await new API(url).read('x')).url, '/x');
  });

  for (const form of ['by itself', 'as an option'])
    it(`sends with httpFetch, given ${form}`, async () => {
      const { httpFetch, requests } = recordingFetch(() => ({ ok: true }));
      const api = new (class extends RESTDataSource {
        x = (): Promise<unknown> => this.post('http://a.test/x', { a: 1 });
      })(form === 'as an option' ? { httpFetch } : httpFetch);

      assert.deepEqual(await api.x(), { ok: true });
      const [{ method, url, body, headers }] = requests as [(typeof requests)[number]];
      assert.deepEqual([method, url, body, headers.get('content-type')], ['POST', 'http://a.test/x', '{"a":1}', 'application/json']);
    });

  it('clears its memo when it is initialized again', async (t) => {
    const { begin, cache } = await startAPI(t, (call) => ({ body: call.headers.authorization }));
    const api = begin({ headers: { authorization: 'alice' } });
    await api.read('me');

    void api.initialize({ context: { headers: { authorization: 'bob' } }, cache });

    assert.equal(await api.read('me'), 'bob');
  });
});
