// The `fetch` of docs/errors.md, in several clients.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';

import { apolloOver, apollos, json, plain, serveDuringTests } from './served.mjs';

const SHOP = 'query Shop { shop { name ads } }';
const kept = { shop: { name: 'Corner', ads: null } };

let fetchPartial;
let folder;
/** The method or the kind of body of each request. */
let seen = [];

const server = serveDuringTests({
  typeDefs: 'type Query { shop: Shop! } type Shop { name: String! ads: [String!]! } type Mutation { open: Shop! }',
  resolvers: {
    Query: { shop: () => ({ name: 'Corner' }) },
    Mutation: { open: () => ({ name: 'Corner' }) },
    Shop: { ads: () => Promise.reject(new Error('The ad server is down.')) },
  },
  plugins: [{ requestDidStart: async ({ request, requestIsBatched }) => void seen.push(requestIsBatched ? 'batch' : request.http.method) }],
});
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'on-error-'));
  const page = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const [, code] = /<!-- file: fetch-partial\.ts -->\n\n```ts\n([^]*?)```/.exec(page);
  await writeFile(join(folder, 'fetch-partial.ts'), code);
  ({ fetchPartial } = await import(join(folder, 'fetch-partial.ts')));
});
beforeEach(() => (seen = []));
after(() => rm(folder, { recursive: true, force: true }));

test('urql keeps the rest of an answer, by GET and by POST', async () => {
  const { Client, fetchExchange } = await import('@urql/core');
  const fetchOptions = { headers: { 'vendor-require-preflight': '1' } };
  const client = new Client({ url: server.url, fetch: fetchPartial, fetchOptions, exchanges: [fetchExchange] });

  const results = [await client.query(SHOP, {}), await client.mutation('mutation { open { name ads } }', {})];

  assert.deepEqual(
    results.map(({ data, error }) => [plain(data), error.graphQLErrors[0].path.join('.')]),
    [
      [kept, 'shop.ads'],
      [{ open: kept.shop }, 'open.ads'],
    ],
  );
  assert.deepEqual(seen, ['GET', 'POST']);
});

for (const [name, load] of Object.entries(apollos))
  for (const [kind, link, options] of [
    ['POST', 'HttpLink', {}],
    ['GET', 'HttpLink', { useGETForQueries: true }],
    ['batch', 'BatchHttpLink', { batchMax: 2 }],
  ])
    test(`${name} keeps the rest of an answer by ${kind}`, async () => {
      const apollo = await load();
      const client = apolloOver(apollo, new apollo[link]({ uri: server.url, fetch: fetchPartial, ...options }), { errorPolicy: 'all' });

      const answers = await Promise.all([
        client.query({ query: apollo.gql(SHOP) }),
        client.query({ query: apollo.gql('query Other { other: shop { ads } }') }),
      ]);

      assert.deepEqual(
        answers.map(({ data }) => plain(data)),
        [kept, { other: { ads: null } }],
      );
      assert.deepEqual(seen, [kind, kind]);
    });

test('a request with onError keeps its value, and a form with files is sent unchanged', async () => {
  const send = async (body) => (await fetchPartial(server.url, json(body))).json();

  const [halted, own] = [await send({ query: SHOP, onError: 'HALT' }), await send({ query: SHOP })];
  const form = await fetchPartial(server.url, { method: 'POST', body: new FormData() });

  assert.deepEqual([halted.data, own.data], [null, kept]);
  assert.equal(form.status, 400);
});
