import { match } from 'node:assert/strict';
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

describe('a result is compared with that of graphql-js', () => {
  for (const [what, actual, difference] of [
    ['an equal result', expected, /^equal$/],
    ['other errors below a null, in another order', result(data, 'name', 'item.b', 'other.a'), /^equal$/],
    ['more errors below a null', result(data, 'item.b', 'item.a', 'other.b', 'other.a', 'name'), /^equal$/],
    ['another value', result({ ...data, name: 'text' }, 'item.a', 'other.a', 'name'), /^other data at name$/],
    ['another order of keys', result({ name: null, item: null, other: null }, 'item.a', 'other.a', 'name'), /^other data$/],
    ['no data', { errors: expected.errors! }, /^other data$/],
    ['no error for a null', result(data, 'item.a', 'other.a'), /^missing error: .*failed at name/],
    ['an impossible error', result(data, 'item.a', 'item.c', 'other.a', 'name'), /^invented error: .*failed at item\.c/],
    ['an error twice', result(data, 'item.a', 'other.a', 'name', 'name'), /^invented error: .*failed at name/],
  ] as const)
    it(`${what}: ${difference.source}`, () => match(findDifference({ expected, actual, unpropagated }) ?? 'equal', difference));
});
