import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceOperation } from '../../src/datasources/data-source.ts';
import { deferred } from '../support/deferred.ts';
import { API, Operations } from './api.ts';
import { startOrigin } from './origin.ts';

/** A fetch that responds when the test triggers it, and records aborts. */
function heldFetch() {
  const arrived = deferred();
  const answer = deferred<Response>();
  const aborted = deferred<unknown>();
  let calls = 0;
  const httpFetch = async (request: Request): Promise<Response> => {
    calls++;
    request.signal.addEventListener('abort', () => aborted.resolve(request.signal.reason));
    arrived.resolve();
    return Promise.race([
      answer.promise.then((response) => {
        request.signal.throwIfAborted();
        return response;
      }),
      aborted.promise.then(() => {
        throw request.signal.reason;
      }),
    ]);
  };
  return {
    httpFetch,
    arrived: arrived.promise,
    aborted: aborted.promise,
    answer: () => answer.resolve(Response.json('fine')),
    calls: () => calls,
  };
}

describe('aborting a call', () => {
  it('a signal aborts the call and its request', async () => {
    const held = heldFetch();
    const controller = new AbortController();
    const call = new API('http://a.test', held).read('x', undefined, { signal: controller.signal });
    await held.arrived;

    controller.abort(new Error('enough'));

    await assert.rejects(call, /enough/);
    assert.match(String(await held.aborted), /enough/);
  });

  it('aborting one call does not fail another that shares its request', async () => {
    const held = heldFetch();
    const api = new API('http://a.test', held);
    const controller = new AbortController();
    const first = api.read('x', undefined, { signal: controller.signal });
    const second = api.read('x');
    await held.arrived;

    controller.abort();
    held.answer();

    await assert.rejects(first, { name: 'AbortError' });
    assert.equal(await second, 'fine');
    assert.equal(held.calls(), 1);
  });

  it('a call aborted twice, by its timeout and its signal, does not fail another that shares its request', async () => {
    const held = heldFetch();
    const api = new API('http://a.test', held);
    const controller = new AbortController();
    const first = api.read('x', undefined, { signal: controller.signal, timeout: 1 });
    const second = api.read('x');
    await held.arrived;

    await assert.rejects(first, /timeout|timed out|1 ms/i);
    controller.abort();
    held.answer();

    assert.equal(await second, 'fine');
    assert.equal(held.calls(), 1);
  });

  it('the request is aborted with its last caller, and the next call sends a new one', async () => {
    const held = heldFetch();
    const api = new API('http://a.test', held);
    const [one, two] = [new AbortController(), new AbortController()];
    const calls = [api.read('x', undefined, { signal: one.signal }), api.read('x', undefined, { signal: two.signal })];
    await held.arrived;
    one.abort();
    two.abort();
    const third = api.read('x');

    await held.aborted;
    held.answer();

    const settled = await Promise.allSettled(calls);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(held.calls(), 2);
    await third.catch(() => {});
  });

  it('an already aborted signal prevents the request', async () => {
    const held = heldFetch();
    const signal = AbortSignal.abort(new Error('late'));

    await assert.rejects(new API('http://a.test', held).read('x', undefined, { signal }), /late/);
    await assert.rejects(new API('http://a.test', held).create('x', {}, { signal }), /late/);
    assert.equal(held.calls(), 0);
  });

  it('a call after its operation has ended sends nothing', async () => {
    const held = heldFetch();
    const api = new API('http://a.test', held);
    const operation = { signal: AbortSignal.abort(new Error('over')), waitUntil: () => {} };
    void api.initialize({ context: {}, cache: new InMemoryLRUCache(), operation });

    await assert.rejects(api.read('x'), /over/);
    await assert.rejects(api.create('x'), /over/);
    assert.equal(held.calls(), 0);
  });

  for (const timeout of [0, Infinity]) {
    it(`a timeout of ${timeout} means no timeout`, async (t) => {
      const origin = await startOrigin(t, () => ({ body: 'fine' }));

      assert.equal(await new API(origin.url).read('x', undefined, { timeout }), 'fine');
    });
  }

  it('a timeout error names the call without its query', async () => {
    const held = heldFetch();

    await assert.rejects(new API('http://a.test/v1', held).read('x', { api_key: 'secret' }, { timeout: 5 }), {
      name: 'TimeoutError',
      message: 'GET got no answer within 5 ms',
    });
    await held.aborted;
  });

  it('a class can set a timeout and a signal', async () => {
    const held = heldFetch();
    const api = new API('http://a.test', held);
    api.timeout = 5;
    await assert.rejects(api.read('x'), { name: 'TimeoutError' });

    api.signal = AbortSignal.abort(new Error('closed'));
    await assert.rejects(api.create('x'), /closed/);
  });

  it('aborting also cancels a body that is still being received', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'content-length': '1000', 'cache-control': 'no-store' }, body: 'x' }));
    const api = new API(origin.url);
    void api.initialize({ context: {}, cache: new InMemoryLRUCache() });

    await assert.rejects(api.read('x', undefined, { timeout: 50 }), { name: 'TimeoutError' });
  });
});

describe("the operation's signal", () => {
  function watched(): { operation: DataSourceOperation; controller: AbortController; reads: () => number } {
    const controller = new AbortController();
    let reads = 0;
    const operation = {
      get signal() {
        reads++;
        return controller.signal;
      },
      waitUntil: () => {},
    };
    return { operation, controller, reads: () => reads };
  }

  it('is not read until a request is sent', async (t) => {
    const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body: {} }));
    const operations = new Operations(origin.url);
    await operations.begin().read('x');
    const { operation, reads } = watched();
    const api = operations.begin({ operation });

    await api.read('x');
    await api.read('x');
    assert.equal(reads(), 0);

    await api.read('y');
    assert.equal(reads(), 1);
  });

  for (const method of ['read', 'create'] as const) {
    it(`keeps no listener after a ${method} completes, even for a long-lived subscription`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: { 'cache-control': 'no-store' }, body: {} }));
      const { operation, controller } = watched();
      const api = new Operations(origin.url).begin({ operation });

      await api[method]('x');

      assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
    });
  }

  for (const method of ['read', 'create'] as const) {
    it(`aborts a ${method} in progress`, async () => {
      const held = heldFetch();
      const { operation, controller } = watched();
      const api = new API('http://a.test', held);
      void api.initialize({ context: {}, cache: new InMemoryLRUCache(), operation });
      const call = api[method]('x');
      await held.arrived;

      controller.abort(new Error('deadline'));

      await assert.rejects(call, /deadline/);
      await held.aborted;
    });
  }
});
