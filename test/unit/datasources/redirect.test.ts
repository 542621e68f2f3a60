import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { startAPI } from '../../support/datasources/api.ts';
import type { StartedAPI } from '../../support/datasources/api.ts';
import { startOrigin } from '../../support/datasources/origin.ts';
import type { Origin } from '../../support/datasources/origin.ts';

const secrets = { authorization: 'secret', cookie: 'secret', 'x-api-key': 'secret', 'x-user': 'alice' };
const headers = { ...secrets, accept: 'text/plain' };

/** Starts an API that redirects every request to `/there` on a second origin. */
async function redirectAway(t: TestContext, status: number): Promise<StartedAPI & { other: Origin }> {
  const other = await startOrigin(t, () => ({ body: 'there' }));
  const api = await startAPI(t, () => ({ status, headers: { location: `${other.url}/there` } }));
  return { ...api, other };
}

describe('a redirect', () => {
  for (const [status, method, body] of [
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ] as const)
    it(`of ${status} to another origin drops credentials, and makes a POST a ${method}`, async (t) => {
      const { begin, other } = await redirectAway(t, status);

      assert.equal(await begin({ headers }).read('x'), 'there');
      await begin({ headers }).create('x', { a: 1 });

      const [read, written] = other.calls;
      assert.deepEqual([written!.method, written!.body], [method, body]);
      for (const call of [read!, written!]) {
        assert.deepEqual(Object.keys(secrets).filter((name) => name in call.headers), []); // oxfmt-ignore
        assert.equal(call.headers.accept, 'text/plain');
      }
    });

  it('within the origin keeps all header fields', async (t) => {
    const { begin } = await startAPI(t, (call) =>
      call.url === '/x' ? { status: 302, headers: { location: 'y' } } : { body: call.headers['x-api-key'] },
    );

    assert.equal(await begin({ headers }).read('x'), 'secret');
  });

  for (const [location, message, sent] of [
    ['/x', /got no answer: redirected more than 20 times/, 21],
    ['data:text/plain,x', /NetworkError/, 1],
    ['file:///etc/passwd', /NetworkError/, 1],
    ['http://', /NetworkError/, 1],
    ['http://user:secret@a.test/', /redirected to a URL with a user name or password/, 1],
  ] as const)
    it(`to ${location} is an error`, async (t) => {
      const { begin, calls } = await startAPI(t, () => ({ status: 302, headers: { location } }));

      await assert.rejects(begin({ headers }).read('x'), message);
      assert.equal(calls.length, sent);
    });

  it('that would send a stream twice is an error', async (t) => {
    const { begin } = await redirectAway(t, 307);

    await assert.rejects(begin({ headers }).create('x', new Blob(['a']).stream()), /a stream cannot be sent twice/);
  });

  it('is left to the caller with redirect: "manual"', async (t) => {
    const { begin, other } = await redirectAway(t, 302);

    await assert.rejects(begin({ headers }).read('x', undefined, { redirect: 'manual' }), /302: Found/);
    assert.equal(other.calls.length, 0);
  });
});
