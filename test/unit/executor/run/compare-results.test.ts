import { equal, match } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { findDifference } from '../../../support/differential/compare-results.ts';

function result(data: unknown, ...paths: string[]): ExecutionResult {
  const errors = paths.map((path) => new GraphQLError(`failed at ${path}`, { path: path.split('.') }));
  return { data, errors } as ExecutionResult;
}

// `item` and `other` each have two non-null fields. `name` is nullable.
const data = { item: null, other: null, name: null };
const expected = result(data, 'item.a', 'other.a', 'name');
const all = ['item.a', 'item.b', 'other.a', 'other.b', 'name'];
const unpropagated = result({ item: { a: null, b: null }, other: { a: null, b: null }, name: null }, ...all);

function compare(actual: ExecutionResult): string {
  return findDifference({ expected, actual, unpropagated }) ?? 'equal';
}

describe('a result is compared with that of graphql-js', () => {
  it('and may have other errors below a null, in another order', () => {
    equal(compare(expected), 'equal');
    equal(compare(result(data, 'name', 'item.b', 'other.a')), 'equal');
    equal(compare(result(data, 'item.b', 'item.a', 'other.b', 'other.a', 'name')), 'equal');
  });

  it('and may not have other data', () => {
    equal(compare(result({ ...data, name: 'text' }, 'item.a', 'other.a', 'name')), 'other data at name');
    equal(compare(result({ name: null, item: null, other: null }, 'item.a', 'other.a', 'name')), 'other data');
    equal(compare({ errors: expected.errors! }), 'other data');
  });

  it('and must report each error that is not below a null', () => {
    match(compare(result(data, 'item.a', 'other.a')), /^missing error: .*failed at name/);
  });

  it('and may not report an error that cannot occur', () => {
    match(compare(result(data, 'item.a', 'item.c', 'other.a', 'name')), /^invented error: .*failed at item\.c/);
    match(compare(result(data, 'item.a', 'other.a', 'name', 'name')), /^invented error: .*failed at name/);
  });
});
