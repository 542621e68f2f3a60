import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

const echo = (call: { method: string; url: string; body: string }) => ({ body: { method: call.method, url: call.url, body: call.body } });

describe('convenience methods', () => {
  it('get takes a path, an object of query parameters, and more fetch options', async (t) => {
    const origin = await startOrigin(t, echo);
    const api = new API(origin.url);

    const result = await api.read('books', { page: 2, q: 'a b' }, { headers: { 'x-extra': 'yes' } });

    assert.deepEqual(result, { method: 'GET', url: '/books?page=2&q=a+b', body: '' });
    assert.equal(origin.calls[0]!.headers['x-extra'], 'yes');
  });

  it('delete takes a path, an object of query parameters, and more fetch options', async (t) => {
    const origin = await startOrigin(t, echo);

    const result = await new API(origin.url).remove('books/1', { force: true }, { body: { why: 'lost' } });

    assert.deepEqual(result, { method: 'DELETE', url: '/books/1?force=true', body: '{"why":"lost"}' });
  });

  for (const [name, method] of [
    ['create', 'POST'],
    ['replace', 'PUT'],
    ['change', 'PATCH'],
  ] as const) {
    it(`${method.toLowerCase()} takes a path, a body, and more fetch options`, async (t) => {
      const origin = await startOrigin(t, echo);

      const result = await new API(origin.url)[name]('books', { title: 'Emma' }, { headers: { 'x-extra': 'yes' } });

      assert.deepEqual(result, { method, url: '/books', body: '{"title":"Emma"}' });
      assert.equal(origin.calls[0]!.headers['content-type'], 'application/json');
      assert.equal(origin.calls[0]!.headers['x-extra'], 'yes');
    });
  }

  it('parameters that are undefined or null are left out, arrays are repeated, dates are ISO text', async (t) => {
    const origin = await startOrigin(t, echo);

    await new API(origin.url).read('books', { a: undefined, b: null, c: [1, 2, undefined], d: new Date(0), e: false, f: '' });

    assert.equal(origin.calls[0]!.url, '/books?c=1&c=2&d=1970-01-01T00%3A00%3A00.000Z&e=false&f=');
  });

  for (const [kind, params] of [
    [
      'a URLSearchParams',
      new URLSearchParams([
        ['a', '1'],
        ['a', '2'],
      ]),
    ],
    [
      'pairs',
      [
        ['a', '1'],
        ['a', 2],
      ],
    ],
    ['text', 'a=1&a=2'],
    ['a Map', new Map([['a', [1, 2]]])],
  ] as const) {
    it(`parameters can be ${kind}`, async (t) => {
      const origin = await startOrigin(t, echo);

      await new API(origin.url).read('books?z=0', params);

      assert.equal(origin.calls[0]!.url, '/books?z=0&a=1&a=2');
    });
  }

  it("the caller's parameters and headers are copied, never changed", async (t) => {
    const origin = await startOrigin(t, echo);
    const params = new URLSearchParams('a=1');
    const headers = new Headers({ 'x-a': '1' });
    class Keyed extends API {
      protected override willSendRequest(request: DataSourceRequest): void {
        request.params.set('key', 'K');
        request.headers.set('authorization', 'T');
      }
    }

    await new Keyed(origin.url).read('books', params, { headers });

    assert.equal(origin.calls[0]!.url, '/books?a=1&key=K');
    assert.equal(params.toString(), 'a=1');
    assert.equal(headers.has('authorization'), false);
  });

  it('a header field that is undefined is not sent', async (t) => {
    const origin = await startOrigin(t, echo);

    await new API(origin.url).read('books', undefined, { headers: { authorization: undefined } });

    assert.equal(origin.calls[0]!.headers.authorization, undefined);
  });
});

describe('bodies', () => {
  const bytes = new Uint8Array([0x61, 0x62]);
  for (const [kind, body, sent, type] of [
    ['a null-prototype object', Object.assign(Object.create(null), { a: 1 }), '{"a":1}', 'application/json'],
    ['an array', [1, 2], '[1,2]', 'application/json'],
    ['something with toJSON', new Date(0), '"1970-01-01T00:00:00.000Z"', 'application/json'],
    ['a string', '<a/>', '<a/>', 'text/plain;charset=UTF-8'],
    ['a URLSearchParams', new URLSearchParams('a=1'), 'a=1', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ['a Blob', new Blob(['ab'], { type: 'text/css' }), 'ab', 'text/css'],
    ['bytes', bytes, 'ab', undefined],
    ['a Buffer', Buffer.from('ab'), 'ab', undefined],
    ['an ArrayBuffer', bytes.buffer, 'ab', undefined],
    [
      'an instance of a class',
      new (class Book {
        title = 'Emma';
      })(),
      '{"title":"Emma"}',
      'application/json',
    ],
  ] as const) {
    it(`${kind} arrives complete, with its media type`, async (t) => {
      const origin = await startOrigin(t, echo);

      await new API(origin.url).create('books', body);

      assert.equal(origin.calls[0]!.body, sent);
      assert.equal(origin.calls[0]!.headers['content-type'], type);
    });
  }

  it('a form arrives as multipart with its boundary', async (t) => {
    const origin = await startOrigin(t, echo);
    const form = new FormData();
    form.set('title', 'Emma');

    await new API(origin.url).create('books', form);

    assert.match(origin.calls[0]!.headers['content-type']!, /^multipart\/form-data; boundary=/);
    assert.match(origin.calls[0]!.body, /name="title"\r\n\r\nEmma/);
  });

  it('a stream is sent as it comes', async (t) => {
    const origin = await startOrigin(t, echo);

    await new API(origin.url).create('books', new Blob(['streamed']).stream());

    assert.equal(origin.calls[0]!.body, 'streamed');
  });

  it('the caller’s content-type is kept', async (t) => {
    const origin = await startOrigin(t, echo);

    await new API(origin.url).create('books', { a: 1 }, { headers: { 'Content-Type': 'application/vnd.api+json' } });

    assert.equal(origin.calls[0]!.headers['content-type'], 'application/vnd.api+json');
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
  ] as const) {
    it(`a body of ${type || 'no type'} "${body}" becomes ${JSON.stringify(expected)}`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: { 'content-type': type }, body }));

      assert.deepEqual(await new API(origin.url).read('x'), expected);
    });
  }

  it('a 204 is ""', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 204, headers: { 'content-type': 'application/json' } }));

    assert.equal(await new API(origin.url).remove('x'), '');
  });
});

describe('hooks', () => {
  class Recording extends API {
    readonly log: string[] = [];
    protected override async willSendRequest(request: DataSourceRequest): Promise<void> {
      await Promise.resolve();
      request.params.set('api_key', 'K');
      this.log.push('willSendRequest');
    }
    protected override async resolveURL(request: DataSourceRequest): Promise<URL> {
      this.log.push('resolveURL');
      return super.resolveURL(request);
    }
    protected override cacheKeyFor(request: DataSourceRequest): string {
      this.log.push(`cacheKeyFor ${new URL(request.url).search}`);
      return super.cacheKeyFor(request);
    }
    protected override cacheOptionsFor(response?: Response): { ttl: number } {
      this.log.push(`cacheOptionsFor ${response?.status}`);
      return { ttl: 60 };
    }
    protected override async didReceiveResponse<T>(response: Response, request: DataSourceRequest): Promise<T> {
      this.log.push(`didReceiveResponse ${response.status} ${response.url === request.url}`);
      return super.didReceiveResponse(response, request);
    }
    protected override didEncounterError(error: unknown, request: DataSourceRequest): void {
      this.log.push(`didEncounterError ${request.method}`);
      void super.didEncounterError(error, request);
    }
  }
  const started = (url: string, cache = new InMemoryLRUCache()): Recording => {
    const api = new Recording(url);
    void api.initialize({ context: {}, cache });
    return api;
  };

  it('are called in order, and see the URL with its parameters', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = started(origin.url);

    await api.read('x');

    assert.deepEqual(api.log, [
      'willSendRequest',
      'resolveURL',
      'cacheKeyFor ?api_key=K',
      'cacheOptionsFor 200',
      'didReceiveResponse 200 true',
    ]);
    assert.equal(origin.calls[0]!.url, '/x?api_key=K');
  });

  it('only those before the cache key run for a memoized call', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = started(origin.url);
    await api.read('x');
    api.log.length = 0;

    await api.read('x');

    assert.deepEqual(api.log, ['willSendRequest', 'resolveURL', 'cacheKeyFor ?api_key=K']);
  });

  it('a call served from the response cache skips cacheOptionsFor but runs didReceiveResponse', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { a: 1 } }));
    const cache = new InMemoryLRUCache();
    await started(origin.url, cache).read('x');
    const api = started(origin.url, cache);

    const result = await api.read('x');

    assert.deepEqual(result, { a: 1 });
    assert.deepEqual(api.log, ['willSendRequest', 'resolveURL', 'cacheKeyFor ?api_key=K', 'didReceiveResponse 200 true']);
    assert.equal(origin.calls.length, 1);
  });

  it('willSendRequest has the context, a user token in it for instance', async (t) => {
    const origin = await startOrigin(t, echo);
    const api = new API(origin.url);
    await api.initialize({ context: { headers: { authorization: 'Bearer alice' } }, cache: new InMemoryLRUCache() });

    await api.read('x');

    assert.equal(origin.calls[0]!.headers.authorization, 'Bearer alice');
  });

  it('resolveURL can look up the base URL asynchronously', async (t) => {
    const origin = await startOrigin(t, echo);
    class Dynamic extends API {
      protected override async resolveURL(request: DataSourceRequest): Promise<URL> {
        this.baseURL = await Promise.resolve(`${origin.url}/v2`);
        return super.resolveURL(request);
      }
    }

    assert.equal((await new Dynamic().read('x', { a: 1 })).url, '/v2/x?a=1');
  });

  it('the return value of willSendRequest is ignored', async (t) => {
    const origin = await startOrigin(t, echo);
    class Returning extends API {
      protected override willSendRequest(request: DataSourceRequest): void {
        return request.params.append('a', '1') ?? (request as unknown as void);
      }
    }

    assert.equal((await new Returning(origin.url).read('x')).url, '/x?a=1');
  });

  it('resolveURL can return a URL outside the baseURL', async (t) => {
    const origin = await startOrigin(t, echo);
    class Elsewhere extends API {
      protected override resolveURL(): URL {
        return new URL('/elsewhere', origin.url);
      }
    }

    assert.equal((await new Elsewhere('https://api.test/').read('x')).url, '/elsewhere');
  });

  it('didReceiveResponse can return the result', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404, headers: { 'x-total': '7' } }));
    class Totals extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        return Number(response.headers.get('x-total')) as T;
      }
    }

    assert.equal(await new Totals(origin.url).read('x'), 7);
  });

  it('didEncounterError that does not throw swallows the error', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 500 }));
    class Lenient extends API {
      protected override didEncounterError(): void {}
    }

    assert.equal(await new Lenient(origin.url).read('x'), undefined);
  });

  for (const hook of ['willSendRequest', 'resolveURL', 'cacheKeyFor', 'cacheOptionsFor', 'didReceiveResponse', 'parseBody'] as const) {
    it(`didEncounterError sees what ${hook} throws`, async (t) => {
      const origin = await startOrigin(t, () => ({ body: {} }));
      const seen: unknown[] = [];
      class Failing extends API {
        protected override didEncounterError(error: unknown): void {
          seen.push((error as Error).message);
        }
      }
      Object.defineProperty(Failing.prototype, hook, {
        value: () => {
          throw new Error(`from ${hook}`);
        },
      });
      const api = new Failing(origin.url);
      await api.initialize({ context: {}, cache: new InMemoryLRUCache() });

      assert.equal(await api.read('x'), undefined);
      assert.deepEqual(seen, [`from ${hook}`]);
    });
  }

  it('didEncounterError sees a body that cannot be serialised', async (t) => {
    const origin = await startOrigin(t, echo);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;

    await assert.rejects(new API(origin.url).create('x', circular), TypeError);
    assert.equal(origin.calls.length, 0);
  });
});

describe('a data source', () => {
  it('works without a server, without initialize and without a cache', async (t) => {
    const origin = await startOrigin(t, echo);

    assert.equal((await new API(origin.url).read('x')).url, '/x');
  });

  it('can define baseURL as a getter', async (t) => {
    const origin = await startOrigin(t, echo);
    class Getter extends RESTDataSource {
      override get baseURL(): string {
        return `${origin.url}/v1`;
      }
      x(): Promise<{ url: string }> {
        return this.get('x');
      }
    }

    assert.equal((await new Getter().x()).url, '/v1/x');
  });

  it('can define its settings as class fields', async (t) => {
    const origin = await startOrigin(t, echo);
    class Fields extends RESTDataSource {
      override baseURL = origin.url;
      override memoizeGetRequests = false;
      x(): Promise<unknown> {
        return this.get('x');
      }
    }
    const api = new Fields();

    await api.x();
    await api.x();

    assert.equal(origin.calls.length, 2);
  });

  it('memoizeGetRequests is true by default', () => {
    assert.equal(new API().memoizeGetRequests, true);
  });

  for (const [form, make] of [
    [
      'by itself',
      (httpFetch: (request: Request) => Promise<Response>) =>
        new (class extends RESTDataSource {
          x = () => this.post('http://a.test/x', { a: 1 });
        })(httpFetch),
    ],
    [
      'as an option',
      (httpFetch: (request: Request) => Promise<Response>) =>
        new (class extends RESTDataSource {
          x = () => this.post('http://a.test/x', { a: 1 });
        })({ httpFetch }),
    ],
  ] as const) {
    it(`httpFetch overrides fetch, given ${form}`, async () => {
      const seen: string[] = [];

      const result = await make(async (request) => {
        seen.push(request.method, request.url, await request.text(), request.headers.get('content-type')!);
        return Response.json({ ok: true });
      }).x();

      assert.deepEqual(result, { ok: true });
      assert.deepEqual(seen, ['POST', 'http://a.test/x', '{"a":1}', 'application/json']);
    });
  }

  it('passes extra options to fetch', async () => {
    let seen: Request | undefined;
    const api = new API('http://a.test', {
      httpFetch: async (request) => {
        seen = request;
        return Response.json(1);
      },
    });

    await api.read('x', undefined, { redirect: 'manual', referrer: 'http://a.test/page' });

    assert.equal(seen!.redirect, 'manual');
    assert.equal(seen!.referrer, 'http://a.test/page');
  });

  it('clears its memo when it is initialized again', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.headers.authorization }));
    const api = new API(origin.url);
    const cache = new InMemoryLRUCache();
    void api.initialize({ context: { headers: { authorization: 'alice' } }, cache });
    await api.read('me');

    void api.initialize({ context: { headers: { authorization: 'bob' } }, cache });

    assert.equal(await api.read('me'), 'bob');
  });

  it('follows a redirect to another origin without the credentials', async (t) => {
    const other = await startOrigin(t, (call) => ({ body: { authorization: call.headers.authorization, cookie: call.headers.cookie } }));
    const origin = await startOrigin(t, () => ({ status: 302, headers: { location: other.url.replace('127.0.0.1', 'localhost') } }));
    const api = new API(origin.url);
    void api.initialize({ context: { headers: { authorization: 'secret', cookie: 'secret' } }, cache: new InMemoryLRUCache() });

    const seen = await api.read('x');

    assert.deepEqual(seen, {});
  });
});
