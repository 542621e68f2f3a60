// Clients that send queries by GET, behind a shared cache that stores what it may store.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../dist/esm/edge.js';
import { serve } from '../../../dist/esm/node.js';
import { writePageFiles } from './page-files.mjs';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const PRODUCTS = 'query Products($first: Int, $after: ID) { products(first: $first, after: $after) { id name } }';
const EXPECTED = [{ id: '1', name: 'Lamp' }];

let page;
let server;
let cache;
before(async () => {
  page = await writePageFiles();
  server = await serve(
    {
      csrfPrevention: true,
      typeDefs: [
        cacheControlDefinitions,
        'type Query { products(first: Int, after: ID): [Product!]! @cacheControl(maxAge: 60) } type Product { id: ID! name: String! }',
      ],
      resolvers: { Query: { products: () => EXPECTED } },
      plugins: [edge({ cdn: 'cloudfront' })],
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  cache = await startCache(server.url);
});
beforeEach(() => cache.forget());
after(async () => {
  await page.remove();
  await cache.close();
  await server.close();
});

/** A cache by URL and Accept that stores answers with `s-maxage`. `asked`: the requests that were forwarded to the function. */
async function startCache(origin) {
  const kept = new Map();
  const asked = [];
  const proxy = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const key = `${request.url} ${request.headers.accept}`;
    const answer = (request.method === 'GET' ? kept.get(key) : undefined) ?? (await forward(request, Buffer.concat(chunks)));
    if (request.method === 'GET' && /s-maxage=[1-9]/.test(answer.headers['cache-control'])) kept.set(key, answer);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const forward = async ({ method, url, headers }, body) => {
    asked.push({ method, url });
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
    const answer = await fetch(new URL(url, origin), { method, headers: rest, ...(method === 'GET' ? {} : { body }) });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  };
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const forget = () => {
    kept.clear();
    asked.length = 0;
  };
  const close = () => new Promise((resolve) => (proxy.closeAllConnections(), proxy.close(resolve)));
  return { url: `http://127.0.0.1:${proxy.address().port}/graphql`, asked, forget, close };
}

/** Each client is a function of the query's variables that creates a new client, so that no cache of a client answers. */
const clients = {
  '@apollo/client': async () => {
    const { ApolloClient, gql, InMemoryCache } = await import('@apollo/client/core');
    const { createLink } = await page.load('client/cached-apollo.js');
    return async (variables) => {
      const client = new ApolloClient({ link: createLink(cache.url), cache: new InMemoryCache() });
      const { data } = await client.query({ query: gql(PRODUCTS), variables });
      return data.products.map(({ id, name }) => ({ id, name }));
    };
  },
  urql: async () => {
    const { Client, fetchExchange } = await import('@urql/core');
    const { persistedExchange } = await import('@urql/exchange-persisted');
    return async (variables) => {
      const exchanges = [
        persistedExchange({ preferGetForPersistedQueries: true, generateHash: async (query) => sha256(query) }),
        fetchExchange,
      ];
      const fetchOptions = { headers: { 'graphql-require-preflight': '1' } };
      const client = new Client({ url: cache.url, exchanges, fetchOptions, preferGetMethod: false });
      const { data } = await client.query(PRODUCTS, variables).toPromise();
      return data.products;
    };
  },
  relay: async () => {
    const { default: relay } = await import('relay-runtime');
    const { createFetch } = await page.load('client/cached-relay.js');
    return async (variables) => {
      const network = relay.Network.create(createFetch(cache.url));
      const environment = new relay.Environment({ network, store: new relay.Store(new relay.RecordSource()) });
      const { products } = await relay.fetchQuery(environment, productsArtifact, variables).toPromise();
      return products.map(({ id, name }) => ({ id, name }));
    };
  },
};

for (const [name, load] of Object.entries(clients))
  describe(`${name}, persisted queries by GET`, () => {
    let products;
    before(async () => {
      products = await load();
      // Registers the text once for all tests.
      await products({ first: 1, after: '0' });
    });

    test('the answer to one user is served to the next without a call of the function', async () => {
      const first = await products({ first: 2, after: '0' });
      const asked = cache.asked.length;
      const second = await products({ first: 2, after: '0' });

      assert.deepEqual([first, second], [EXPECTED, EXPECTED]);
      assert.deepEqual(
        cache.asked.map(({ method }) => method),
        ['GET'],
      );
      assert.equal(cache.asked.length, asked);
    });

    test('variables in another order have the same URL', async () => {
      await products({ first: 3, after: '0' });

      await products({ after: '0', first: 3 });

      assert.equal(cache.asked.length, 1);
    });

    test('its URL has the hash, and not the text', async () => {
      await products({ first: 4, after: '0' });

      const { searchParams } = new URL(cache.asked[0].url, cache.url);
      assert.match(searchParams.get('extensions'), /"sha256Hash":"[0-9a-f]{64}"/);
      assert.equal(searchParams.get('query'), null);
    });
  });

/** The output of relay-compiler for PRODUCTS. */
const argumentDefinitions = ['first', 'after'].map((name) => ({ defaultValue: null, kind: 'LocalArgument', name }));
const productsSelections = [
  {
    alias: null,
    args: ['after', 'first'].map((name) => ({ kind: 'Variable', name, variableName: name })),
    concreteType: 'Product',
    kind: 'LinkedField',
    name: 'products',
    plural: true,
    selections: ['id', 'name'].map((name) => ({ alias: null, args: null, kind: 'ScalarField', name, storageKey: null })),
    storageKey: null,
  },
];
const productsArtifact = {
  fragment: {
    argumentDefinitions,
    kind: 'Fragment',
    metadata: null,
    name: 'Products',
    selections: productsSelections,
    type: 'Query',
    abstractKey: null,
  },
  kind: 'Request',
  operation: { argumentDefinitions, kind: 'Operation', name: 'Products', selections: productsSelections },
  params: { cacheID: 'products', id: null, metadata: {}, name: 'Products', operationKind: 'query', text: PRODUCTS },
};
