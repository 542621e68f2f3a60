import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTester } from 'graphql-functions/testing';

import { options } from '../graphql/options.ts';

const { run } = createTester(options);

test('a book is found by its id', async () => {
  const { data, errors } = await run('query ($id: ID!) { book(id: $id) { title published } }', { id: 'emma' });

  assert.equal(errors, undefined);
  assert.deepEqual(data, { book: { title: 'Emma', published: '1815-12-23' } });
});

test('an unknown id is null', async () => {
  const { data } = await run('{ book(id: "unknown") { title } }');

  assert.deepEqual(data, { book: null });
});
