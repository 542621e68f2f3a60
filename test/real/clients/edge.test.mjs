// Clients that send queries by GET, behind a shared cache that stores what it may store.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../dist/esm/edge.js';
import { writePageFiles } from './page-files.mjs';
import { linked, listenDuringTests, plain, relayQuery, serveDuringTests, sha256 } from './served.mjs';

const PRODUCTS = 'query Products($first: Int, $after: ID) { products(first: $first, after: $after) { id name } }';
const EXPECTED = [{ id: '1', name: 'Lamp' }];

let page;
/** Answers by URL and Accept, and the requests that were forwarded to the function. */
const kept = new Map();
const forwarded = [];
const server = serveDuringTests({
  typeDefs: [
    cacheControlDefinitions,
    'type Query { products(first: Int, after: ID): [Product!]! @cacheControl(maxAge: 60) } type Product { id: ID! name: String! }',
  ],
  resolvers: { Query: { products: () => EXPECTED } },
  plugins: [edge({ cdn: 'cloudfront' })],
});
const cache = listenDuringTests(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const key = `${request.url} ${request.headers.accept}`;
  const answer = (request.method === 'GET' ? kept.get(key) : undefined) ?? (await forward(request, body));
  if (request.method === 'GET' && /s-maxage=[1-9]/.test(answer.headers['cache-control'])) kept.set(key, answer);
  response.writeHead(answer.status, answer.headers).end(answer.body);
});
before(async () => {
  page = await writePageFiles();
});
beforeEach(() => {
  kept.clear();
  forwarded.length = 0;
});
after(() => page.remove());

async function forward({ method, url: path, headers }, body) {
  forwarded.push({ method, path });
  const { host: _host, connection: _connection, 'content-length': _length, ...rest } = headers;
  const answer = await fetch(new URL(path, server.url), { method, headers: rest, ...(method !== 'GET' && { body }) });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

async function apollo(variables) {
  const { ApolloClient, gql, InMemoryCache } = await import('@apollo/client/core');
  const { createLink } = await page.load('client/cached-apollo.js');
  const client = new ApolloClient({ link: createLink(cache.url), cache: new InMemoryCache() });
  return (await client.query({ query: gql(PRODUCTS), variables })).data;
}

async function urql(variables) {
  const { Client, fetchExchange } = await import('@urql/core');
  const { persistedExchange } = await import('@urql/exchange-persisted');
  const persisted = persistedExchange({ preferGetForPersistedQueries: true, generateHash: async (query) => sha256(query) });
  const fetchOptions = { headers: { 'graphql-require-preflight': '1' } };
  const client = new Client({ url: cache.url, exchanges: [persisted, fetchExchange], fetchOptions, preferGetMethod: false });
  return (await client.query(PRODUCTS, variables).toPromise()).data;
}

const args = ['after', 'first'].map((name) => ({ kind: 'Variable', name, variableName: name }));
const productsQuery = relayQuery('Products', PRODUCTS, [linked('products', 'Product', true, ['id', 'name'], { args })], ['first', 'after']);

async function relay(variables) {
  const { Environment, fetchQuery, Network, RecordSource, Store } = (await import('relay-runtime')).default;
  const { createFetch } = await page.load('client/cached-relay.js');
  const environment = new Environment({ network: Network.create(createFetch(cache.url)), store: new Store(new RecordSource()) });
  return fetchQuery(environment, productsQuery, variables).toPromise();
}

/** Each runs the query with variables in a new client, so that no cache of a client answers. */
const clients = { 'Apollo Client': apollo, urql, Relay: relay };
for (const [name, products] of Object.entries(clients))
  test(`${name}: the answer to one user is served to the next, by a GET with the hash and sorted variables`, async () => {
    // Registers the text.
    await products({ first: 1, after: '0' });
    forwarded.length = 0;

    const answers = [await products({ first: 2, after: '0' }), await products({ after: '0', first: 2 })];

    assert.deepEqual(
      answers.map(({ products: found }) => plain(found).map(({ id, name: title }) => ({ id, name: title }))),
      [EXPECTED, EXPECTED],
    );
    assert.deepEqual(
      forwarded.map(({ method }) => method),
      ['GET'],
    );
    const { searchParams } = new URL(forwarded[0].path, cache.url);
    assert.match(searchParams.get('extensions'), /"sha256Hash":"[0-9a-f]{64}"/);
    assert.equal(searchParams.get('query'), null);
  });
