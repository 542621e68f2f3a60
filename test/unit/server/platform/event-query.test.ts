import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodeQuery, joinQuery, rawQuery, splitURL } from '../../../../src/server/platform/adapter.ts';

test('only the question mark is removed from a raw query string', () => {
  assert.equal(rawQuery('?a=%20+b'), 'a=%20+b');
  assert.equal(rawQuery('a=?'), 'a=?');
  assert.equal(rawQuery(''), '');
});

test('a query string that is not a string is ignored', () => {
  assert.equal(rawQuery(5), undefined);
  assert.equal(rawQuery(null), undefined);
});

test('decoded parameters are encoded again, so that they are decoded once', () => {
  assert.equal(encodeQuery({ query: '{ a(b: "%2B+&=") }' }), 'query=%7B%20a(b%3A%20%22%252B%2B%26%3D%22)%20%7D');
});

test('the map of lists takes precedence, because it has every value', () => {
  assert.equal(encodeQuery({ a: '2' }, { a: ['1', '2'] }), 'a=1&a=2');
});

test('parameters of an Application Load Balancer stay encoded', () => {
  assert.equal(joinQuery({ query: '%7B+a+%7D', b: '' }), 'query=%7B+a+%7D&b=');
  assert.equal(joinQuery(undefined, { a: ['%41', '+'] }), 'a=%41&a=+');
});

test('values that are not strings are dropped', () => {
  assert.equal(encodeQuery({ a: 1, b: null, c: ['x', 2], d: {} }), 'c=x');
  assert.equal(encodeQuery([], 'a'), '');
});

test('half a surrogate pair is refused as a malformed event', () => {
  assert.throws(() => encodeQuery({ a: '\ud800' }), /^Expected the query parameters of the event to be Unicode text/);
});

for (const [url, path, queryString] of [
  ['/a/b?c=/d?e', '/a/b', 'c=/d?e'],
  ['/a?b#c?d', '/a', 'b'],
  ['//host/a?b', '//host/a', 'b'],
  ['?a', '/', 'a'],
  ['', '/', ''],
  ['https://host/a?b', '/a', 'b'],
  ['https://host?a=/b', '/', 'a=/b'],
  ['https://host#/a', '/', ''],
] as const)
  test(`the URL ${JSON.stringify(url)} has the path ${path} and the query ${JSON.stringify(queryString)}`, () => {
    assert.deepEqual(splitURL(url), { path, queryString });
  });
