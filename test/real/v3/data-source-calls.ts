import { createRequire } from 'node:module';
import { join } from 'node:path';

// Makes the same calls with one library's RESTDataSource, and prints its requests and their results. Arguments: project, library.
const [project = '', library = ''] = process.argv.slice(2);
const { RESTDataSource } = createRequire(join(project, 'package.json'))(library) as { RESTDataSource: any };

let now = Date.UTC(2026, 0, 1);
Date.now = () => now;

class API extends RESTDataSource {
  baseURL = 'https://api.example.com/v1/';
  language: string | undefined;
  ttl: number | undefined;
  willSendRequest(request: any): void {
    if (this.language !== undefined) request.headers.set('accept-language', this.language);
  }
  cacheOptionsFor(): object | undefined {
    return this.ttl === undefined ? undefined : { ttl: this.ttl };
  }
}

type Call = (api: any) => Promise<unknown>;
/** The calls, in order. Each uses a new instance, as in a separate operation; the calls of a list share one. */
type Scenario = { readonly fields?: Record<string, string>; readonly status?: number; readonly calls: readonly (Call | readonly Call[])[] };

const get =
  (path: string, params?: object, init?: object): Call =>
  (api) =>
    api.get(path, params, init);
const wait =
  (seconds: number, call: Call): Call =>
  (api) => {
    now += seconds * 1000;
    return call(api);
  };
const settings =
  (set: object, call: Call): Call =>
  (api) =>
    call(Object.assign(api, set));

const scenarios: Record<string, Scenario> = {
  'one instance sends a GET once': { calls: [[get('a'), get('a'), get('b')]] },
  'a write ends the memo of its URL': { calls: [[get('a'), (api) => api.delete('a'), get('a')]] },
  'max-age is kept': { fields: { 'cache-control': 'public, max-age=60' }, calls: [get('a'), wait(59, get('a')), wait(2, get('a'))] },
  'no-store is not kept': { fields: { 'cache-control': 'no-store' }, calls: [get('a'), get('a')] },
  'private is not kept': { fields: { 'cache-control': 'private, max-age=60' }, calls: [get('a'), get('a')] },
  'private with a ttl is kept': {
    fields: { 'cache-control': 'private' },
    calls: [settings({ ttl: 10 }, get('a')), settings({ ttl: 10 }, get('a')), wait(11, settings({ ttl: 10 }, get('a')))],
  },
  'cacheOptions of a call win': { calls: [get('a', undefined, { cacheOptions: { ttl: 30 } }), wait(10, get('a')), wait(30, get('a'))] },
  'a failure is not kept, even with a ttl': { status: 500, calls: [settings({ ttl: 10 }, get('a')), settings({ ttl: 10 }, get('a'))] },
  'an ETag revalidates': {
    fields: { 'cache-control': 'public, max-age=10', etag: '"1"' },
    calls: [get('a'), wait(11, get('a')), wait(5, get('a')), wait(6, get('a'))],
  },
  'Vary divides': {
    fields: { 'cache-control': 'public, max-age=60', vary: 'accept-language' },
    calls: [settings({ language: 'en' }, get('a')), settings({ language: 'en' }, get('a')), settings({ language: 'fr' }, get('a'))],
  },
  'Expires is kept': {
    fields: { expires: new Date(now + 60_000).toUTCString() },
    calls: [get('a'), wait(30, get('a')), wait(31, get('a'))],
  },
  'parameters and paths': { calls: [get('/a', { q: 'ñ b', n: 1 }), get('a?x=1', [['y', '2']]), get('c/d')] },
  bodies: {
    calls: [
      (api) => api.post('a', { a: 1 }),
      (api) => api.put('a', [1]),
      (api) => api.patch('a', 'text'),
      (api) => api.post('a', undefined, { headers: { 'x-a': '1' } }),
    ],
  },
  'a write is sent each time': {
    fields: { 'cache-control': 'public, max-age=60' },
    calls: [(api) => api.post('a', {}), (api) => api.post('a', {})],
  },
  ...Object.fromEntries([400, 401, 403, 404, 500].map((status) => [`status ${status}`, { status, calls: [get('a')] }])),
};

const results: Record<string, unknown> = {};
for (const [name, { fields = {}, status = 200, calls }] of Object.entries(scenarios)) {
  const sent: unknown[] = [];
  const answers: unknown[] = [];
  const store = new Map<string, string>();
  const cache = {
    get: async (key: string) => store.get(key),
    set: async (key: string, value: string) => void store.set(key, value),
    delete: async (key: string) => store.delete(key),
  };
  const origin = async (request: any): Promise<Response> => {
    const headers = Object.fromEntries(
      ['content-type', 'accept-language', 'if-none-match', 'x-a'].map((field) => [field, request.headers.get(field)]),
    );
    sent.push({ method: request.method, url: request.url, headers, body: request.method === 'GET' ? null : await request.text() });
    if (fields['etag'] !== undefined && headers['if-none-match'] === fields['etag'])
      return new Response(null, { status: 304, headers: fields });
    const body = JSON.stringify({ sent: sent.length });
    return new Response(body, { status, statusText: 'Text', headers: { 'content-type': 'application/json', ...fields } });
  };
  // Ours reads the global fetch; with an httpFetch, it stores public responses only.
  globalThis.fetch = origin as typeof fetch;
  for (const group of calls) {
    const api = new (API as new (httpFetch?: unknown) => any)(library === 'apollo-datasource-rest' ? origin : undefined);
    api.initialize({ context: {}, cache });
    for (const call of [group].flat()) {
      try {
        answers.push(await call(api));
      } catch (error) {
        const { name: kind, message, extensions } = error as { name: string; message: string; extensions: any };
        answers.push({ kind, message, code: extensions.code, status: extensions.response?.status, body: extensions.response?.body });
      }
    }
  }
  results[name] = { sent, answers };
}
process.stdout.write(JSON.stringify(results));
