import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInThisContext } from 'node:vm';

import { GraphQLError } from 'graphql';

import type { ServerOptions } from '../../../src/entries/index.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { json, post } from '../../support/plain-http.ts';
import { root } from '../../support/pages.ts';

// The names that a client cannot know begin with "secret".
const typeDefs = `
  type Query { find(kind: SecretKind, filter: SecretFilter): SecretBook  book(secretNeeded: Int!): SecretBook  boom: Int }
  type SecretBook { title: String }
  enum SecretKind { SECRET_NOVEL }
  input SecretFilter { secretText: String! limit: Int }
`;
const invalid: readonly object[] = [
  { query: '{ boook }' },
  { query: '{ find }' },
  { query: '{ find { titel } }' },
  { query: '{ find(kind: SECRET) { title } }' },
  { query: '{ find(filter: { limit: 1 }) { title } }' },
  { query: '{ book { title } }' },
  { query: 'query ($a: String) { find(filter: $a) { title } }' },
  { query: 'query ($a: SecretFilter!) { find(filter: $a) { title } }', variables: { a: { limit: 1 } } },
  { query: 'query ($a: SecretKind!) { find(kind: $a) { title } }', variables: { a: 'POEM' } },
];

test('the recipe of docs/security.md for a secret schema replaces the messages that name it, and no others', async () => {
  const page = await readFile(join(root, 'docs/security.md'), 'utf8');
  const [, recipe = ''] = /### A secret schema\n[^]*?```ts\n([^]*?)```/.exec(page) ?? [];
  const options = runInThisContext(`({ ${recipe} })`) as Partial<ServerOptions>;
  const boom = (): never => {
    throw new GraphQLError('No such book', { extensions: { code: 'BAD_USER_INPUT' } });
  };
  const { send } = createEndpoint({ typeDefs, resolvers: { Query: { boom } } as never, ...options });

  for (const request of invalid) {
    const { errors } = json(await send(post(request)));
    for (const { message, locations, extensions } of errors) {
      assert.equal(message, 'The request is not valid.', JSON.stringify(request));
      assert.equal(typeof locations[0].line, 'number');
      assert.match(extensions.code, /^(?:GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)$/);
    }
  }
  assert.equal(json(await send(post({ query: '{ boom }' }))).errors[0].message, 'No such book');
  assert.match(json(await send(post({ query: '{ boom' }))).errors[0].message, /^Syntax Error/);
});
