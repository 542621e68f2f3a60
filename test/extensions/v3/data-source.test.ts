import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { HTTPCache, RESTDataSource } from '../../../src/v3/datasource-rest.ts';
import type { CacheOptions, RequestOptions } from '../../../src/v3/datasource-rest.ts';
import { AuthenticationError, ForbiddenError } from '../../../src/v3.ts';

/** A fetch that gives the responses in turn, and what it was asked. */
function recorded(...responses: readonly Response[]): [(request: Request) => Promise<Response>, Request[]] {
  const requests: Request[] = [];
  return [
    async (request) => {
      requests.push(request);
      return responses[Math.min(requests.length, responses.length) - 1]!.clone();
    },
    requests,
  ];
}

function json(value: unknown, headers: Record<string, string> = {}, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });
}

function memory(): Map<string, string> & { get(key: string): any; set(key: string, value: string): any; delete(key: string): any } {
  return new Map() as never;
}

class API extends RESTDataSource {
  override baseURL = 'https://api.example.com/v1';
  lifetime: CacheOptions | undefined;
  call(method: 'get' | 'post' | 'delete', ...args: any[]): Promise<any> {
    return (this[method] as any)(...args);
  }
  override willSendRequest(request: RequestOptions): void {
    if (this.context?.token) request.headers.set('Authorization', this.context.token);
  }
  override cacheOptionsFor(): CacheOptions | undefined {
    return this.lifetime;
  }
}

function source(fetch: (request: Request) => Promise<Response>, { token, cache = memory() }: { token?: string; cache?: any } = {}): API {
  const api = new API(fetch);
  void api.initialize({ context: { token }, cache });
  return api;
}

test('paths and parameters are joined to the base URL', async () => {
  const [fetch, requests] = recorded(json({}));

  await source(fetch).call('get', '/posts', { filter: 'ñ', limit: 10 });

  equal(requests[0]?.url, 'https://api.example.com/v1/posts?filter=%C3%B1&limit=10');
});

test('an object is sent as JSON, and its text can still be read off the request', async () => {
  const [fetch, requests] = recorded(json({}));

  await source(fetch).call('post', 'posts', { a: 1 });

  equal(requests[0]?.headers.get('content-type'), 'application/json');
  equal(String(requests[0]?.body), '{"a":1}');
  deepEqual(await requests[0]?.json(), { a: 1 });
});

test('a path cannot leave the base URL', async () => {
  const [fetch, requests] = recorded(json({}));

  await rejects(source(fetch).call('get', '../admin'));
  await rejects(source(fetch).call('get', 'https://evil.example/'));
  equal(requests.length, 0);
});

test('errors have the texts, classes and extensions of version 3', async () => {
  const failing = (status: number, statusText: string): Promise<unknown> =>
    source(async () => new Response('Oops', { status, statusText })).call('get', 'x');

  await rejects(failing(401, 'Unauthorized'), (error: AuthenticationError) => {
    equal(error.message, '401: Unauthorized');
    deepEqual(error.extensions, { code: 'UNAUTHENTICATED', response: { url: '', status: 401, statusText: 'Unauthorized', body: 'Oops' } });
    return error instanceof AuthenticationError;
  });
  await rejects(failing(403, 'Forbidden'), ForbiddenError);
  await rejects(failing(500, 'Down'), { message: '500: Down' });
});

test('a GET is sent once for an instance, until another method asks for the same', async () => {
  const [fetch, requests] = recorded(json({ n: 1 }));
  const api = source(fetch);

  await Promise.all([api.call('get', 'a'), api.call('get', 'a')]);
  await api.call('delete', 'a');
  await api.call('get', 'a');

  deepEqual(
    requests.map(({ method }) => method),
    ['GET', 'DELETE', 'GET'],
  );
});

test('what one user was answered is not another’s, also with a lifetime of the caller’s own', async () => {
  const [fetch, requests] = recorded(json({ name: 'Ada' }), json({ name: 'Alan' }));
  const cache = memory();
  const read = (token: string): Promise<unknown> => {
    const api = source(fetch, { token, cache });
    api.lifetime = { ttl: 60 };
    return api.call('get', 'me');
  };

  const answers = [await read('ada'), await read('alan'), await read('ada')];

  deepEqual(answers, [{ name: 'Ada' }, { name: 'Alan' }, { name: 'Ada' }]);
  equal(requests.length, 2);
  equal(
    [...cache.keys(), ...cache.values()].some((text) => text.includes('token-ada')),
    false,
  );
});

test('a response that says public is everybody’s', async () => {
  const [fetch, requests] = recorded(json({ n: 1 }, { 'cache-control': 'public, max-age=60' }));
  const cache = memory();

  await source(fetch, { token: 'ada', cache }).call('get', 'a');
  await source(fetch, { token: 'alan', cache }).call('get', 'a');

  equal(requests.length, 1);
});

test('a cached response is answered with its age, and never with the cookie that came with it', async () => {
  const [fetch, requests] = recorded(json({ n: 1 }, { 'cache-control': 'private', 'set-cookie': 'session=ada' }));
  const store = memory();
  const cache = new HTTPCache(store, fetch);
  const ask = (): Promise<Response> => cache.fetch(new Request('https://api.example.com/a'), { cacheOptions: { ttl: 30 } });

  await ask();
  const again = await ask();

  equal(requests.length, 1);
  deepEqual(await again.json(), { n: 1 });
  match(again.headers.get('age') ?? '', /^\d$/);
  equal(again.headers.get('set-cookie'), null);
});

test('an expired response is revalidated by its ETag', async (context) => {
  context.mock.timers.enable({ apis: ['Date'] });
  const [fetch, requests] = recorded(
    json({ n: 1 }, { 'cache-control': 'public, max-age=30', etag: 'v1' }),
    new Response(null, { status: 304, headers: { etag: 'v1' } }),
  );
  const cache = new HTTPCache(memory(), fetch);

  await cache.fetch(new Request('https://api.example.com/a'));
  context.mock.timers.tick(30_000);
  const again = await cache.fetch(new Request('https://api.example.com/a'));

  equal(requests[1]?.headers.get('if-none-match'), 'v1');
  deepEqual([again.status, await again.json()], [200, { n: 1 }]);
});

test('Vary is obeyed, also with a lifetime of the caller’s own', async () => {
  const [fetch, requests] = recorded(json({ n: 1 }, { vary: 'Accept-Language' }));
  const cache = new HTTPCache(memory(), fetch);
  const ask = (language: string): Promise<Response> =>
    cache.fetch(new Request('https://api.example.com/a', { headers: { 'accept-language': language } }), { cacheOptions: { ttl: 30 } });

  await ask('en');
  await ask('fr');

  equal(requests.length, 2);
});
