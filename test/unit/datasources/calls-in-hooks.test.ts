import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { unhandledRejections } from '../../support/unhandled-rejections.ts';
import { API, startAPI } from '../../support/datasources/api.ts';
import type { OperationSettings } from '../../support/datasources/api.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a write does not wait for a call that waits for it', () => {
  for (const path of ['token', 'x', 'other'])
    it(`its willSendRequest, after a wait, gets ${path}`, { timeout: 1000 }, async (t) => {
      const { begin } = await startAPI(t, (call) => ({ body: `${call.method} ${call.headers['x-csrf-token']}` }));
      const api = begin({
        async willSendRequest(request) {
          await turn();
          if (request.method !== 'GET') request.headers.set('x-csrf-token', (await this.read(path)).slice(0, 3));
        },
      });

      assert.equal(await api.create('x', {}, { invalidates: ['other'] }), 'POST GET');
    });

  it('its resolveURL, after a wait, gets the URL', { timeout: 1000 }, async (t) => {
    const { begin, url } = await startAPI(t, (call) => ({ body: call.method === 'GET' ? 'v2/' : call.url }));
    const api = begin({
      async resolveURL(request) {
        await turn();
        const base = request.method === 'GET' ? '' : await this.read('discovery');
        return new URL(base + request.path, `${url}/`);
      },
    });

    assert.equal(await api.create('x'), '/v2/x');
  });

  let api: API;
  for (const [what, settings] of [
    ['its didReceiveResponse', { didReceiveResponse: (response, { method }) => (method === 'GET' ? response.text() : api.read('x')) }],
    ['its httpFetch', { httpFetch: async (request) => (request.method === 'GET' ? fetch(request) : new Response(await api.read('x'))) }],
    ['its body', {}],
  ] as [string, OperationSettings][])
    it(`${what} gets the same key`, { timeout: 1000 }, async (t) => {
      api = (await startAPI(t, (call) => ({ body: call.method === 'GET' ? 'read' : call.body }))).begin(settings);
      const body = (async function* () {
        yield what === 'its body' ? await api.read('x') : 'written';
      })();

      assert.equal(await api.create('x', body), 'read');
    });
});

describe('a GET does not wait for the same GET, which its hook makes again after a login', () => {
  for (const hook of ['didReceiveResponse', 'parseBody', 'errorFromResponse', 'didEncounterError', 'cacheOptionsFor'] as const)
    for (const callers of [1, 2])
      it(`${hook}, with ${callers} callers`, { timeout: 1000 }, async (t) => {
        let isLoggedIn = false;
        const status = ['errorFromResponse', 'didEncounterError'].includes(hook) ? 401 : 200;
        const { begin } = await startAPI(t, () => (isLoggedIn ? { body: 'books' } : { status, body: 'log in' }));
        let again: string | undefined;
        const api = begin({
          async [hook](this: API, ...args: unknown[]) {
            await turn();
            if (!isLoggedIn) {
              isLoggedIn = true;
              again = await this.read('x');
            }
            return Reflect.apply(API.prototype[hook as keyof API] as never, this, args) as unknown;
          },
        } as OperationSettings);

        await Promise.allSettled(Array.from({ length: callers }, () => api.read('x')));

        assert.equal(again, 'books');
        assert.equal(await api.read('x'), 'books');
      });
});

describe('a GET does not wait for the same GET, which its httpFetch makes', () => {
  for (const [what, path] of [
    ['itself', 'session'],
    ['through another GET', 'other'],
  ] as const)
    it(`${what}, and others share it meanwhile`, { timeout: 1000 }, async (t) => {
      const { begin, calls } = await startAPI(t, ({ url }) => ({ body: url }));
      let rounds = 0;
      const api: API = begin({
        httpFetch: async (request) => {
          await turn();
          if (rounds++ < 3) await api.read(new URL(request.url).pathname === '/session' ? path : 'session');
          return fetch(request);
        },
      });

      assert.deepEqual(await Promise.all([api.read('session'), api.read('session')]), ['/session', '/session']);
      assert.equal(calls.length, 4);
    });
});

it('an asynchronous hook that rejects, and a path in invalidates that throws, are one error', async () => {
  const api = new API('http://a.test/', {
    willSendRequest: ({ method }) => (method === 'GET' ? undefined : Promise.reject(new Error('no token'))),
  });

  const unhandled = await unhandledRejections(() => assert.rejects(api.create('x', {}, { invalidates: ['../y'] }), /no token/));

  assert.equal(unhandled, 0);
});
