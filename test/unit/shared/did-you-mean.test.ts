import assert from 'node:assert/strict';
import { test } from 'node:test';

import { didYouMean, listOf } from '../../../src/shared/did-you-mean.ts';

test('the nearest name is suggested, whatever the case of its letters', () => {
  assert.equal(didYouMean('quer', ['Mutation', 'Queries', 'Query']), ' Did you mean "Query"?');
  assert.equal(didYouMean('BOOKS', ['book', 'books']), ' Did you mean "books"?');
});

test('of two names equally near the first is suggested', () => {
  assert.equal(didYouMean('boo', ['book', 'boot']), ' Did you mean "book"?');
});

test('a name that is far from all is not guessed at', () => {
  assert.equal(didYouMean('typeDefs', ['cache', 'plugins']), '');
  assert.equal(didYouMean('a', []), '');
});

test('a list says how many names it leaves out', () => {
  assert.equal(listOf(['a', 'b']), '"a", "b"');
  assert.equal(listOf(['a', 'b', 'c', 'd'], 2), '"a", "b" and 2 more');
});
