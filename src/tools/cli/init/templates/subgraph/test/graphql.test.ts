import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTester } from 'graphql-functions/testing';

process.env.ROUTER_SECRET = 'the secret of the tests';
// Imported here, because the secret is read when the module is loaded.
const { options } = await import('../graphql/options.ts');

const { run } = createTester(options);
const headers = { 'x-router-secret': 'the secret of the tests' };

test('the first books are listed', async () => {
  const { data, errors } = await run('{ books(first: 1) { title } }', {}, { headers });

  assert.equal(errors, undefined);
  assert.deepEqual(data, { books: [{ title: 'Emma' }] });
});

test('the router gets books by their keys, and null for an unknown one', async () => {
  const query = 'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Book { title published } } }';
  const representations = ['frankenstein', 'unknown', 'emma'].map((id) => ({ __typename: 'Book', id }));

  const { data, errors } = await run(query, { representations }, { headers });

  assert.equal(errors, undefined);
  assert.deepEqual(data, {
    _entities: [{ title: 'Frankenstein', published: '1818-01-01' }, null, { title: 'Emma', published: '1815-12-23' }],
  });
});

test('callers without the secret of the router are refused', async () => {
  const { status, errors } = await run('{ books { title } }');

  assert.equal(status, 401);
  assert.equal(errors?.[0]?.extensions?.['code'], 'UNAUTHENTICATED');
});
