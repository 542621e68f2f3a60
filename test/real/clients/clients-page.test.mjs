// The clients of docs/clients.md.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';

import { createListener } from '../../../dist/esm/node.js';
import { writePageFiles } from './page-files.mjs';
import { listenDuringTests, logger } from './served.mjs';

let page;
/** What the gateway in front of the handler has seen: the kind of operation and its key. */
let seen = [];
/** The number of requests that the gateway answers with 503 and HTML. */
let failures = 0;

const listener = createListener({
  csrfPrevention: true,
  logger,
  typeDefs: 'type Query { hello(name: String = "world"): String! ads: String } type Mutation { pay: Int! }',
  resolvers: {
    Query: { hello: (_, { name }) => `Hello, ${name}!`, ads: () => Promise.reject(new Error('down')) },
    Mutation: { pay: () => 1 },
  },
});
const server = listenDuringTests((request, response) => {
  seen.push({ method: request.method, key: request.headers['idempotency-key'] });
  if (failures-- > 0) response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Service unavailable</h1>');
  else void listener(request, response);
});
before(async () => {
  page = await writePageFiles();
});
beforeEach(() => {
  seen = [];
  failures = 0;
});
after(() => page.remove());

test('fetch: an answer with data and errors, one without data, and one of a gateway', async () => {
  const { ask } = await page.load('client/ask.ts');

  assert.deepEqual((await ask(server.url, 'query ($name: String) { hello(name: $name) }', { name: 'Ada' })).data, { hello: 'Hello, Ada!' });
  const partial = await ask(server.url, '{ hello ads }');
  assert.deepEqual([partial.data, partial.errors[0].path], [{ hello: 'Hello, world!', ads: null }, ['ads']]);
  await assert.rejects(ask(server.url, '{ nothing }'), /Cannot query field "nothing"/);
  failures = 1;
  await assert.rejects(ask(server.url, '{ hello }'), { message: 'Status 503 without JSON.' });
});

test('Apollo Client sends a query again after the 503 of a gateway, and keeps the data of an answer with errors', async () => {
  const { gql } = await import('@apollo/client');
  const { createClient } = await page.load('client/apollo.js');
  failures = 1;

  const { data, error } = await createClient(server.url).query({ query: gql('{ hello ads }') });

  assert.deepEqual([data, error.errors[0].message], [{ hello: 'Hello, world!', ads: null }, 'Internal server error']);
  assert.equal(seen.length, 2);
});

test('Apollo Client sends a mutation once, with a key', async () => {
  const { gql } = await import('@apollo/client');
  const { createClient } = await page.load('client/apollo.js');
  failures = 1;

  await createClient(server.url)
    .mutate({ mutation: gql('mutation { pay }') })
    .catch(() => undefined);

  assert.equal(seen.length, 1);
  assert.match(seen[0].key, /^"[\w-]{36}"$/);
});

test('urql sends a query again after the 503 of a gateway, and a mutation once', async () => {
  const { createClient } = await page.load('client/urql.js');
  const client = createClient(server.url);
  failures = 1;

  assert.deepEqual((await client.query('{ hello }', {}).toPromise()).data, { hello: 'Hello, world!' });
  assert.equal(seen.length, 2);

  failures = 1;
  assert.notEqual((await client.mutation('mutation { pay }', {}).toPromise()).error, undefined);
  assert.equal(seen.length, 3);
});
