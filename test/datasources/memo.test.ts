import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { deferred } from '../support/deferred.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

describe('memoizeGetRequests', () => {
  it('equal GETs are sent once, sequential or concurrent', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { n: 1 } }));
    const api = new API(origin.url);

    const results = [...(await Promise.all([api.read('x'), api.read('x')])), await api.read('x')];

    assert.deepEqual(results, [{ n: 1 }, { n: 1 }, { n: 1 }]);
    assert.equal(origin.calls.length, 1);
    assert.equal(api.lastOutcome, 'memo');
  });

  it('is keyed by the cache key', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.url }));
    class Keyed extends API {
      protected override cacheKeyFor(request: DataSourceRequest): string {
        return new URL(request.url).pathname;
      }
    }
    const api = new Keyed(origin.url);

    const results = [await api.read('x', { trace: 1 }), await api.read('x', { trace: 2 })];

    assert.deepEqual(results, ['/x?trace=1', '/x?trace=1']);
  });

  it('when false, nothing is memoized', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = new API(origin.url);
    api.memoizeGetRequests = false;

    await Promise.all([api.read('x'), api.read('x')]);
    await api.read('x');

    assert.equal(origin.calls.length, 3);
  });

  for (const method of ['create', 'replace', 'change', 'remove'] as const) {
    it(`a call of another method (${method}) with the same key clears the entry`, async (t) => {
      const origin = await startOrigin(t, (_call, before) => ({ body: before }));
      const api = new API(origin.url);
      await api.read('x');

      await api[method]('x');

      assert.equal(await api.read('x'), 2);
    });
  }

  it('a GET sent during a write is not reused after it', async (t) => {
    const arrived = deferred();
    const written = deferred();
    let state = 'old';
    const origin = await startOrigin(t, async (call) => {
      if (call.method === 'GET') return { body: state };
      arrived.resolve();
      await written.promise;
      state = 'new';
      return { status: 204 };
    });
    // With `httpFetch` GETs do not wait for writes, because it may make calls.
    const api = new API(origin.url, { httpFetch: fetch });

    const write = api.create('x');
    await arrived.promise;
    assert.equal(await api.read('x'), 'old');
    written.resolve();
    await write;

    assert.equal(await api.read('x'), 'new');
  });

  for (const path of ['a', 'other']) {
    const kind = path === 'a' ? 'the same path' : 'a path that it invalidates';
    it(`a GET of ${kind} called after a write in the same tick does not reuse an earlier result`, async (t) => {
      let state = 'before';
      const origin = await startOrigin(t, (call) => {
        if (call.method === 'POST') state = 'after';
        return { headers: { 'cache-control': 'public, max-age=60' }, body: { state } };
      });
      const written = deferred();
      const api = new API(origin.url, {
        httpFetch: async (request) => {
          if (request.method === 'GET' && state === 'before' && origin.calls.length > 0) await written.promise;
          const response = await fetch(request);
          if (request.method === 'POST') written.resolve();
          return response;
        },
      });
      void api.initialize({ context: {}, cache: new InMemoryLRUCache() });
      await api.read(path);

      const write = api.create('a', {}, { invalidates: [path] });
      const read = api.read(path);

      await write;
      assert.deepEqual(await read, { state: 'after' });
    });
  }

  describe('get, post and get at once: the second GET waits until the write has a response', () => {
    for (const path of ['a', 'other']) {
      for (const timeout of [undefined, 50]) {
        it(`of ${path === 'a' ? 'the same path' : 'a path that it invalidates'}, with a timeout of ${timeout} ms`, async (t) => {
          let state = 'before';
          const origin = await startOrigin(t, async (call) => {
            if (call.method === 'POST') {
              await new Promise((resolve) => setTimeout(resolve, 100));
              state = 'after';
            }
            return { body: state };
          });
          const api = new API(origin.url);

          const results = Promise.allSettled([
            api.read(path),
            api.create('a', {}, { invalidates: ['other'] }),
            api.read(path, undefined, { timeout }),
          ]);

          const [first, , second] = await results;
          assert.deepEqual(first, { status: 'fulfilled', value: 'before' });
          if (timeout === undefined) assert.deepEqual(second, { status: 'fulfilled', value: 'after' });
          else assert.match(String((second as PromiseRejectedResult).reason), /GET got no answer within 50 ms/);
        });
      }
    }
  });

  it('a failed write clears the entry too', async (t) => {
    const origin = await startOrigin(t, (call, before) => (call.method === 'GET' ? { body: before } : { status: 500 }));
    const api = new API(origin.url);
    await api.read('x');

    await assert.rejects(api.create('x'));

    assert.equal(await api.read('x'), 2);
  });

  it('an error response is not memoized', async (t) => {
    const origin = await startOrigin(t, (_call, before) => (before === 0 ? { status: 500 } : { body: 'fine' }));
    const api = new API(origin.url);

    await assert.rejects(api.read('x'));

    assert.equal(await api.read('x'), 'fine');
  });

  it('a network failure is not memoized', async (t) => {
    const origin = await startOrigin(t, (_call, before) => (before === 0 ? 'hang up' : { body: 'fine' }));
    const api = new API(origin.url);

    await assert.rejects(api.read('x'));

    assert.equal(await api.read('x'), 'fine');
  });

  it('a caller that changes its result does not affect other callers', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { tags: ['a'], deep: { n: 1 } } }));
    const api = new API(origin.url);
    const spoil = async (): Promise<void> => {
      const result = await api.read('x');
      assert.deepEqual(result, { tags: ['a'], deep: { n: 1 } });
      result.tags.push('b');
      result.deep.n = 2;
    };

    await Promise.all([spoil(), spoil()]);
    await spoil();
    await spoil();

    assert.equal(origin.calls.length, 1);
  });

  it('the callers of one instance share what a hook returned, and no other instance does', async () => {
    class Dated extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        return { when: new Date(0), response } as T;
      }
    }
    const [api, other] = [1, 2].map(() => new Dated('http://a.test', { httpFetch: async () => Response.json(1) })) as [Dated, Dated];

    const [first, second] = await Promise.all([api.read('x'), api.read('x')]);

    assert.equal(second, first);
    assert.equal(await api.read('x'), first);
    assert.notEqual(await other.read('x'), first);
  });

  it('a hook that leaves the body unread does not delay the end of the process', async () => {
    class Unread extends API {
      protected override async didReceiveResponse<T>({ status }: Response): Promise<T> {
        return status as T;
      }
    }
    const api = new Unread('http://a.test', { httpFetch: async () => Response.json(1) });
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();

    assert.deepEqual([await api.read('x'), await api.read('x')], [200, 200]);

    assert.equal(timers(), before);
  });

  it('a request with other header fields is sent, and its response replaces the first', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: `${call.headers['accept-language']} ${call.headers.authorization}` }));
    const api = new API(origin.url);
    const as = (authorization: string, language: string): Promise<string> =>
      api.read('x', undefined, { headers: { authorization, 'accept-language': language } });

    const results = [await as('alice', 'de'), await as('bob', 'de'), await as('bob', 'fr'), await as('bob', 'fr'), await as('alice', 'de')];

    assert.deepEqual(results, ['de alice', 'de bob', 'fr bob', 'fr bob', 'de alice']);
    assert.equal(origin.calls.length, 4);
  });

  it('tracing header fields are ignored', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = new API(origin.url);

    await api.read('x', undefined, { headers: { 'x-request-id': '1', traceparent: 'a' } });
    await api.read('x', undefined, { headers: { 'x-request-id': '2', traceparent: 'b' } });

    assert.equal(origin.calls.length, 1);
  });

  it('memoizedResults can be cleared, and its entries deleted', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = new API(origin.url);
    await api.read('x');

    assert.deepEqual([...api.memoizedResults.keys()], [`${origin.url}/x`]);
    api.memoizedResults.delete(`${origin.url}/x`);
    await api.read('x');
    api.memoizedResults.clear();
    await api.read('x');

    assert.equal(origin.calls.length, 3);
  });

  for (const cache of ['reload', 'no-cache', 'no-store'] as const) {
    it(`a call with cache: "${cache}" is always sent`, async (t) => {
      const origin = await startOrigin(t, (_call, before) => ({ body: before }));
      const api = new API(origin.url);
      await api.read('x');

      assert.equal(await api.read('x', undefined, { cache }), 1);
    });
  }

  it('JSON nested deeper than the call stack can be returned twice', async (t) => {
    const depth = 50_000;
    const origin = await startOrigin(t, () => ({
      headers: { 'content-type': 'application/json' },
      body: '['.repeat(depth) + ']'.repeat(depth),
    }));
    const api = new API(origin.url);

    const results = [await api.read('x'), await api.read('x')];

    assert.ok(Array.isArray(results[1]));
    assert.equal(origin.calls.length, 1);
  });

  it('a property called __proto__ stays a property', async (t) => {
    const origin = await startOrigin(t, () => ({
      headers: { 'content-type': 'application/json' },
      body: '{"a":{"__proto__":{"admin":true}}}',
    }));
    const api = new API(origin.url);
    await api.read('x');
    await api.read('x');

    const { a } = await api.read('x');

    assert.equal(a.admin, undefined);
    assert.deepEqual(Object.keys(a), ['__proto__']);
  });
});
