// The `fetch` of docs/errors.md, in several clients.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { serve } from '../../../dist/esm/node.js';

const SHOP = 'query Shop { shop { name ads } }';
const kept = { shop: { name: 'Corner', ads: null } };

let fetchPartial;
let folder;
let server;
let url;
/** The method and the kind of body of each request. */
let seen = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'on-error-'));
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const [, code] = /<!-- file: fetch-partial\.ts -->\n\n```ts\n([^]*?)```/.exec(page);
  await writeFile(join(folder, 'fetch-partial.ts'), code);
  ({ fetchPartial } = await import(pathToFileURL(join(folder, 'fetch-partial.ts')).href));
  server = await serve(
    {
      csrfPrevention: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: 'type Query { shop: Shop! } type Shop { name: String! ads: [String!]! } type Mutation { open: Shop! }',
      resolvers: {
        Query: { shop: () => ({ name: 'Corner' }) },
        Mutation: { open: () => ({ name: 'Corner' }) },
        Shop: { ads: () => Promise.reject(new Error('The ad server is down.')) },
      },
      plugins: [
        {
          async requestDidStart({ request, requestIsBatched }) {
            seen.push(requestIsBatched ? 'batch' : request.http.method);
          },
        },
      ],
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  url = `${server.url}graphql`;
});
beforeEach(() => {
  seen = [];
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const withoutTypename = (data) => JSON.parse(JSON.stringify(data), (key, value) => (key === '__typename' ? undefined : value));

test('urql keeps the rest of an answer, by GET and by POST', async () => {
  const { Client, fetchExchange } = await import('@urql/core');
  const fetchOptions = { headers: { 'vendor-require-preflight': '1' } };
  const client = new Client({ url, fetch: fetchPartial, fetchOptions, exchanges: [fetchExchange] });
  const posting = new Client({ url, fetch: fetchPartial, exchanges: [fetchExchange], preferGetMethod: false });

  const results = [
    await client.query(SHOP, {}),
    await posting.query(SHOP, {}),
    await client.mutation('mutation { open { name ads } }', {}),
  ];

  assert.deepEqual(
    results.map(({ data }) => withoutTypename(data)),
    [kept, kept, { open: kept.shop }],
  );
  assert.deepEqual(
    results.map(({ error }) => error.graphQLErrors[0].path.join('.')),
    ['shop.ads', 'shop.ads', 'open.ads'],
  );
  assert.deepEqual(seen, ['GET', 'POST', 'POST']);
});

const apollos = {
  'Apollo Client 4': async () => ({
    ...(await import('@apollo/client')),
    ...(await import('@apollo/client/link/batch-http')),
    persisted: await import('@apollo/client/link/persisted-queries').then(
      ({ PersistedQueryLink }) =>
        (options) =>
          new PersistedQueryLink(options),
    ),
  }),
  'Apollo Client 3': async () => ({
    ...(await import('apollo-client-3/core/core.cjs')).default,
    ...(await import('apollo-client-3/link/batch-http/batch-http.cjs')).default,
    persisted: (await import('apollo-client-3/link/persisted-queries/persisted-queries.cjs')).default.createPersistedQueryLink,
  }),
};
for (const [name, load] of Object.entries(apollos))
  describe(name, () => {
    const links = {
      HttpLink: [({ HttpLink }) => new HttpLink({ uri: url, fetch: fetchPartial }), ['POST', 'POST']],
      'HttpLink with GET': [({ HttpLink }) => new HttpLink({ uri: url, fetch: fetchPartial, useGETForQueries: true }), ['GET', 'GET']],
      BatchHttpLink: [({ BatchHttpLink }) => new BatchHttpLink({ uri: url, fetch: fetchPartial, batchMax: 2 }), ['batch', 'batch']],
    };
    for (const [kind, [createLink, expected]] of Object.entries(links))
      test(`${kind} keeps the rest of an answer`, async () => {
        const apollo = await load();
        const client = new apollo.ApolloClient({
          link: createLink(apollo),
          cache: new apollo.InMemoryCache(),
          defaultOptions: { query: { fetchPolicy: 'no-cache', errorPolicy: 'all' } },
        });

        const [first, second] = await Promise.all([
          client.query({ query: apollo.gql(SHOP) }),
          client.query({ query: apollo.gql('query Other { other: shop { ads } }') }),
        ]);

        assert.deepEqual(
          [first, second].map(({ data }) => withoutTypename(data)),
          [kept, { other: { ads: null } }],
        );
        assert.deepEqual(seen, expected);
      });
  });

test('Relay keeps the rest of an answer', async () => {
  const { Network, RecordSource, Store, Environment } = (await import('relay-runtime')).default;
  const headers = { 'content-type': 'application/json' };
  const network = Network.create(async ({ text }, variables) => {
    const response = await fetchPartial(url, { method: 'POST', headers, body: JSON.stringify({ query: text, variables }) });
    return response.json();
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });

  const answer = await environment.getNetwork().execute({ text: SHOP, name: 'Shop' }, {}, {}).toPromise();

  assert.deepEqual(answer.data, kept);
});

test('a request with onError keeps its value, and a form with files is sent unchanged', async () => {
  const headers = { 'content-type': 'application/json' };
  const send = (body) => fetchPartial(url, { method: 'POST', headers, body: JSON.stringify(body) }).then((response) => response.json());

  const [halted, own] = [await send({ query: SHOP, onError: 'HALT' }), await send({ query: SHOP })];
  const form = await fetchPartial(url, { method: 'POST', body: new FormData() });

  assert.deepEqual([halted.data, own.data], [null, kept]);
  assert.equal(form.status, 400);
});
