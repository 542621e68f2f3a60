import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { API, Operations } from './api.ts';
import { startOrigin } from './origin.ts';

const counting =
  (headers: Record<string, string | string[]> = {}) =>
  (call: { method: string; url: string; body: string }, before: number) => ({
    headers: { 'x-total': `${before + 1}`, ...headers },
    body: { method: call.method, url: call.url, sent: call.body },
  });

describe('fetch returns the result and the header fields of the response', () => {
  it('from the origin', async (t) => {
    const origin = await startOrigin(t, counting({ 'set-cookie': ['a=1', 'b=2'] }));

    const { body, response } = await new API(origin.url).send('books', { params: { page: 2 } });

    assert.deepEqual(body, { method: 'GET', url: '/books?page=2', sent: '' });
    assert.equal(response.headers.get('x-total'), '1');
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.deepEqual([response.status, response.statusText, response.ok, response.url], [200, 'OK', true, `${origin.url}/books?page=2`]);
  });

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    it(`of a ${method}`, async (t) => {
      const origin = await startOrigin(t, counting());

      const { body, response } = await new API(origin.url).send('books', { method, body: { a: 1 }, headers: { 'x-a': '1' } });

      assert.deepEqual(body, { method, url: '/books', sent: '{"a":1}' });
      assert.equal(response.headers.get('x-total'), '1');
      assert.equal(origin.calls[0]!.headers['x-a'], '1');
    });
  }

  it('from the memo: each caller gets a copy of the header fields, also with get', async (t) => {
    const origin = await startOrigin(t, counting());
    const api = new API(origin.url);
    const [first, , third] = await Promise.all([api.send('x'), api.read('x'), api.send('x')]);
    first.response.headers.set('x-total', '8');
    first.body.url = 'changed';

    const fourth = await api.send('x');

    for (const { body, response } of [third, fourth]) assert.deepEqual([body.url, response.headers.get('x-total')], ['/x', '1']);
    assert.equal(origin.calls.length, 1);
  });

  it('from the response cache, without cookies', async (t) => {
    const origin = await startOrigin(t, counting({ 'cache-control': 'public, max-age=60', 'set-cookie': ['user=alice'] }));
    const operations = new Operations(origin.url);
    const alice = await operations.begin().send('x');

    const bob = await operations.begin().send('x');

    assert.deepEqual([alice.response.headers.get('x-total'), bob.response.headers.get('x-total')], ['1', '1']);
    assert.deepEqual(bob.response.headers.getSetCookie(), []);
  });

  it('and the result of an overridden didReceiveResponse', async (t) => {
    const origin = await startOrigin(t, counting());
    class Counting extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        return Number(response.headers.get('x-total')) as T;
      }
    }

    const { body, response } = await new Counting(origin.url).send('x');

    assert.deepEqual([body, response.headers.get('x-total')], [1, '1']);
  });

  it('throws as get does, and returns neither when didEncounterError swallows the error', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404 }));
    class Lenient extends API {
      protected override didEncounterError(): void {}
    }

    await assert.rejects(new API(origin.url).send('x'), { message: '404: Not Found (GET)' });
    assert.deepEqual(await new Lenient(origin.url).send('x'), { body: undefined, response: undefined });
  });
});

describe('head', () => {
  it('sends a HEAD request and returns its header fields', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'content-type': 'application/json', etag: '"1"' } }));

    const response = await new API(origin.url).look('books/1', { a: 1 }, { headers: { 'x-a': '1' } });

    assert.equal(response.headers.get('etag'), '"1"');
    assert.deepEqual([origin.calls[0]!.method, origin.calls[0]!.url, origin.calls[0]!.headers['x-a']], ['HEAD', '/books/1?a=1', '1']);
  });

  it('throws for an unsuccessful status', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404 }));

    await assert.rejects(new API(origin.url).look('x'), { message: '404: Not Found (HEAD)' });
  });

  it('is sent each time, and leaves the GET in memo and response cache', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body: 1 }));
    const operations = new Operations(origin.url);
    const api = operations.begin();
    await api.read('x');

    await api.look('x');
    await api.look('x');
    await api.read('x');
    await operations.begin().read('x');

    assert.deepEqual(origin.calls.map(({ method }) => method), ['GET', 'HEAD', 'HEAD']); // oxfmt-ignore
  });
});

describe('cacheKey', () => {
  it('of a call replaces the URL in memo and response cache', async (t) => {
    const origin = await startOrigin(t, (call) => ({ headers: { 'cache-control': 'max-age=60' }, body: call.url }));
    const operations = new Operations(origin.url);
    const api = operations.begin();

    const results = [
      await api.read('x', { trace: 1 }, { cacheKey: 'x' }),
      await api.read('x', { trace: 2 }, { cacheKey: 'x' }),
      await operations.begin().read('x', { trace: 3 }, { cacheKey: 'x' }),
    ];

    assert.deepEqual(results, ['/x?trace=1', '/x?trace=1', '/x?trace=1']);
  });

  it('and other options of the library are not passed to fetch', async () => {
    const seen: object[] = [];
    class Seeing extends API {
      protected override willSendRequest(request: DataSourceRequest): void {
        seen.push(request.fetchOptions ?? {});
      }
    }
    const api = new Seeing('http://a.test', { httpFetch: async () => Response.json(1) });

    await api.create('x', 1, {
      cacheKey: 'k',
      invalidates: ['y'],
      maxResponseBytes: 5,
      timeout: 1000,
      retry: 1,
      referrer: 'http://a.test/',
    });

    assert.deepEqual(
      seen.flatMap((options) => Object.keys(options)),
      ['referrer'],
    );
  });
});

describe('invalidates', () => {
  const kept = () => ({ headers: { 'cache-control': 'max-age=60' }, body: 1 });

  it('drops entries of other paths from the memo and the response cache', async (t) => {
    const origin = await startOrigin(t, kept);
    const operations = new Operations(origin.url);
    const api = operations.begin();
    await api.read('books');
    await api.read('books', { page: 2 });
    await api.read('authors');

    await api.create('orders', { book: 1 }, { invalidates: ['books', '/books?page=2'] });
    for (const source of [api, operations.begin()]) {
      await source.read('books');
      await source.read('books', { page: 2 });
      await source.read('authors');
    }

    assert.deepEqual(
      origin.calls.slice(3).map(({ method, url }) => `${method} ${url}`),
      ['POST /orders', 'GET /books', 'GET /books?page=2'],
    );
  });

  it('finds keys created by hooks', async (t) => {
    const origin = await startOrigin(t, kept);
    class Keyed extends API {
      protected override async willSendRequest(request: DataSourceRequest): Promise<void> {
        await Promise.resolve();
        request.params.set('api_key', 'K');
      }
      protected override cacheKeyFor(request: DataSourceRequest): string {
        return `key of ${new URL(request.url).search} ${new URL(request.url).pathname}`;
      }
    }
    const api = new Keyed(origin.url);
    await api.initialize({ context: {}, cache: new InMemoryLRUCache() });
    await api.read('books');

    await api.remove('books/1', undefined, { invalidates: ['books'] });
    await api.read('books');

    assert.equal(origin.calls.length, 3);
  });

  it('also drops a GET sent during the write', async (t) => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const origin = await startOrigin(t, async (call) => {
      if (call.method === 'POST') await held;
      return kept();
    });
    const operations = new Operations(origin.url);
    const api = operations.begin();
    const write = api.create('orders', {}, { invalidates: ['books'] });
    await operations.begin().read('books');
    release();
    await write;

    await operations.begin().read('books');

    assert.equal(origin.calls.filter(({ url }) => url === '/books').length, 2);
  });

  it('keeps them when the write fails', async (t) => {
    const origin = await startOrigin(t, (call) => (call.method === 'GET' ? kept() : { status: 400 }));
    const operations = new Operations(origin.url);
    await operations.begin().read('books');

    await assert.rejects(operations.begin().create('orders', {}, { invalidates: ['books'] }));
    await operations.begin().read('books');

    assert.equal(origin.calls.length, 2);
  });

  it('with a path outside the baseURL sends nothing', async (t) => {
    const origin = await startOrigin(t, kept);

    await assert.rejects(new API(origin.url).create('x', {}, { invalidates: ['../y'] }), { name: 'URLError' });
    assert.equal(origin.calls.length, 0);
  });

  it('is refused for a call that does not write', async () => {
    await assert.rejects(new API('http://a.test').read('x', {}, { invalidates: ['y'] }), /invalidates is for calls that write/);
  });
});

/** RFC 9111, section 4.4, defines this invalidation. */
describe('Location and Content-Location of the response of a write', () => {
  const readsAround = async (t: TestContext, headers: Record<string, string>, status = 200): Promise<number> => {
    const origin = await startOrigin(t, ({ method }) => {
      return method === 'GET' ? { headers: { 'cache-control': 'max-age=60' }, body: 1 } : { status, headers };
    });
    const operations = new Operations(origin.url);
    const api = operations.begin();
    await api.read('books/1');
    await api.replace('books/1/title', 'Emma').catch(() => undefined);
    for (const source of [api, operations.begin()]) await source.read('books/1');
    return origin.calls.filter(({ method }) => method === 'GET').length;
  };

  for (const name of ['Location', 'Content-Location']) {
    it(`${name} drops a GET from the memo and the response cache`, async (t) => {
      assert.equal(await readsAround(t, { [name]: '../1' }), 2);
      assert.equal(await readsAround(t, { [name]: '/books/1#title' }, 201), 2);
    });

    it(`${name} of another origin, of a failed write, or that is no URL is ignored`, async (t) => {
      assert.equal(await readsAround(t, { [name]: 'http://localhost:1/books/1' }), 1);
      assert.equal(await readsAround(t, { [name]: '/books/1' }, 409), 1);
      assert.equal(await readsAround(t, { [name]: 'http://[' }), 1);
    });
  }

  it('are ignored where cacheKeyFor is overridden, which is not called with a request that no hook has seen', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'content-location': '/books/1' }, body: 1 }));
    const keyed: string[] = [];
    class Keyed extends API {
      protected override cacheKeyFor(request: DataSourceRequest): string {
        keyed.push(request.method);
        return request.url;
      }
    }

    await new Keyed(origin.url).create('books', {});

    assert.deepEqual(keyed, ['POST']);
  });
});

describe('query parameters', () => {
  for (const [name, params] of [
    ['headers', { params: { page: 1 }, headers: { authorization: 'hunter2' } }],
    ['headers', { headers: new Headers({ authorization: 'hunter2' }) }],
    ['headers', { headers: [['authorization', 'hunter2']] }],
    ['params', { params: new URLSearchParams('token=hunter2') }],
    ['headers', new Map([['headers', { authorization: 'hunter2' }]])],
    ['body', { body: { token: 'hunter2' } }],
    ['signal', { signal: new AbortController().signal }],
    ['cacheOptions', { cacheOptions: { ttl: 60 } }],
  ] as const) {
    it(`that are options in another version (${name}) are refused, and the error says where they belong`, async (t) => {
      const origin = await startOrigin(t, () => ({}));

      const error: Error = await new API(origin.url).read('x', params as object).catch((thrown: Error) => thrown);

      assert.match(
        error.message,
        /^"\w+" contains an object and would be written into the URL: .* Write get\(path, params, \{ headers, … \}\)$/,
      );
      assert.doesNotMatch(error.message, /hunter2/);
      assert.equal(origin.calls.length, 0);
    });
  }

  it('can have such names when their values are parameters', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.url }));

    const url = await new API(origin.url).read('x', { headers: 'yes', params: [1, 2], body: new Date(0), signal: 5 });

    assert.equal(decodeURIComponent(url), '/x?headers=yes&params=1&params=2&body=1970-01-01T00:00:00.000Z&signal=5');
  });
});

describe('a query parameter that is an object', () => {
  for (const [name, params] of [
    ['filter', { filter: { a: 1 } }],
    ['ids', { ids: [1, { id: 2 }] }],
    ['where', [['where', { token: 'hunter2' }]]],
  ] as const)
    it(`is refused before anything is sent: ${name}`, async (t) => {
      const origin = await startOrigin(t, () => ({}));

      const reading = new API(origin.url).read('x', params as object);

      await assert.rejects(
        reading,
        new RegExp(
          `The query parameter "${name}" is an object, which has no form in a URL\\. Pass its fields as separate parameters, or JSON`,
        ),
      );
      assert.equal(origin.calls.length, 0);
    });

  it('may have a text of its own', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.url }));

    assert.equal(
      await new API(origin.url).read('x', { id: { toString: () => 'a1' }, link: new URL('https://a.example/') }),
      '/x?id=a1&link=https%3A%2F%2Fa.example%2F',
    );
  });
});

describe('retry.attemptTimeout', () => {
  it('aborts an attempt that hangs, and starts the next one', async () => {
    let before = 0;
    // A local origin could be slower than the attempt's timeout on a busy machine.
    const httpFetch = ({ signal }: Request): Promise<Response> =>
      before++ === 0
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve(Response.json('second'));

    const result = await new API('http://a.test', { httpFetch }).read('x', {}, { retry: { limit: 1, delay: 0, attemptTimeout: 50 } });

    assert.equal(result, 'second');
  });

  it('is the error when the last attempt hangs, and applies to a write, which is sent once', async (t) => {
    const origin = await startOrigin(t, () => new Promise<never>(() => {}));
    let sent = 0;
    const httpFetch = (request: Request): Promise<Response> => {
      sent++;
      return fetch(request);
    };

    await assert.rejects(new API(origin.url, { httpFetch }).create('x', {}, { retry: { limit: 3, attemptTimeout: 20 } }), {
      name: 'TimeoutError',
      message: 'POST got no answer within 20 ms',
    });
    assert.equal(sent, 1);
  });

  it('ends an attempt whose httpFetch ignores its signal, and drops its late response', async () => {
    const bodies: ReadableStream[] = [];
    let answerLate: (() => void) | undefined;
    const httpFetch = (): Promise<Response> => {
      if (answerLate !== undefined) return Promise.resolve(Response.json('second'));
      return new Promise((resolve) => {
        answerLate = () => {
          const late = new Response(new ReadableStream());
          bodies.push(late.body!);
          resolve(late);
        };
      });
    };

    const result = await new API('http://a.test', { httpFetch }).read('x', {}, { retry: { limit: 1, delay: 0, attemptTimeout: 50 } });

    assert.equal(result, 'second');
    answerLate?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await bodies[0]!.getReader().read()).done, true);
  });
});
