import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { CDN, EdgeDecision } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { rest } from '../../../../src/entries/rest.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';
import { ModelCache } from '../../../support/edge/model-cache.ts';

const documents = {
  book: 'query Book($id: ID!, $size: Int) @http(method: GET, route: "/books/{id}") { book(id: $id) { id title(size: $size) } }',
  search: 'query Search($id: ID!) @http(method: POST, route: "/search") { book(id: $id) { id } }',
  rename: 'mutation Rename($id: ID!) @http(method: PUT, route: "/books/{id}") { rename(id: $id) { id } }',
  tenant: 'query Tenant @http(method: GET, route: "/tenant") { tenant }',
};

interface Served {
  send(method: string, path: string, body?: unknown): Promise<Response>;
  readonly purged: string[];
  decision(): EdgeDecision | undefined;
}

function serve(options: Partial<Parameters<typeof edge>[0]>): Served {
  let version = 1;
  let decision: EdgeDecision | undefined;
  const purged: string[] = [];
  const handler = createHandler({
    nodeEnv: 'production',
    typeDefs: [
      cacheControlDefinitions,
      `type Query { book(id: ID!): Book @cacheControl(maxAge: 60) tenant: String @cacheControl(maxAge: 60) }
       type Mutation { rename(id: ID!): Book }
       type Book @cacheControl(inheritMaxAge: true) { id: ID! title(size: Int): String }`,
    ],
    resolvers: {
      Query: {
        book: (_: unknown, { id }: { id: string }) => ({ id }),
        tenant: (_: unknown, _none: unknown, context: any) => context.tenant(),
      },
      Mutation: { rename: (_: unknown, { id }: { id: string }) => (version++, { id }) },
      Book: { title: ({ id }: { id: string }, { size }: { size?: number }) => `${id} ${size ?? 'any'} ${version}` },
    },
    context: ({ request }: any) => ({ tenant: () => new URLSearchParams(request.queryString).get('query') }),
    trustedDocuments: { documents },
    plugins: [
      edge({
        purge: async (tags: readonly string[]) => void purged.push(...tags),
        onDecision: (made: EdgeDecision) => void (decision = made),
        queryParameters: ['query'],
        ...options,
      } as never),
      rest({ otherParameters: ['query'] }),
    ],
  } as never) as unknown as (request: Request, context: object) => Promise<Response>;
  const send: Served['send'] = async (method, path, body) => {
    const init = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await handler(new Request(`https://shop.example${path}`, { method, ...init }), { waitUntil: () => undefined });
    await new Promise(setImmediate);
    return response;
  };
  return { send, purged, decision: () => decision };
}

/** The header fields of a public answer: the lifetime, and the tags. */
const fields: Readonly<Record<string, readonly [lifetime: string, tags: string | undefined]>> = {
  netlify: ['netlify-cdn-cache-control', 'netlify-cache-tag'],
  cloudflare: ['cloudflare-cdn-cache-control', 'cache-tag'],
  cloudfront: ['cache-control', 'cache-tag'],
  vercel: ['vercel-cdn-cache-control', 'vercel-cache-tag'],
  fastly: ['surrogate-control', 'surrogate-key'],
  varnish: ['cache-control', 'xkey'],
  rfc9213: ['cdn-cache-control', undefined],
};

for (const [cdn, [lifetime, tags]] of Object.entries(fields))
  describe(`behind ${cdn},`, () => {
    test('a GET is public with its whole URL, has tags, is purged by mutations at two doors', async () => {
      const { send, purged } = serve({ cdn: cdn as CDN, queryParameters: [], ...(cdn === 'rfc9213' && { purge: undefined }) });
      const cache = new ModelCache(cdn as CDN, []);
      const get = async (path: string): Promise<Response> =>
        cache.fetch(new Request(`https://shop.example${path}`), async ({ url }) =>
          send('GET', new URL(url).pathname + new URL(url).search),
        );
      const one = await get('/rest/books/1');

      assert.match(one.headers.get(lifetime)!, /max-?age=60/);
      if (tags !== undefined) assert.match(one.headers.get(tags)!, /\bBook\b.*1/);
      assert.deepEqual(await one.json(), { id: '1', title: '1 any 1' });
      for (const [path, title] of [
        ['/rest/books/1?size=2', '1 2 1'],
        ['/rest/books/1?size=3', '1 3 1'],
        ['/rest/books/2?size=2', '2 2 1'],
        ['/rest/books/1', '1 any 1'],
      ] as const)
        assert.equal(((await (await get(path)).json()) as { title: string }).title, title);
      assert.equal(cache.hits, 1);
      if (cdn === 'netlify') assert.equal(one.headers.get('netlify-vary'), 'header=accept');
      if (tags === undefined) return;

      await send('PUT', '/rest/books/1');
      await send('POST', '/graphql', { query: 'mutation { rename(id: 2) { id } }' });
      cache.purge(purged);
      assert.equal(((await (await get('/rest/books/1')).json()) as { title: string }).title, '1 any 3');
      assert.equal(((await (await get('/rest/books/2?size=2')).json()) as { title: string }).title, '2 2 3');
    });

    test('a POST, HEAD, a refusal, nothing found and an unlisted parameter are private', async () => {
      const { send } = serve({ cdn: cdn as CDN, queryParameters: [], ...(cdn === 'rfc9213' && { purge: undefined }) });
      for (const [method, path, body] of [
        ['POST', '/rest/search', { id: '1' }],
        ['HEAD', '/rest/books/1', undefined],
        ['GET', '/rest/books/1?no=1', undefined],
        ['GET', '/rest/no', undefined],
        ['GET', '/rest/tenant?query=a', undefined],
      ] as const) {
        const { headers } = await send(method, path, body);
        assert.equal(headers.get('cache-control'), 'private, no-store', `${method} ${path}`);
        if (lifetime !== 'cache-control') assert.equal(headers.get(lifetime), null, `${method} ${path}`);
      }
    });
  });

test('for a router, every answer of a route is private', async () => {
  const { send } = serve({ cdn: 'apollo-router' });
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', {}],
  ] as const) {
    const response = await send(method, '/rest/books/1', body);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.doesNotMatch(await response.text(), /extensions/);
  }
});

describe('the shared store', () => {
  test('answers the same route again, by path and parameters, until a mutation at another door', async () => {
    const { send, decision } = serve({ store: new MapCache(), deploy: 'v1', purge: undefined });
    const read = async (path: string): Promise<[title: string, hit: boolean]> => {
      const { title } = (await (await send('GET', path)).json()) as { title: string };
      const made = decision();
      return [title, made?.public === true && made.hit === true];
    };

    assert.deepEqual(await read('/rest/books/1'), ['1 any 1', false]);
    assert.deepEqual(await read('/rest/books/1'), ['1 any 1', true]);
    assert.deepEqual(await read('/rest/books/1?size=2'), ['1 2 1', false]);
    await send('POST', '/graphql', { query: 'mutation { rename(id: 1) { id } }' });
    assert.deepEqual(await read('/rest/books/1'), ['1 any 2', false]);
  });

  test('knows the names of parameters that GraphQL has, which a route reads otherwise', async () => {
    const { send } = serve({ store: new MapCache(), deploy: 'v1', purge: undefined });

    assert.equal(await (await send('GET', '/rest/tenant?query=a')).json(), 'a');
    assert.equal(await (await send('GET', '/rest/tenant?query=b')).json(), 'b');
  });
});
