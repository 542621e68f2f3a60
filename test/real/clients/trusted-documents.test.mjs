// Clients that send the id of a trusted document in place of its text, as docs/trusted-documents.md shows, and `onError`.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';

import { serve } from '../../../dist/esm/node.js';

const text = 'query Shop { shop { name ads } }';
const id = createHash('sha256').update(text).digest('hex');
/** The value of `shop` when its non-null field `ads` fails and errors do not propagate. */
const kept = { name: 'Corner', ads: null };

let server;
let bodies = [];

before(async () => {
  server = await serve(
    {
      csrfPrevention: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: 'type Query { shop: Shop } type Shop { name: String! ads: [String!]! }',
      resolvers: { Query: { shop: () => ({ name: 'Corner' }) }, Shop: { ads: () => Promise.reject(new Error('down')) } },
      trustedDocuments: { documents: { [id]: text }, only: true },
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
});
beforeEach(() => (bodies = []));
after(() => server.close());

/** Records what a client sends. */
const recordingFetch = (address, init) => {
  bodies.push(JSON.parse(init.body));
  return fetch(address, init);
};

function assertSentById(body) {
  assert.equal('query' in body, false);
  assert.equal(body.onError, 'NULL');
}

test('Apollo Client 4', async () => {
  const { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } = await import('@apollo/client');
  const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
  const withOnError = (address, init) =>
    recordingFetch(address, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), onError: 'NULL' }) });
  const client = new ApolloClient({
    cache: new InMemoryCache({ addTypename: false }),
    link: ApolloLink.from([
      // In a build, generatePersistedQueryIdsFromManifest of @apollo/persisted-query-lists reads the ids from the manifest.
      new PersistedQueryLink({ generateHash: () => id, retry: () => false }),
      new HttpLink({ uri: `${server.url}graphql`, fetch: withOnError }),
    ]),
    defaultOptions: { query: { errorPolicy: 'all' } },
  });

  const { data } = await client.query({ query: gql(text) });

  assert.equal(data.shop.name, 'Corner');
  assert.equal(data.shop.ads, null);
  assert.equal(bodies.length, 1);
  assertSentById(bodies[0]);
});

test('urql', async () => {
  const { Client, fetchExchange, gql } = await import('@urql/core');
  const { persistedExchange } = await import('@urql/exchange-persisted');
  const withOnError = (address, init) =>
    recordingFetch(address, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), onError: 'NULL' }) });
  const client = new Client({
    url: `${server.url}graphql`,
    fetch: withOnError,
    preferGetMethod: false,
    exchanges: [
      persistedExchange({
        enforcePersistedQueries: true,
        enableForMutation: true,
        preferGetForPersistedQueries: false,
        generateHash: async () => id,
      }),
      fetchExchange,
    ],
  });

  const { data } = await client.query(gql(text), {}).toPromise();

  assert.deepEqual(data.shop, kept);
  assertSentById(bodies[0]);
});

test('Relay', async () => {
  const { default: relay } = await import('relay-runtime');
  const network = relay.Network.create(async ({ id: documentId, text: query }, variables) => {
    const response = await recordingFetch(`${server.url}graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...(documentId ? { id: documentId } : { query }), variables, onError: 'NULL' }),
    });
    return response.json();
  });

  const result = await network
    .execute({ id, text: null, name: 'Shop', operationKind: 'query', cacheID: id, metadata: {} }, {}, {})
    .toPromise();

  assert.deepEqual(result.data.shop, kept);
  assertSentById(bodies[0]);
});

test('a document that is not trusted is refused', async () => {
  const response = await fetch(`${server.url}graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ shop { name } }"}',
  });

  assert.equal(response.status, 400);
});
