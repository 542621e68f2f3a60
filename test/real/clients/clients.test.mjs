import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { apolloOver, apollos, json, plain, serveDuringTests } from './served.mjs';

const BOOK = 'query Book($id: ID!) { book(id: $id) { title author { name } } }';
const ADD = 'mutation Add($review: ReviewInput!) { addReview(review: $review) { text stars } }';
const ROMEO = { title: 'Ромео и Джульетта 🎭', author: { name: 'William Shakespeare' } };
const REVIEW = { text: 'Long, and worth it. 100 % + more', stars: 5 };
const preflight = { 'vendor-require-preflight': '1' };

/** Each connects a client that sends queries by `method`, and returns a function that executes an operation. */
const clients = {
  ...Object.fromEntries(
    Object.entries(apollos).map(([name, load]) => [
      name,
      async (url, method) => {
        const apollo = await load();
        const client = apolloOver(apollo, new apollo.HttpLink({ uri: url, useGETForQueries: method === 'GET' }));
        return (text, variables) =>
          text.startsWith('mutation')
            ? client.mutate({ mutation: apollo.gql(text), variables })
            : client.query({ query: apollo.gql(text), variables });
      },
    ]),
  ),
  urql: async (url, method) => {
    const { Client, fetchExchange } = await import('@urql/core');
    const preferGetMethod = method === 'GET' && 'force';
    const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod, fetchOptions: { headers: preflight } });
    return (text, variables) => (text.startsWith('mutation') ? client.mutation : client.query)(text, variables).toPromise();
  },
  'graphql-request': async (url, method) => {
    const { GraphQLClient } = await import('graphql-request');
    const client = new GraphQLClient(url, { method, headers: preflight });
    return async (text, variables) => ({ data: await client.request(text, variables) });
  },
  '@graphql-tools/executor-http': async (url, method) => {
    const { buildHTTPExecutor } = await import('@graphql-tools/executor-http');
    const { parse } = await import('graphql');
    const execute = buildHTTPExecutor({ endpoint: url, useGETForQueries: method === 'GET', headers: preflight });
    return async (text, variables) => execute({ document: parse(text), variables });
  },
  curl: async (url, method) => async (query, variables) => {
    const body = ['--header', 'content-type: application/json', '--data', JSON.stringify({ query, variables })];
    const parameters = { query, variables: JSON.stringify(variables) };
    const fields = Object.entries(parameters).flatMap((field) => ['--data-urlencode', field.join('=')]);
    const sent = method === 'GET' ? ['--get', '--header', 'vendor-require-preflight: 1', ...fields] : body;
    return JSON.parse((await promisify(execFile)('curl', ['-sS', url, ...sent])).stdout);
  },
};

for (const httpStatusProfile of ['2026-09', 'classic'])
  describe(`statuses of ${httpStatusProfile}`, () => {
    const seen = [];
    const server = serveDuringTests({
      httpStatusProfile,
      typeDefs: `
          type Query { book(id: ID!): Book broken: String }
          type Mutation { addReview(review: ReviewInput!): Review! }
          type Book { title: String! author: Author! }
          type Author { name: String! }
          type Review { text: String! stars: Int }
          input ReviewInput { text: String! stars: Int }`,
      context: ({ request }) => ({ calls: seen.push(request.method) }),
      resolvers: {
        Query: {
          book: (_, { id }) => (id === '2' ? ROMEO : null),
          broken: () => {
            throw new Error('the database password is hunter2');
          },
        },
        Mutation: { addReview: (_, { review }) => review },
      },
    });

    for (const [name, connect] of Object.entries(clients)) {
      test(`${name} runs a query and a mutation, and shows errors`, async () => {
        const execute = await connect(server.url, 'POST');
        const failureOf = async (text) => {
          const { error, errors } = await execute(text, {}).catch((caught) => ({ error: caught }));
          return `${error} ${JSON.stringify([error, errors])}`;
        };

        assert.deepEqual(plain((await execute(BOOK, { id: '2' })).data), { book: ROMEO });
        assert.deepEqual(plain((await execute(ADD, { review: REVIEW })).data), { addReview: REVIEW });
        assert.match(await failureOf('{ broken }'), /Internal server error/);
        assert.match(await failureOf('{ nope }'), /Cannot query field/);
      });

      test(`${name} sends a query by GET`, async () => {
        const execute = await connect(server.url, 'GET');

        assert.deepEqual(plain((await execute(BOOK, { id: '2' })).data), { book: ROMEO });
        assert.equal(seen.at(-1), 'GET');
      });
    }

    for (const [name, load] of Object.entries(apollos))
      test(`${name} gets the right answer for each operation of a batch, an error among them`, async () => {
        const apollo = await load();
        const client = apolloOver(apollo, new apollo.BatchHttpLink({ uri: server.url, batchMax: 5, batchInterval: 5 }));

        const [book, broken, other] = await Promise.allSettled([
          client.query({ query: apollo.gql(BOOK), variables: { id: '2' } }),
          client.query({ query: apollo.gql('query B { broken }') }),
          client.query({ query: apollo.gql('query C { book(id: 3) { title } }') }),
        ]);

        assert.deepEqual(plain(book.value.data), { book: ROMEO });
        assert.match(broken.reason.message, /Internal server error/);
        assert.deepEqual(plain(other.value.data), { book: null });
      });

    test('graphql-request sends a batch', async () => {
      const { batchRequests } = await import('graphql-request');

      const batch = await batchRequests(server.url, [{ document: BOOK, variables: { id: '2' } }, { document: '{ __typename }' }]);

      assert.deepEqual(plain(batch), [{ data: { book: ROMEO } }, { data: {} }]);
    });
  });
