import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import { rest } from '../../../../src/entries/rest.ts';

const documents = {
  half: 'mutation Half @http(method: POST, route: "/half") { done: remove(id: 1) failed: fail }',
  put: 'mutation Put($id: ID!, $title: String) @http(method: PUT, route: "/books/{id}") { put(id: $id, title: $title) { id } }',
  remove: 'mutation Remove($id: ID!) @http(method: DELETE, route: "/books/{id}") { remove(id: $id) }',
};

// test/contract/doors.test.ts has the replay of a POST that succeeded, and the refusals of keys.
for (const [method, path, status] of [
  ['POST', '/rest/half', 409],
  ['PUT', '/rest/books/7', 200],
  ['DELETE', '/rest/books/7', 200],
] as const)
  test(`${method} ${path} with a key runs once, and is replayed with its status ${status} and its text`, async () => {
    let runs = 0;
    const fail = (): never => {
      throw new GraphQLError('No.', { extensions: { code: 'CONFLICT' } });
    };
    const handler = createHandler({
      nodeEnv: 'test',
      typeDefs:
        'type Query { a: Int } type Mutation { put(id: ID!, title: String): Book remove(id: ID!): Int fail: Int } type Book { id: ID! }',
      resolvers: { Mutation: { put: () => ({ id: ++runs }), remove: () => ++runs, fail } },
      trustedDocuments: { documents },
      plugins: [idempotency({ store: memoryStore(), identity: () => 'anna' }), rest()],
    });
    const headers = { 'content-type': 'application/json', 'idempotency-key': '"key"' };
    const send = async (): Promise<Response> => handler.fetch(new Request(`https://shop.example${path}`, { method, headers, body: '{}' }));

    const [first, again] = [await send(), await send()];

    assert.deepEqual([first.status, again.status, runs], [status, status, 1]);
    assert.equal(await again.text(), await first.text());
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
  });
