import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import { API } from '../api.ts';

/** Returns the results for alice and then bob, from responses with the given Cache-Control. */
async function askTwice(control: string): Promise<string[]> {
  const cache = new InMemoryLRUCache();
  const httpFetch = async ({ headers }: Request): Promise<Response> =>
    headers.has('if-none-match')
      ? new Response(null, { status: 304 })
      : new Response(headers.get('authorization'), { headers: { 'cache-control': control, etag: '"1"' } });
  const ask = async (authorization: string): Promise<string> => {
    const api = new API('http://a.test', { httpFetch });
    api.cacheIdentity = '';
    void api.initialize({ context: { headers: { authorization } }, cache });
    return api.read('me');
  };
  return [await ask('alice'), await ask('bob')];
}

describe('a malformed Cache-Control', () => {
  for (const control of [
    'public, max-age=60, private=',
    'public, max-age=60, private=""',
    'public, max-age=60, private=" authorization"',
    'public, max-age=60, "private"',
    'public, max-age=60, private\u0085',
    'public, max-age=60, private:',
    'public, max-age=60, [private]',
    'public, community="x, private, of="me"',
    'public, max-age=60, community="x, private',
    "public, max-age=60, 'private'",
    "public, max-age=60, 'no-store'",
    'public, max-age=60, no-store:',
    'public=false, max-age=60',
    'public="", max-age=60',
    's-maxage, max-age=60',
    's-maxage=, max-age=60',
    's-maxage=soon, max-age=60',
    's-maxage=-1, max-age=60',
    'max-age=60, s-maxage=6e1',
  ]) {
    it(`is read as the more restrictive directive: ${JSON.stringify(control)}`, async () => {
      assert.deepEqual(await askTwice(control), ['alice', 'bob']);
    });
  }

  for (const control of [
    'PUBLIC,max-age=60',
    'public;max-age=60',
    'max-age="60" , Public',
    's-maxage="60"',
    'x-private=1, not-private, public, max-age=60',
  ]) {
    it(`allows sharing if it can only mean public: ${control}`, async () => {
      assert.deepEqual(await askTwice(control), ['alice', 'alice']);
    });
  }
});
