import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import type { DataSourceRequest } from '../../src/datasources/request.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a hook that makes a call of its own', () => {
  for (const path of ['token', 'x', 'other']) {
    it(`willSendRequest of a write, after a wait, with a GET of ${path}`, { timeout: 1000 }, async (t) => {
      const origin = await startOrigin(t, (call) => ({ body: `${call.method} ${call.headers['x-csrf-token']}` }));
      class Guarded extends API {
        protected override async willSendRequest(request: DataSourceRequest): Promise<void> {
          await turn();
          if (request.method !== 'GET') request.headers.set('x-csrf-token', (await this.get<string>(path)).slice(0, 3));
        }
      }

      assert.equal(await new Guarded(origin.url).create('x', {}, { invalidates: ['other'] }), 'POST GET');
    });
  }

  it('resolveURL of a write, after a wait, with a GET', { timeout: 1000 }, async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.method === 'GET' ? 'v2/' : call.url }));
    class Discovered extends API {
      protected override async resolveURL(request: DataSourceRequest): Promise<URL> {
        await turn();
        const base = request.method === 'GET' ? '' : await this.get<string>('discovery');
        return new URL(base + request.path, `${origin.url}/`);
      }
    }

    assert.equal(await new Discovered(origin.url).create('x'), '/v2/x');
  });

  it('didReceiveResponse of a write with a GET of the same key', { timeout: 1000 }, async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.method }));
    class Reading extends API {
      protected override async didReceiveResponse<T>(response: Response, request: DataSourceRequest): Promise<T> {
        return request.method === 'GET' ? super.didReceiveResponse(response, request) : this.get('x');
      }
    }

    assert.equal(await new Reading(origin.url).create('x'), 'GET');
  });

  it('a body of a write that is read from a GET of the same key', { timeout: 1000 }, async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: call.method + call.body }));
    const api = new API(origin.url);
    const body = (async function* () {
      yield await api.read('x');
    })();

    assert.equal(await api.create('x', body), 'POSTGET');
  });

  it('httpFetch of a write with a GET of the same key', { timeout: 1000 }, async (t) => {
    const origin = await startOrigin(t, (call) => ({ body: `${call.method} ${call.headers['if-match']}` }));
    const api: API = new API(origin.url, {
      httpFetch: async (request) => {
        if (request.method !== 'GET') request.headers.set('if-match', (await api.read('x')).slice(0, 3));
        return fetch(request);
      },
    });

    assert.equal(await api.create('x'), 'POST GET');
  });

  const hooks = ['didReceiveResponse', 'parseBody', 'errorFromResponse', 'didEncounterError', 'cacheOptionsFor'] as const;
  for (const hook of hooks) {
    for (const callers of [1, 2]) {
      it(`${hook} with the same GET, of ${callers} callers`, { timeout: 1000 }, async (t) => {
        let loggedIn = false;
        const status = ['errorFromResponse', 'didEncounterError'].includes(hook) ? 401 : 200;
        const origin = await startOrigin(t, () => (loggedIn ? { body: 'books' } : { status, body: 'log in' }));
        let again: string | undefined;
        class Renewing extends API {}
        Object.defineProperty(Renewing.prototype, hook, {
          async value(this: Renewing, ...args: unknown[]) {
            await turn();
            if (!loggedIn) {
              loggedIn = true;
              again = await this.read('x');
            }
            return Reflect.apply(API.prototype[hook as keyof API] as never, this, args) as unknown;
          },
        });
        const api = new Renewing(origin.url);
        // cacheOptionsFor is called for a cache only.
        void api.initialize({ context: {}, cache: new InMemoryLRUCache() });

        await Promise.allSettled(Array.from({ length: callers }, () => api.read('x')));

        assert.equal(again, 'books');
        assert.equal(await api.read('x'), 'books');
      });
    }
  }
});

it('an asynchronous hook that rejects, and a path in invalidates that throws, are one error', async () => {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  class Failing extends API {
    protected override willSendRequest({ method }: DataSourceRequest): void | Promise<void> {
      return method === 'GET' ? undefined : Promise.reject(new Error('no token'));
    }
  }

  await assert.rejects(new Failing('http://a.test/').create('x', {}, { invalidates: ['../y'] }), /no token/);

  await turn();
  process.off('unhandledRejection', listen);
  assert.deepEqual(unhandled, []);
});
