import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encodeQuery, joinQuery, rawQuery, splitURL } from '../../../../src/server/platform/adapter.ts';

for (const [what, actual, expected] of [
  ['only the question mark is removed from a raw query string', rawQuery('?a=%20+b'), 'a=%20+b'],
  ['a question mark inside a raw query string is kept', rawQuery('a=?'), 'a=?'],
  ['an empty query string stays empty', rawQuery(''), ''],
  ['a query string that is a number is ignored', rawQuery(5), undefined],
  ['a query string that is null is ignored', rawQuery(null), undefined],
  [
    'decoded parameters are encoded again, so that they are decoded once',
    encodeQuery({ q: '{ a(b: "%2B+&=") }' }),
    'q=%7B%20a(b%3A%20%22%252B%2B%26%3D%22)%20%7D',
  ],
  ['the map of lists takes precedence, because it has every value', encodeQuery({ a: '2' }, { a: ['1', '2'] }), 'a=1&a=2'],
  ['parameters of an Application Load Balancer stay encoded', joinQuery({ query: '%7B+a+%7D', b: '' }), 'query=%7B+a+%7D&b='],
  ['so do the lists of an Application Load Balancer', joinQuery(undefined, { a: ['%41', '+'] }), 'a=%41&a=+'],
  ['values that are not strings are dropped', encodeQuery({ a: 1, b: null, c: ['x', 2], d: {} }), 'c=x'],
  ['maps that are no objects have no parameters', encodeQuery([], 'a'), ''],
] as const)
  test(what, () => assert.equal(actual, expected));

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
