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
    await api.read('x');

    assert.equal(calls.length, 3);
  });

  it('have the same cache key', async (t) => {
    const { begin } = await startAPI(t, (call) => ({ body: call.url }));
    const api = begin({ cacheKeyFor: (request) => new URL(request.url).pathname });

    assert.deepEqual([await api.read('x', { trace: 1 }), await api.read('x', { trace: 2 })], ['/x?trace=1', '/x?trace=1']);
  });

  it('have the same header fields, except those for tracing; another response replaces the first', async (t) => {
    const { begin, calls } = await startAPI(t, ({ headers }) => ({ body: `${headers['accept-language']} ${headers.authorization}` }));
    const api = begin();
    let id = 0;
    const readAs = (authorization: string, language: string): Promise<string> =>
      api.read('x', {}, { headers: { authorization, 'accept-language': language, 'x-request-id': `${++id}`, traceparent: `${id}` } });

    const results = [];
    for (const [user, language] of [
      ['alice', 'de'],
      ['bob', 'de'],
      ['bob', 'fr'],
      ['bob', 'fr'],
      ['alice', 'de'],
    ])
      // oxfmt-ignore
      results.push(await readAs(user!, language!));

    assert.deepEqual(results, ['de alice', 'de bob', 'fr bob', 'fr bob', 'de alice']);
    assert.equal(calls.length, 4);
  });

  for (const [what, settings] of [
    ['with other properties on the request', { willSendRequest: (request) => void Object.assign(request, { startedAt: Math.random() }) }],
    ['whose objects are the same, although they are set by a hook', { willSendRequest: (request) => void Object.assign(request, { dispatcher: console }) }], // oxfmt-ignore
  ] as [string, OperationSettings][])
    it(`are sent once ${what}`, async (t) => {
      t.mock.method(globalThis, 'fetch', async () => Response.json(1));
      const api = new API('http://a.test', settings);

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

  for (const [what, failure] of [
    ['an error response', { status: 500 }],
    ['a network failure', 'hang up'],
  ] as [string, Reply][])
    it(`are sent again after ${what}`, async (t) => {
      const api = (await startAPI(t, (_call, before) => (before === 0 ? failure : { body: 'fine' }))).begin();

      await assert.rejects(api.read('x'));

      assert.equal(await api.read('x'), 'fine');
    });
});

describe('a memoized result', () => {
  const startWith = (t: Parameters<typeof startAPI>[0], body: string) =>
    startAPI(t, () => ({ headers: { 'content-type': 'application/json' }, body }));

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
    await spoil();
    await spoil();

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

  it('may be nested deeper than the call stack', async (t) => {
    const { begin, calls } = await startWith(t, '['.repeat(50_000) + ']'.repeat(50_000));
    const api = begin();

    const results = [await api.read('x'), await api.read('x')];

    assert.ok(Array.isArray(results[1]));
    assert.equal(calls.length, 1);
  });

  it('may have a property called __proto__', async (t) => {
    const api = (await startWith(t, '{"a":{"__proto__":{"admin":true}}}')).begin();

    for (let nth = 0; nth < 3; nth++) {
      const { a } = await api.read('x');
      assert.equal(a.admin, undefined);
      assert.deepEqual(Object.keys(a), ['__proto__']);
    }
  });
});

describe('a write', () => {
  for (const method of ['create', 'replace', 'change', 'remove'] as const)
    for (const [what, reply] of [
      ['succeeds', {}],
      ['fails', { status: 500 }],
    ] as [string, Reply][])
      // oxfmt-ignore
      it(`(${method}) that ${what} clears the entry with its key`, async (t) => {
        const api = (await startAPI(t, (call, before) => (call.method === 'GET' ? { body: before } : reply))).begin();
        await api.read('x');

        await api[method]('x').catch(() => undefined); // oxfmt-ignore

        assert.equal(await api.read('x'), 2);
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
        const { begin } = await startAPI(t, async ({ method }) => {
          if (method === 'POST') {
            await new Promise((resolve) => setTimeout(resolve, 20));
            writes++;
          }
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
