import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { API, Operations } from './api.ts';
import { startOrigin } from './origin.ts';

/** Creates a data source whose hook changes each request, as hooks for other versions of the library do. */
function createAPI(url: string, change: (request: DataSourceRequest) => void): API {
  class Changing extends API {
    protected override willSendRequest(request: DataSourceRequest): void {
      change(request);
    }
  }
  return new Changing(url);
}

describe('a hook written for another version of the library', () => {
  it('can set fetch options on the request', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 302, headers: { location: '/y' } }));
    const api = createAPI(origin.url, (request) => {
      request.redirect = 'manual';
    });

    await assert.rejects(api.read('x'), /302/);
    assert.equal(origin.calls.length, 1);
  });

  it('whose fetch options distinguish requests as those of the call do', async (t) => {
    t.mock.method(globalThis, 'fetch', async (_url: unknown, init: unknown) =>
      Response.json((init as { dispatcher: string[] }).dispatcher, { headers: { 'cache-control': 'max-age=60' } }),
    );
    const { cache } = new Operations('http://a.test');
    const ask = (user: string): Promise<unknown> => {
      const api = createAPI('http://a.test', (request) => Object.assign(request, { dispatcher: [user] }));
      void api.initialize({ context: {}, cache });
      return api.read('me');
    };

    assert.deepEqual(await Promise.all([ask('alice'), ask('bob')]), [['alice'], ['bob']]);
    assert.deepEqual([await ask('bob'), await ask('alice')], [['bob'], ['alice']]);
  });

  it('can set other properties on the request without affecting memoization', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 'hello' }));
    let calls = 0;
    const api = createAPI(origin.url, (request) => Object.assign(request, { startedAt: ++calls }));

    await Promise.all([api.read('x'), api.read('x')]);

    assert.equal(origin.calls.length, 1);
  });

  it('gets an error when it assigns a header field, which would not be sent', async (t) => {
    const origin = await startOrigin(t, () => ({}));
    const api = createAPI(origin.url, (request) => Object.assign(request.headers, { authorization: 'secret' }));

    await assert.rejects(api.read('x'), {
      name: 'TypeError',
      message: /"authorization" was assigned to request\.headers.*request\.headers\.set\('authorization'/,
    });
    assert.equal(origin.calls.length, 0);
  });
});

describe('a data source created before a test mocks the clock', () => {
  it('uses the mocked clock', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({ headers: { 'cache-control': 'max-age=60' }, body: `${before}` }));
    const { cache } = new Operations(origin.url);
    const sources = Array.from({ length: 2 }, () => {
      const api = new API(origin.url);
      void api.initialize({ context: {}, cache });
      return api;
    });
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });

    await sources[0]!.read('x');
    t.mock.timers.tick(61_000);

    assert.equal(await sources[1]!.read('x'), '1');
  });
});
