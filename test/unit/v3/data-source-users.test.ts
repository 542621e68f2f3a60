import { deepEqual, doesNotMatch, equal } from 'node:assert/strict';
import { mock, test } from 'node:test';

import { RESTDataSource } from '../../../src/entries/v3/datasource-rest.ts';
import type { CacheOptions, RequestOptions } from '../../../src/entries/v3/datasource-rest.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';

/** A data source of version 3 for one user. Its responses are text. */
class API extends RESTDataSource {
  override baseURL = 'https://api.example.com/';
  lifetime: CacheOptions | undefined;
  me(): Promise<string> {
    return this.get('me');
  }
  override willSendRequest(request: RequestOptions): void {
    request.headers.set('Authorization', this.context.token);
  }
  override cacheOptionsFor(): CacheOptions | undefined {
    return this.lifetime;
  }
}

interface Told {
  readonly headers: Record<string, string>;
  /** Properties of the response other than its header fields. */
  readonly about?: Partial<Response>;
  readonly ttl?: number;
}

/** Returns the response to each user in turn, and the content of their shared store. */
async function tell(users: readonly string[], { headers, about = {}, ttl }: Told): Promise<{ told: string[]; stored: string }> {
  const cache = new Map<string, string>();
  const fetchAsOrigin = async (request: Request): Promise<Response> => {
    const user = request.headers.get('authorization')!;
    const isKnown = headers['etag'] !== undefined && request.headers.get('if-none-match') === `"${user}"`;
    const all = headers['etag'] === undefined ? headers : { ...headers, etag: `"${user}"` };
    const response = new Response(isKnown ? null : `for ${user}`, { status: isKnown ? 304 : 200, headers: all });
    return Object.defineProperties(response, Object.getOwnPropertyDescriptors(about));
  };
  const told: string[] = [];
  mock.method(globalThis, 'fetch', fetchAsOrigin);
  for (const user of users) {
    const api = new API();
    api.lifetime = ttl === undefined ? undefined : { ttl };
    void api.initialize({ context: { token: user }, cache: cache as never });
    told.push(await api.me());
  }
  mock.restoreAll();
  return { told, stored: JSON.stringify([...cache]) };
}

for (const [what, about] of [
  ['says that it was redirected', { redirected: true }],
  ['has another URL', { url: 'https://api.example.com/users/1' }],
] as const) {
  for (const ttl of [undefined, 60]) {
    test(`a public response that ${what} is stored for at most one user (${ttl ?? 'no'} ttl)`, async () => {
      const { told } = await tell(['alice', 'bob'], { headers: { 'cache-control': 'public, max-age=60' }, about, ...(ttl && { ttl }) });

      deepEqual(told, ['for alice', 'for bob']);
    });
  }
}

for (const control of [
  'public, private',
  'max-age=60, community="public"',
  'x-public',
  'public=false',
  "'private', public",
  's-maxage=soon',
]) {
  test(`a response with ${control} is for one user only, even with a lifetime set by the caller`, async () => {
    const { told } = await tell(['alice', 'bob'], { headers: { 'cache-control': control }, ttl: 60 });

    deepEqual(told, ['for alice', 'for bob']);
  });
}

test('no token is in the store, and Vary and revalidation still work', async () => {
  const headers = { 'cache-control': 'max-age=0, s-maxage=0, must-revalidate', vary: 'authorization, accept', etag: 'of the user' };
  const { told, stored } = await tell(['alice', 'alice', 'bob', 'alice'], { headers, ttl: 60 });

  deepEqual(told, ['for alice', 'for alice', 'for bob', 'for alice']);
  doesNotMatch(stored.replaceAll(/for (?:alice|bob)|\\*"etag\\*":\\*"\\*"(?:alice|bob)/g, ''), /alice|bob/);
  equal(stored.includes('for alice') || stored.includes('for bob'), true);
});

for (const status of [301, 302, 303, 307, 308]) {
  for (const method of ['get', 'post'] as const) {
    test(`a ${method} that is redirected (${status}) to another origin drops credentials`, async () => {
      const asked: { url: string; key: string | null; type: string | null }[] = [];
      class Keyed extends RESTDataSource {
        override baseURL = 'https://api.example.com/';
        ask(): Promise<unknown> {
          const init = { headers: { 'x-api-key': 'secret', accept: 'text/plain' } };
          return method === 'get' ? this.get('me', undefined, init) : this.post('me', { a: 1 }, init);
        }
      }
      const api = new Keyed(async (request: Request) => {
        asked.push({ url: request.url, key: request.headers.get('x-api-key'), type: request.headers.get('accept') });
        if (new URL(request.url).pathname === '/me') return new Response(null, { status, headers: { location: '/you' } });
        if (new URL(request.url).pathname === '/you')
          return new Response(null, { status, headers: { location: 'https://other.example/' } });
        return new Response(`for ${request.method} ${await request.text()}`);
      });
      void api.initialize({ context: {}, cache: new Map<string, string>() as never });

      const result = await api.ask();

      const repeats = method === 'post' && status >= 307;
      equal(result, repeats ? 'for POST {"a":1}' : 'for GET ');
      deepEqual(asked, [
        { url: 'https://api.example.com/me', key: 'secret', type: 'text/plain' },
        { url: 'https://api.example.com/you', key: 'secret', type: 'text/plain' },
        { url: 'https://other.example/', key: null, type: 'text/plain' },
      ]);
    });
  }
}

test('a public response after a redirect that kept credentials is stored for at most one user', async (context) => {
  context.mock.method(globalThis, 'fetch', async ({ url, headers }: Request) =>
    url.endsWith('/me')
      ? new Response(null, { status: 302, headers: { location: '/users' } })
      : new Response(`for ${headers.get('x-api-key')}`, { headers: { 'cache-control': 'public, max-age=60' } }),
  );
  const cache = new Map<string, string>();
  const askAs = async (user: string): Promise<unknown> => {
    class Keyed extends RESTDataSource {
      override baseURL = 'https://api.example.com/';
      me(): Promise<unknown> {
        return this.get('me', undefined, { headers: { 'x-api-key': user } });
      }
    }
    const api = new Keyed();
    void api.initialize({ context: {}, cache: cache as never });
    return api.me();
  };

  const told = [await askAs('alice'), await askAs('bob')];

  deepEqual(told, ['for alice', 'for bob']);
});

/** Returns the response to each user in turn. `httpFetch` adds the token to its request, where the data source cannot see it. */
async function tellByFetch(
  users: readonly string[],
  fields: readonly Record<string, string>[],
  how: 'sets' | 'copies' = 'sets',
): Promise<string[]> {
  const cache = new Map<string, string>();
  class Tenant extends RESTDataSource {
    override baseURL = 'https://api.example.com/';
    me(): Promise<string> {
      return this.get('me');
    }
    override willSendRequest(request: RequestOptions): void {
      if (this.context.tenant !== undefined) request.headers.set('x-tenant', this.context.tenant);
    }
  }
  const told: string[] = [];
  for (const [at, user] of users.entries()) {
    const api = new Tenant(async (request) => {
      const sent = how === 'sets' ? request : new Request(request);
      sent.headers.set('authorization', user);
      return new Response(`for ${sent.headers.get('authorization')}`, { headers: { 'cache-control': 'max-age=60', ...fields[at] } });
    });
    void api.initialize({ context: { tenant: 'one' }, cache: cache as never });
    told.push(await api.me());
  }
  return told;
}

for (const how of ['sets', 'copies'] as const) {
  for (const fields of [{}, { 'cache-control': 'private, max-age=60' }, { vary: 'authorization', 'cache-control': 's-maxage=60' }]) {
    test(`users whose header fields httpFetch ${how} do not share a response with ${JSON.stringify(fields)}`, async () => {
      deepEqual(await tellByFetch(['alice', 'alice', 'bob'], [fields, fields, fields], how), ['for alice', 'for alice', 'for bob']);
    });
  }
}

test('a response that varies by fields that httpFetch can add is not returned to another user', async () => {
  const cache = new Map<string, string>();
  const readAs = async (user: string): Promise<unknown> => {
    class Hidden extends RESTDataSource {
      override baseURL = 'https://api.example.com/';
      me(): Promise<unknown> {
        return this.get('me');
      }
    }
    const headers = { 'cache-control': 'public, max-age=60', vary: 'authorization' };
    const api = new Hidden(async () => new Response(`for ${user}`, { headers }));
    void api.initialize({ context: {}, cache: cache as never });
    return api.me();
  };

  deepEqual([await readAs('alice'), await readAs('bob')], ['for alice', 'for bob']);
});

test('a response that is no longer public is not returned to another user', async () => {
  const fields = [{ 'cache-control': 'public, max-age=0', etag: '"1"' }, { etag: '"2"' }, { etag: '"2"' }];

  deepEqual(await tellByFetch(['alice', 'alice', 'bob'], fields), ['for alice', 'for alice', 'for bob']);
});

test('a data source reused for a second operation has no results of the first, and the server warns once', async () => {
  const warnings: string[] = [];
  const api = new API(async (request) => new Response(`for ${request.headers.get('authorization')}`));
  const server = new ApolloServer({
    typeDefs: 'type Query { me: String }',
    resolvers: { Query: { me: (_parent: unknown, _args: unknown, { dataSources }: any) => dataSources.api.me() } },
    context: (token: string) => ({ token }),
    dataSources: () => ({ api }),
    logger: { debug() {}, info() {}, warn: (message: string) => warnings.push(message), error() {} },
    cache: 'bounded',
  } as never);

  const told: unknown[] = [];
  for (const user of ['alice', 'bob', 'alice']) told.push((await server.executeOperation({ query: '{ me }' }, user as never)).data?.['me']);

  deepEqual(told, ['for alice', 'for bob', 'for alice']);
  equal(warnings.filter((message) => message.includes('"api" was used in an earlier operation')).length, 1);
});
