import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';
import type { Origin } from './origin.ts';

/** Creates a data source whose operation sends these header fields. */
function createAPI(origin: Origin, headers: Record<string, string>): API {
  const api = new API(origin.url);
  void api.initialize({ context: { headers }, cache: new InMemoryLRUCache() });
  return api;
}

/** Starts an origin that redirects every request to `/there` on a second origin, which responds with the request that it received. */
async function redirectAway(t: TestContext, status: number): Promise<{ origin: Origin; other: Origin }> {
  const other = await startOrigin(t, () => ({ body: 'there' }));
  const origin = await startOrigin(t, () => ({ status, headers: { location: `${other.url}/there` } }));
  return { origin, other };
}

const secrets = { authorization: 'secret', cookie: 'secret', 'x-api-key': 'secret', 'x-user': 'alice' };

describe('a redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it(`of ${status} to another origin drops credentials`, async (t) => {
      const { origin, other } = await redirectAway(t, status);

      assert.equal(await createAPI(origin, { ...secrets, accept: 'text/plain' }).read('x'), 'there');

      const { headers } = other.calls[0]!;
      assert.deepEqual(
        [headers['authorization'], headers['cookie'], headers['x-api-key'], headers['x-user'], headers['accept']],
        [undefined, undefined, undefined, undefined, 'text/plain'],
      );
    });
  }

  it('within the origin keeps all header fields', async (t) => {
    const origin = await startOrigin(t, (call) =>
      call.url === '/x' ? { status: 302, headers: { location: 'y' } } : { body: call.headers['x-api-key'] },
    );

    assert.equal(await createAPI(origin, secrets).read('x'), 'secret');
  });

  for (const [status, method, body] of [
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ] as const) {
    it(`of ${status} makes a POST a ${method}`, async (t) => {
      const { origin, other } = await redirectAway(t, status);

      await createAPI(origin, secrets).create('x', { a: 1 });

      assert.deepEqual(
        other.calls.map((call) => [call.method, call.body, call.headers['x-api-key']]),
        [[method, body, undefined]],
      );
    });
  }

  it('loop is an error', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 302, headers: { location: '/x' } }));

    await assert.rejects(createAPI(origin, secrets).read('x'), /got no answer: redirected more than 20 times/);
    assert.equal(origin.calls.length, 21);
  });

  for (const location of ['data:text/plain,x', 'file:///etc/passwd', 'http://']) {
    it(`to ${location} is an error`, async (t) => {
      const origin = await startOrigin(t, () => ({ status: 302, headers: { location } }));

      await assert.rejects(createAPI(origin, secrets).read('x'), { name: 'NetworkError' });
    });
  }

  it('that would send a stream twice is an error', async (t) => {
    const { origin } = await redirectAway(t, 307);

    await assert.rejects(createAPI(origin, secrets).create('x', new Blob(['a']).stream()), /a stream cannot be sent twice/);
  });

  it('is left to the caller with redirect: "manual"', async (t) => {
    const { origin, other } = await redirectAway(t, 302);

    await assert.rejects(createAPI(origin, secrets).read('x', undefined, { redirect: 'manual' }), /302: Found/);
    assert.equal(other.calls.length, 0);
  });
});
