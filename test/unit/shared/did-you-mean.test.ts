import assert from 'node:assert/strict';
import { test } from 'node:test';

import { didYouMean, listOf } from '../../../src/shared/did-you-mean.ts';

for (const [name, names, expected] of [
  ['quer', ['Mutation', 'Queries', 'Query'], ' Did you mean "Query"?'],
  ['BOOKS', ['book', 'books'], ' Did you mean "books"?'],
  ['boo', ['book', 'boot'], ' Did you mean "book"?'],
  ['typeDefs', ['cache', 'plugins'], ''],
  ['a', [], ''],
] as const)
  test(`of "${names.join('", "')}", "${expected}" is said to whoever writes "${name}"`, () => {
    assert.equal(didYouMean(name, names), expected);
  });

test('a list says how many names it leaves out', () => {
  assert.equal(listOf(['a', 'b']), '"a", "b"');
  assert.equal(listOf(['a', 'b', 'c', 'd'], 2), '"a", "b" and 2 more');
});
