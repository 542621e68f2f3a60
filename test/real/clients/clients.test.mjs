import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { httpStatusProfile, startServer } from './served.mjs';

const run = promisify(execFile);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const BOOK = 'query Book($id: ID!) { book(id: $id) { title author { name } } }';
const ADD = 'mutation Add($review: ReviewInput!) { addReview(review: $review) { text stars } }';
const ROMEO = { title: 'Ромео и Джульетта 🎭', author: { name: 'William Shakespeare' } };
const REVIEW = { bookId: '1', text: 'Long, and worth it. 100 % + more', stars: 5 };
const plain = (value) => JSON.parse(JSON.stringify(value));

let server;
before(async () => {
  server = await startServer();
});
after(() => server.close());

/** The tests of both majors of Apollo Client, whose exports are only in different modules. */
function apolloSuite(name, load) {
  describe(name, () => {
    let apollo;
    before(async () => {
      apollo = await load();
    });
    const client = (link) =>
      new apollo.ApolloClient({ link, cache: new apollo.InMemoryCache(), defaultOptions: { query: { fetchPolicy: 'no-cache' } } });
    const withoutTypename = (data) => JSON.parse(JSON.stringify(data), (key, value) => (key === '__typename' ? undefined : value));

    test('runs a query and a mutation over POST', async () => {
      const apolloClient = client(new apollo.HttpLink({ uri: server.url }));

      const { data } = await apolloClient.query({ query: apollo.gql(BOOK), variables: { id: '2' } });
      const added = await apolloClient.mutate({ mutation: apollo.gql(ADD), variables: { review: REVIEW } });

      assert.deepEqual(withoutTypename(data), { book: ROMEO });
      assert.deepEqual(withoutTypename(added.data), { addReview: { text: REVIEW.text, stars: 5 } });
    });

    test('runs a query over GET, past the CSRF rule, with the headers it sends by itself', async () => {
      const apolloClient = client(new apollo.HttpLink({ uri: server.url, useGETForQueries: true }));

      const { data } = await apolloClient.query({ query: apollo.gql(BOOK), variables: { id: '2' } });

      assert.deepEqual(withoutTypename(data), { book: ROMEO });
      assert.equal(server.seen.at(-1).method, 'GET');
    });

    test('gets the right answer for each operation of a batch, an error among them', async () => {
      const apolloClient = client(new apollo.BatchHttpLink({ uri: server.url, batchMax: 5, batchInterval: 5 }));

      const [book, broken, other] = await Promise.allSettled([
        apolloClient.query({ query: apollo.gql(BOOK), variables: { id: '2' } }),
        apolloClient.query({ query: apollo.gql('query B { broken }') }),
        apolloClient.query({ query: apollo.gql('query C { books(first: 1) { id } }') }),
      ]);

      assert.deepEqual(withoutTypename(book.value.data), { book: ROMEO });
      assert.match(broken.reason.message, /Internal server error/);
      assert.deepEqual(withoutTypename(other.value.data), { books: [{ id: '1' }] });
    });

    test('registers a persisted query, then runs it by its hash alone, over GET', async () => {
      const link = apollo.persistedQueries({ sha256, useGETForHashedQueries: true }).concat(new apollo.HttpLink({ uri: server.url }));
      const apolloClient = client(link);

      const first = await apolloClient.query({ query: apollo.gql(BOOK), variables: { id: '2' } });
      const second = await apolloClient.query({ query: apollo.gql(BOOK), variables: { id: '1' } });

      assert.deepEqual(withoutTypename(first.data), { book: ROMEO });
      assert.equal(second.data.book.title, 'Middlemarch');
      assert.match(server.seen.at(-1).queryString, /persistedQuery/);
      assert.doesNotMatch(server.seen.at(-1).queryString, /(^|&)query=/);
    });

    test('shows a masked error without the message of the resolver', async () => {
      const apolloClient = client(new apollo.HttpLink({ uri: server.url }));

      const outcome = await apolloClient.query({ query: apollo.gql('{ broken }') }).catch((error) => error);

      assert.match(outcome.message, /Internal server error/);
    });
  });
}

apolloSuite('@apollo/client 4', async () => {
  const core = await import('@apollo/client/core');
  const { BatchHttpLink } = await import('@apollo/client/link/batch-http');
  const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
  return { ...core, BatchHttpLink, persistedQueries: (options) => new PersistedQueryLink(options) };
});

apolloSuite('@apollo/client 3', async () => {
  const core = await import('apollo-client-3/core/core.cjs');
  const { BatchHttpLink } = await import('apollo-client-3/link/batch-http/batch-http.cjs');
  const { createPersistedQueryLink } = await import('apollo-client-3/link/persisted-queries/persisted-queries.cjs');
  return { ...core.default, BatchHttpLink, persistedQueries: createPersistedQueryLink };
});

test('urql runs a query over POST and over GET, and a mutation', async () => {
  const { Client, fetchExchange, gql } = await import('@urql/core');
  const client = new Client({ url: server.url, exchanges: [fetchExchange], preferGetMethod: false });
  const getting = new Client({
    url: server.url,
    exchanges: [fetchExchange],
    preferGetMethod: 'force',
    fetchOptions: { headers: { 'vendor-require-preflight': '1' } },
  });

  const posted = await client.query(gql(BOOK), { id: '2' }).toPromise();
  const got = await getting.query(gql(BOOK), { id: '2' }).toPromise();
  const added = await client.mutation(gql(ADD), { review: REVIEW }).toPromise();

  assert.equal(posted.error, undefined);
  assert.equal(posted.data.book.title, ROMEO.title);
  assert.equal(got.data.book.author.name, ROMEO.author.name);
  assert.equal(added.data.addReview.stars, 5);
});

test('graphql-request runs a query, a batch, and reports an error with its status', async () => {
  const { GraphQLClient } = await import('graphql-request');
  const client = new GraphQLClient(server.url);

  const single = await client.request(BOOK, { id: '2' });
  const batch = await client.batchRequests([{ document: BOOK, variables: { id: '2' } }, { document: '{ books { id } }' }]);
  const refused = await client.request('{ nope }').catch((error) => error);

  assert.deepEqual(plain(single), { book: ROMEO });
  assert.equal(batch.length, 2);
  assert.equal(refused.response.status, httpStatusProfile === 'classic' ? 400 : 422);
  assert.equal(refused.response.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
});

test("relay-runtime fetches through an environment and gives the fragment's data", async () => {
  const { default: relay } = await import('relay-runtime');
  const fetchFunction = async ({ text }, variables) => (await fetch(server.url, json({ query: text, variables }))).json();
  const environment = new relay.Environment({
    network: relay.Network.create(fetchFunction),
    store: new relay.Store(new relay.RecordSource()),
  });

  const data = await relay.fetchQuery(environment, bookArtifact, { id: '2' }).toPromise();

  assert.equal(data.book.title, ROMEO.title);
});

test('@graphql-tools/executor-http runs a query over POST and over GET', async () => {
  const { buildHTTPExecutor } = await import('@graphql-tools/executor-http');
  const { parse } = await import('graphql');
  const posting = buildHTTPExecutor({ endpoint: server.url });
  const getting = buildHTTPExecutor({ endpoint: server.url, useGETForQueries: true, headers: { 'vendor-require-preflight': '1' } });

  const posted = await posting({ document: parse(BOOK), variables: { id: '2' } });
  const got = await getting({ document: parse(BOOK), variables: { id: '2' } });

  assert.deepEqual(plain(posted.data), { book: ROMEO });
  assert.deepEqual(plain(got.data), { book: ROMEO });
});

test('plain fetch gets the media type that it accepts, and unchanged Unicode', async () => {
  const response = await fetch(server.url, json({ query: BOOK, variables: { id: '2' } }, { accept: 'application/graphql-response+json' }));

  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8');
  assert.deepEqual(await response.json(), { data: { book: ROMEO } });
});

test('curl posts JSON, and sends a query by GET that it encodes itself', async () => {
  const body = JSON.stringify({ query: BOOK, variables: { id: '2' } });

  const posted = await run('curl', ['-sS', server.url, '-H', 'content-type: application/json', '--data', body]);
  const got = await run('curl', [
    '-sSG',
    server.url,
    '-H',
    'vendor-require-preflight: 1',
    '--data-urlencode',
    `query=${BOOK}`,
    '--data-urlencode',
    'variables={"id":"2"}',
  ]);

  assert.deepEqual(JSON.parse(posted.stdout), { data: { book: ROMEO } });
  assert.deepEqual(JSON.parse(got.stdout), { data: { book: ROMEO } });
});

function json(body, headers = {}) {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** The output of relay-compiler for BOOK. */
const bookSelections = [
  {
    alias: null,
    args: [{ kind: 'Variable', name: 'id', variableName: 'id' }],
    concreteType: 'Book',
    kind: 'LinkedField',
    name: 'book',
    plural: false,
    selections: [{ alias: null, args: null, kind: 'ScalarField', name: 'title', storageKey: null }],
    storageKey: null,
  },
];
const bookArtifact = {
  kind: 'Request',
  fragment: {
    argumentDefinitions: [{ defaultValue: null, kind: 'LocalArgument', name: 'id' }],
    kind: 'Fragment',
    metadata: null,
    name: 'Book',
    selections: bookSelections,
    type: 'Query',
    abstractKey: null,
  },
  operation: {
    argumentDefinitions: [{ defaultValue: null, kind: 'LocalArgument', name: 'id' }],
    kind: 'Operation',
    name: 'Book',
    selections: bookSelections,
  },
  params: {
    cacheID: 'book',
    id: null,
    metadata: {},
    name: 'Book',
    operationKind: 'query',
    text: 'query Book($id: ID!) { book(id: $id) { title } }',
  },
};
