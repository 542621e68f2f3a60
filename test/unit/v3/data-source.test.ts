import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { HTTPCache, RESTDataSource } from '../../../src/entries/v3/datasource-rest.ts';
import type { CacheOptions, RequestOptions } from '../../../src/entries/v3/datasource-rest.ts';
import { AuthenticationError, ForbiddenError } from '../../../src/entries/v3.ts';

/** Creates a fetch that returns the responses in order, and records its requests. */
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

function source(
  httpFetch: ((request: Request) => Promise<Response>) | undefined,
  { token, cache = memory() }: { token?: string; cache?: any } = {},
): API {
  const api = new API(httpFetch);
  void api.initialize({ context: { token }, cache });
  return api;
}

test('an object is sent as JSON, and its text can be read from the request', async () => {
  const [fetch, requests] = recorded(json({}));

  await source(fetch).call('post', 'posts', { a: 1 });

  equal(requests[0]?.headers.get('content-type'), 'application/json');
  equal(String(requests[0]?.body), '{"a":1}');
  deepEqual(await requests[0]?.json(), { a: 1 });
});

test('the text of a body can also be read if the call has credentials', async () => {
  const [fetch, requests] = recorded(json({}));

  await source(fetch, { token: 'ada' }).call('post', 'posts', { a: 1 });

  equal(String(requests[0]?.body), '{"a":1}');
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

test('a GET is sent once per instance, until another method is called for the same URL', async () => {
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

test('a response for one user is not returned to another, even with a lifetime set by the caller', async (context) => {
  const [fetch, requests] = recorded(json({ name: 'Ada' }), json({ name: 'Alan' }));
  context.mock.method(globalThis, 'fetch', fetch);
  const cache = memory();
  const read = (token: string): Promise<unknown> => {
    const api = source(undefined, { token, cache });
    api.lifetime = { ttl: 60 };
    return api.call('get', 'me');
  };

  const answers = [await read('ada'), await read('alan'), await read('ada')];

  deepEqual(answers, [{ name: 'Ada' }, { name: 'Alan' }, { name: 'Ada' }]);
  equal(requests.length, 2);
  const found = [...cache.keys(), ...cache.values()].some((text) => text.includes('token-ada'));
  equal(found, false);
});

test('a cached response has an Age, and never the cookie sent with it', async (context) => {
  const [fetch, requests] = recorded(json({ n: 1 }, { 'cache-control': 'private', 'set-cookie': 'session=ada' }));
  context.mock.method(globalThis, 'fetch', fetch);
  const cache = new HTTPCache(memory());
  const ask = (): Promise<Response> => cache.fetch(new Request('https://api.example.com/a'), { cacheOptions: { ttl: 30 } });

  await ask();
  const again = await ask();

  equal(requests.length, 1);
  deepEqual(await again.json(), { n: 1 });
  match(again.headers.get('age') ?? '', /^\d$/);
  equal(again.headers.get('set-cookie'), null);
});

test('a call of another method is always sent, and drops the stored GET response of this user and of all users', async (context) => {
  const [fetch, requests] = recorded(json({ n: 1 }), json({ n: 2 }, { 'cache-control': 'public' }), json({ n: 3 }));
  context.mock.method(globalThis, 'fetch', fetch);
  const cache = memory();
  const call = (method: 'get' | 'post'): Promise<unknown> => {
    const api = source(undefined, { token: 'ada', cache });
    api.lifetime = { ttl: 60 };
    return api.call(method, 'a');
  };

  const answers = [await call('get'), await call('post'), await call('get'), await call('get'), await call('post'), await call('get')];

  deepEqual(answers, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 3 }, { n: 3 }, { n: 3 }]);
  equal(requests.length, 5);
});

test('a store that fails counts as empty', async () => {
  const [fetch] = recorded(json({ n: 1 }));
  const failing = (): Promise<never> => Promise.reject(new Error('The store is down'));
  const api = source(fetch, { cache: { get: failing, set: failing, delete: failing } });
  api.lifetime = { ttl: 60 };

  deepEqual(await api.call('get', 'a'), { n: 1 });
});

for (const [whose, control, tokens] of [
  ['one user', 'max-age=10', ['ada', 'ada']],
  ['everybody', 'public, max-age=10', ['ada', 'alan']],
] as const) {
  test(`a response for ${whose} is stored once, and revalidated with its ETag`, async (context) => {
    context.mock.timers.enable({ apis: ['Date'] });
    const [fetch, requests] = recorded(
      json({ n: 1 }, { 'cache-control': control, etag: 'v1' }),
      new Response(null, { status: 304, headers: { etag: 'v1' } }),
    );
    context.mock.method(globalThis, 'fetch', fetch);
    const cache = memory();

    await source(undefined, { token: tokens[0], cache }).call('get', 'a');
    context.mock.timers.tick(11_000);
    const again = await source(undefined, { token: tokens[1], cache }).call('get', 'a');

    equal(cache.size, 1);
    equal(requests[1]?.headers.get('if-none-match'), 'v1');
    deepEqual(again, { n: 1 });
  });
}

test('a HEAD drops nothing, and a request that does not follow redirects bypasses the cache', async () => {
  const [fetch, requests] = recorded(json({ n: 1 }, { 'cache-control': 'public, max-age=60' }));
  const cache = new HTTPCache(memory(), fetch);
  const send = (init: RequestInit): Promise<Response> => cache.fetch(new Request('https://api.example.com/a', init));

  for (const init of [{}, { method: 'HEAD' }, {}, { redirect: 'manual' }, {}] as const) await send(init);

  const found = requests.map(({ method, redirect }) => `${method} ${redirect}`);
  deepEqual(found, ['GET follow', 'HEAD follow', 'GET manual']);
});

test('a call ends with its signal, even if httpFetch ignores it', async () => {
  const cache = new HTTPCache(memory(), () => new Promise(() => {}));
  const controller = new AbortController();

  const call = cache.fetch(new Request('https://api.example.com/a', { signal: controller.signal }));
  controller.abort(new Error('The client has left'));

  await rejects(call, { message: 'The client has left' });
});

test('the operation waits for the store', async () => {
  const [fetch] = recorded(json({ n: 1 }, { 'cache-control': 'public, max-age=60' }));
  const work: Promise<unknown>[] = [];
  const operation = { signal: new AbortController().signal, waitUntil: (one: Promise<unknown>) => void work.push(one) };
  const stored: string[] = [];
  const store = { get: async () => undefined, set: async (key: string) => void stored.push(key), delete: async () => true };
  const api = new API(fetch);
  void api.initialize({ context: {}, cache: store as never, operation });

  await api.call('get', 'a');
  equal(work.length, 1);
  await Promise.all(work);

  deepEqual(stored, ['httpcache:https://api.example.com/v1/a']);
});
