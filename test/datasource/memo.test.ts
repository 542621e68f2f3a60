import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DataSourceRequest } from '../../src/datasource/request.ts';
import { deferred } from '../support/deferred.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

describe('memoizeGetRequests', () => {
  it('a GET is sent once, whether calls follow each other or meet', async (t) => {
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

  it('when false nothing is memoised, and nothing shared in flight', async (t) => {
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

  it('a GET that was sent while a write was running is not taken for the state after it', async (t) => {
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
    const api = new API(origin.url);

    const write = api.create('x');
    await arrived.promise;
    assert.equal(await api.read('x'), 'old');
    written.resolve();
    await write;

    assert.equal(await api.read('x'), 'new');
  });

  it('a failed write clears the entry too', async (t) => {
    const origin = await startOrigin(t, (call, before) => (call.method === 'GET' ? { body: before } : { status: 500 }));
    const api = new API(origin.url);
    await api.read('x');

    await assert.rejects(api.create('x'));

    assert.equal(await api.read('x'), 2);
  });

  it('a failure is forgotten', async (t) => {
    const origin = await startOrigin(t, (_call, before) => (before === 0 ? { status: 500 } : { body: 'fine' }));
    const api = new API(origin.url);

    await assert.rejects(api.read('x'));

    assert.equal(await api.read('x'), 'fine');
  });

  it('a network failure is forgotten', async (t) => {
    const origin = await startOrigin(t, (_call, before) => (before === 0 ? 'hang up' : { body: 'fine' }));
    const api = new API(origin.url);

    await assert.rejects(api.read('x'));

    assert.equal(await api.read('x'), 'fine');
  });

  it('no taker sees what another does to its result', async (t) => {
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

  it('nor where a hook has made the result', async (t) => {
    const origin = await startOrigin(t, () => ({ body: {} }));
    class Dated extends API {
      protected override async didReceiveResponse<T>(): Promise<T> {
        return { when: new Date(0), seen: new Map([['a', { n: 1 }]]), bytes: Buffer.from('ab') } as T;
      }
    }
    const api = new Dated(origin.url);

    const first = await api.read('x');
    first.when.setTime(1);
    first.seen.get('a').n = 2;
    first.bytes[0] = 0;

    assert.deepEqual(await api.read('x'), { when: new Date(0), seen: new Map([['a', { n: 1 }]]), bytes: Buffer.from('ab') });
  });

  it('a request with other header fields is another request, and its response takes the place of the first', async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: `${call.headers['accept-language']} ${call.headers.authorization}` }));
    const api = new API(origin.url);
    const as = (authorization: string, language: string): Promise<string> =>
      api.read('x', undefined, { headers: { authorization, 'accept-language': language } });

    const results = [await as('alice', 'de'), await as('bob', 'de'), await as('bob', 'fr'), await as('bob', 'fr'), await as('alice', 'de')];

    assert.deepEqual(results, ['de alice', 'de bob', 'fr bob', 'fr bob', 'de alice']);
    assert.equal(origin.calls.length, 4);
  });

  it('fields for tracing make no difference', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 1 }));
    const api = new API(origin.url);

    await api.read('x', undefined, { headers: { 'x-request-id': '1', traceparent: 'a' } });
    await api.read('x', undefined, { headers: { 'x-request-id': '2', traceparent: 'b' } });

    assert.equal(origin.calls.length, 1);
  });

  it('memoizedResults can be cleared, or an entry deleted from it', async (t) => {
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
    it(`a call with cache: "${cache}" is sent all the same`, async (t) => {
      const origin = await startOrigin(t, (_call, before) => ({ body: before }));
      const api = new API(origin.url);
      await api.read('x');

      assert.equal(await api.read('x', undefined, { cache }), 1);
    });
  }

  it('JSON nested deeper than the stack reaches can be taken twice', async (t) => {
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
