import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';

import type { DataSourceOperation } from '../../../src/datasources/data-source.ts';
import { deferred } from '../../support/deferred.ts';
import { Operations, startAPI } from '../../support/datasources/api.ts';

/** An API that responds when the test says so, the data source of an operation that uses it, and the reason of an abort. */
function createHeldAPI(operation?: DataSourceOperation) {
  const [arrived, answer, aborted] = [deferred(), deferred<Response>(), deferred<unknown>()];
  let calls = 0;
  const httpFetch = async ({ signal }: Request): Promise<Response> => {
    calls++;
    signal.addEventListener('abort', () => aborted.resolve(signal.reason));
    arrived.resolve();
    const response = await Promise.race([answer.promise, aborted.promise]);
    signal.throwIfAborted();
    return response as Response;
  };
  return {
    api: new Operations('http://a.test').begin({ httpFetch, operation }),
    arrived: arrived.promise,
    aborted: aborted.promise,
    answer: () => answer.resolve(Response.json('fine')),
    calls: () => calls,
  };
}

describe('a signal', () => {
  for (const method of ['read', 'create'] as const)
    for (const whose of ['the call', 'the operation'])
      it(`of ${whose} aborts a ${method} in progress and its request`, async () => {
        const controller = new AbortController();
        const { signal } = controller;
        const { api, arrived, aborted } = createHeldAPI(whose === 'the call' ? undefined : { signal, waitUntil: () => {} });
        const call = api[method]('x', undefined, whose === 'the call' ? { signal } : {});
        await arrived;

        controller.abort(new Error('enough'));

        await assert.rejects(call, /enough/);
        assert.match(String(await aborted), /enough/);
      });

  for (const timeout of [undefined, 1])
    it(`that aborts one call ${timeout ? 'after its timeout ' : ''}does not fail another that shares its request`, async () => {
      const { api, arrived, answer, calls } = createHeldAPI();
      const controller = new AbortController();
      const first = api.read('x', undefined, { signal: controller.signal, timeout });
      const second = api.read('x');
      await arrived;

      if (timeout) await assert.rejects(first, { name: 'TimeoutError' });
      controller.abort();
      answer();

      if (!timeout) await assert.rejects(first, { name: 'AbortError' });
      assert.equal(await second, 'fine');
      assert.equal(calls(), 1);
    });

  it('that aborts the last caller aborts the request, and the next call sends a new one', async () => {
    const { api, arrived, aborted, answer, calls } = createHeldAPI();
    const [one, two] = [new AbortController(), new AbortController()];
    const shared = [one, two].map(({ signal }) => api.read('x', undefined, { signal }));
    await arrived;
    one.abort();
    two.abort();
    const third = api.read('x');

    await aborted;
    answer();

    for (const call of shared) await assert.rejects(call, { name: 'AbortError' });
    assert.equal(calls(), 2);
    await third.catch(() => {});
  });

  for (const method of ['read', 'create'] as const) {
    const over = AbortSignal.abort(new Error('over'));

    it(`that has fired already prevents a ${method}: of the call, of the class, or of the operation`, async () => {
      const { api, calls } = createHeldAPI();
      await assert.rejects(api[method]('x', {}, { signal: over }), /over/);
      api.signal = over;
      await assert.rejects(api[method]('x'), /over/);
      const ended = createHeldAPI({ signal: over, waitUntil: () => {} });
      await assert.rejects(ended.api[method]('x'), /over/);

      assert.equal(calls() + ended.calls(), 0);
    });
  }
});

describe('a timeout', () => {
  for (const timeout of [0, Infinity])
    it(`of ${timeout} means none`, async (t) => {
      const { begin } = await startAPI(t, () => ({ body: 'fine' }));

      assert.equal(await begin().read('x', undefined, { timeout }), 'fine');
    });

  for (const [whose, ofClass, ofCall] of [
    ['the class', 5, undefined],
    ['the call', undefined, 5],
  ] as const)
    it(`of ${whose} is an error that names the call without its query, and aborts the request`, async () => {
      const { api, aborted } = createHeldAPI();
      api.timeout = ofClass;

      await assert.rejects(api.read('x', { api_key: 'secret' }, { timeout: ofCall }), {
        name: 'TimeoutError',
        message: 'GET got no answer within 5 ms',
      });
      await aborted;
    });
});

describe("the operation's signal", () => {
  function createWatched(): { operation: DataSourceOperation; controller: AbortController; reads: () => number } {
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
    const { begin } = await startAPI(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body: {} }));
    await begin().read('x');
    const { operation, reads } = createWatched();
    const api = begin({ operation });

    for (const [path, expected] of [
      ['x', 0],
      ['x', 0],
      ['y', 1],
    ] as const) {
      // oxfmt-ignore
      await api.read(path);
      assert.equal(reads(), expected);
    }
  });

  for (const method of ['read', 'create'] as const)
    it(`keeps no listener after a ${method}, because a subscription lives long`, async (t) => {
      const { begin } = await startAPI(t, () => ({ headers: { 'cache-control': 'no-store' }, body: {} }));
      const { operation, controller } = createWatched();

      await begin({ operation })[method]('x');

      assert.deepEqual(getEventListeners(controller.signal, 'abort'), []);
    });
});
