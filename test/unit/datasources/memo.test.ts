import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { DataSourceRequest } from '../../../src/datasources/request.ts';
import { deferred } from '../../support/deferred.ts';
import { recordingFetch } from '../../../src/tools/testing/recording-fetch.ts';
import { API, OpenStore, numbered, startAPI } from '../../support/datasources/api.ts';
import type { OperationSettings } from '../../support/datasources/api.ts';
import type { Reply } from '../../support/datasources/origin.ts';

describe('equal GETs of one instance', () => {
  it('are sent once, sequential or concurrent', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ body: { n: 1 } }));
    const api = begin();

    const results = [...(await Promise.all([api.read('x'), api.read('x')])), await api.read('x')];

    assert.deepEqual(results, [{ n: 1 }, { n: 1 }, { n: 1 }]);
    assert.equal(calls.length, 1);
    assert.equal(api.lastOutcome, 'memo');
  });

  it('are all sent if memoizeGetRequests is false', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ body: 1 }));
    const api = begin({ memoizeGetRequests: false });

    await Promise.all([api.read('x'), api.read('x')]);

    assert.equal(calls.length, 2);
  });

  it('have the same header fields, except those for tracing; another response replaces the first', async (t) => {
    const { begin, calls } = await startAPI(t, ({ headers }) => ({ body: `${headers['accept-language']} ${headers.authorization}` }));
    const api = begin();
    let id = 0;
    const readAs = (authorization: string, language: string): Promise<string> =>
      api.read('x', {}, { headers: { authorization, 'accept-language': language, 'x-request-id': `${++id}`, traceparent: `${id}` } });

    const results = [];
    for (const text of ['de alice', 'de bob', 'fr bob', 'fr bob', 'de alice']) results.push(await readAs(text.slice(3), text.slice(0, 2)));

    assert.deepEqual(results, ['de alice', 'de bob', 'fr bob', 'fr bob', 'de alice']);
    assert.equal(calls.length, 4);
  });

  it('are sent once with other properties on the request, and with the same object that a hook sets', async (t) => {
    t.mock.method(globalThis, 'fetch', async () => Response.json(1));
    const willSendRequest = (request: object): void => void Object.assign(request, { startedAt: Math.random(), dispatcher: console });
    const api = new API('http://a.test', { willSendRequest });

    await Promise.all([api.read('x'), api.read('x')]);

    assert.equal((fetch as unknown as { mock: { callCount(): number } }).mock.callCount(), 1);
  });

  for (const cache of ['reload', 'no-cache', 'no-store'] as const)
    it(`are always sent with cache: "${cache}"`, async (t) => {
      const api = (await startAPI(t, numbered())).begin();
      await api.read('x');

      assert.equal(await api.read('x', undefined, { cache }), 1);
    });

  it('are sent again after memoizedResults is cleared, or the key deleted', async (t) => {
    const { begin, calls, url } = await startAPI(t, () => ({ body: 1 }));
    const api = begin();
    await api.read('x');

    assert.deepEqual([...api.memoizedResults.keys()], [`${url}/x`]);
    api.memoizedResults.delete(`${url}/x`);
    await api.read('x');
    api.memoizedResults.clear();
    await api.read('x');

    assert.equal(calls.length, 3);
  });

  for (const failure of [{ status: 500 }, 'hang up'] as Reply[])
    it(`are sent again after ${JSON.stringify(failure)}`, async (t) => {
      const api = (await startAPI(t, (_call, before) => (before === 0 ? failure : { body: 'fine' }))).begin();

      await assert.rejects(api.read('x'));

      assert.equal(await api.read('x'), 'fine');
    });
});

describe('a memoized result', () => {
  it('that a caller changes is unchanged for other callers', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ body: { tags: ['a'], deep: { n: 1 } } }));
    const api = begin();
    const spoil = async (): Promise<void> => {
      const result = await api.read('x');
      assert.deepEqual(result, { tags: ['a'], deep: { n: 1 } });
      result.tags.push('b');
      result.deep.n = 2;
    };

    await Promise.all([spoil(), spoil()]);
    for (let nth = 0; nth < 2; nth++) await spoil();

    assert.equal(calls.length, 1);
  });

  it('of a hook is shared by the callers of one instance, and no other', async () => {
    const { httpFetch } = recordingFetch();
    const create = (): API =>
      new API('http://a.test', { httpFetch, didReceiveResponse: async (response) => ({ when: new Date(0), response }) });
    const api = create();

    const [first, second] = await Promise.all([api.read('x'), api.read('x')]);

    assert.equal(second, first);
    assert.equal(await api.read('x'), first);
    assert.notEqual(await create().read('x'), first);
  });

  it('of a hook that leaves the body unread does not delay the end of the process', async () => {
    const api = new API('http://a.test', { httpFetch: recordingFetch().httpFetch, didReceiveResponse: async ({ status }) => status });
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();

    assert.deepEqual([await api.read('x'), await api.read('x')], [200, 200]);

    assert.equal(timers(), before);
  });

  it('may be nested deeper than the call stack, and have a property called __proto__', async (t) => {
    const body = (deep: number): string => `{"a":{"__proto__":{"admin":true}},"b":${'['.repeat(deep)}${']'.repeat(deep)}}`;
    const { begin, calls } = await startAPI(t, () => ({ headers: { 'content-type': 'application/json' }, body: body(50_000) }));
    const api = begin();

    for (let nth = 0; nth < 3; nth++) {
      const { a, b } = await api.read('x');
      assert.deepEqual([a.admin, Object.keys(a), b.length], [undefined, ['__proto__'], 1]);
    }
    assert.equal(calls.length, 1);
  });
});

describe('a write', () => {
  for (const method of ['create', 'replace', 'change', 'remove'] as const)
    it(`(${method}) clears the entry with its key, whether it succeeds or fails`, async (t) => {
      for (const status of [200, 500]) {
        const api = (await startAPI(t, (call, before) => (call.method === 'GET' ? { body: before } : { status }))).begin();
        await api.read('x');
        await api[method]('x').catch(() => undefined);

        assert.equal(await api.read('x'), 2);
      }
    });

  it('clears the entry of a GET that was sent meanwhile', async (t) => {
    const [arrived, written] = [deferred(), deferred()];
    let state = 'old';
    const { begin } = await startAPI(t, async (call) => {
      if (call.method === 'GET') return { body: state };
      arrived.resolve();
      await written.promise;
      state = 'new';
      return { status: 204 };
    });
    // With `httpFetch` GETs do not wait for writes, because it may make calls.
    const api = begin({ httpFetch: fetch });

    const write = api.create('x');
    await arrived.promise;
    assert.equal(await api.read('x'), 'old');
    written.resolve();
    await write;

    assert.equal(await api.read('x'), 'new');
  });
});

describe('a GET, a write and a GET in one tick', () => {
  for (const [what, path, hook] of [
    ['of the same path', 'a', {}],
    ['of a path that the write invalidates', 'other', {}],
    ['with asynchronous hooks', 'a', { willSendRequest: () => Promise.resolve() }],
  ] as [string, string, OperationSettings][])
    for (const isStored of [true, false])
      it(`${what}, ${isStored ? 'with' : 'without'} a stored response: the second GET is sent after the write`, async (t) => {
        let writes = 0;
        const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
        const { begin } = await startAPI(t, async ({ method }) => {
          if (method === 'POST') {
            // A stored response has been read from the start. The rest of the time is for a second GET that does not wait.
            await isRead;
            await new Promise((resolve) => setTimeout(resolve, 20));
            writes++;
          }
          read();
          return { headers: { 'cache-control': 'max-age=60' }, body: writes };
        }, new OpenStore()); // oxfmt-ignore
        if (isStored) await begin(hook).read(path);
        const api = begin(hook);
        const init = path === 'a' ? {} : { invalidates: [path] };

        const [first, , second] = await Promise.all([api.read(path), api.create('a', {}, init), api.read(path)]);

        assert.deepEqual([first, second], [0, 1]);
        assert.equal(await begin(hook).read(path), 1);
      });

  it('the second GET waits for the write at most for its own timeout', async (t) => {
    const written = deferred();
    t.after(() => written.resolve());
    const api = (await startAPI(t, async ({ method }) => {
      if (method === 'POST') await written.promise;
      return {};
    })).begin(); // oxfmt-ignore
    void api.create('a').catch(() => undefined);

    await assert.rejects(api.read('a', {}, { timeout: 50 }), /GET got no answer within 50 ms/);
  });

  for (const path of ['a', 'other'])
    it(`with httpFetch: the second GET of ${path === 'a' ? 'the same path' : 'a path that the write invalidates'} does not reuse an earlier result`, async (t) => {
      let state = 'before';
      const { begin, calls } = await startAPI(t, ({ method }) => {
        if (method === 'POST') state = 'after';
        return { headers: { 'cache-control': 'public, max-age=60' }, body: { state } };
      });
      const written = deferred();
      const api = begin({
        httpFetch: async (request) => {
          if (request.method === 'GET' && state === 'before' && calls.length > 0) await written.promise;
          const response = await fetch(request);
          if (request.method === 'POST') written.resolve();
          return response;
        },
      });
      await api.read(path);

      const write = api.create('a', {}, { invalidates: [path] });
      const read = api.read(path);

      await write;
      assert.deepEqual(await read, { state: 'after' });
    });

  it('a GET is sent while the hook of a write hangs', async (t) => {
    const willSendRequest = (request: DataSourceRequest): void | Promise<void> =>
      request.method === 'POST' ? new Promise(() => {}) : undefined;
    const api = (await startAPI(t, () => ({ body: 'sent' }))).begin({ willSendRequest });
    void api.create('x');

    assert.equal(await api.read('x', undefined, { timeout: 1000 }), 'sent');
  });
});
