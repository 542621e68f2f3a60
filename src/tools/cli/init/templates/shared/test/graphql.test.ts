import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTester } from 'graphql-functions/testing';

import { ids } from '../documents/ids.ts';
import { options } from '../graphql/options.ts';

const { run, send } = createTester(options);

test('a book is found by its id', async () => {
  const { data, errors } = await run({ documentId: ids.Book }, { id: 'emma' });

  assert.equal(errors, undefined);
  assert.deepEqual(data, { book: { title: 'Emma', published: '1815-12-23', __typename: 'Book' } });
});

test('titles are in the language of the client', async () => {
  const { data } = await run({ documentId: ids.Book }, { id: 'frankenstein' }, { headers: { 'accept-language': 'de' } });

  assert.deepEqual(data, { book: { title: 'Frankenstein oder Der moderne Prometheus', published: '1818-01-01', __typename: 'Book' } });
});

test('an unknown id is null', async () => {
  const { data } = await run({ documentId: ids.Book }, { id: 'unknown' });

  assert.deepEqual(data, { book: null });
});

test('an operation with @http is a route', async () => {
  const response = await send({ method: 'GET', path: '/rest/books/emma' });

  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { id: 'emma', title: 'Emma', published: '1815-12-23', __typename: 'Book' });
});

test('other operations are refused', async () => {
  const { status, errors } = await run('{ books { published } }');

  assert.equal(status, 400);
  assert.equal(errors?.[0]?.extensions?.['code'], 'BAD_REQUEST');
});
