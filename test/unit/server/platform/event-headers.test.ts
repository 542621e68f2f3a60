import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readHeaders } from '../../../../src/server/platform/adapter.ts';

test('names are case-insensitive', () => {
  const headers = readHeaders({ 'X-ToKeN': 'a' });

  assert.equal(headers.get('x-token'), 'a');
  assert.equal(headers.get('X-TOKEN'), 'a');
});

test('a name in two cases is one field with both values', () => {
  assert.equal(
    readHeaders({ 'Content-Type': 'application/json', 'content-type': 'text/plain' }).get('content-type'),
    'application/json, text/plain',
  );
});

test('of two maps, the one with lists takes precedence', () => {
  const headers = readHeaders({ Accept: 'last', only: 'single' }, { accept: ['first', 'last'] });

  assert.equal(headers.get('accept'), 'first, last');
  assert.equal(headers.get('only'), 'single');
});

test('several cookie fields are joined with semicolons, not commas', () => {
  assert.equal(readHeaders(null, { cookie: ['a=1', 'b=2'] }).get('cookie'), 'a=1; b=2');
  assert.equal(readHeaders({ Cookie: 'a=1', cookie: 'b=2' }).get('cookie'), 'a=1; b=2');
});

for (const map of [undefined, null, 5, 'accept: a', [], ['a'], [['accept', 'a']], true]) {
  test(`a value that is not an object has no fields: ${JSON.stringify(map)}`, () => {
    assert.deepEqual([...readHeaders(map, map)], []);
  });
}

for (const value of [5, null, true, {}, ['a'].entries(), undefined, 'a\r\nx-injected: 1', 'a\0', 'a\nb', '\u{1f30d}', 'ā']) {
  test(`a value invalid in HTTP is dropped, the others are kept: ${typeof value} ${JSON.stringify(value)}`, () => {
    assert.deepEqual(
      [...readHeaders({ before: '1', 'x-bad': value, after: '2' })],
      [
        ['before', '1'],
        ['after', '2'],
      ],
    );
  });
}

for (const name of ['', 'with space', 'colon:', 'new\nline', 'ünï', '(', 'a,b']) {
  test(`a name invalid in HTTP is dropped: ${JSON.stringify(name)}`, () => {
    assert.deepEqual([...readHeaders({ [name]: 'x', fine: '1' })], [['fine', '1']]);
  });
}

test('names with a meaning in JavaScript work like any other', () => {
  const headers = readHeaders(JSON.parse('{"__proto__":"a","constructor":"b","hasOwnProperty":"c","toString":"d"}'));

  assert.equal(headers.get('__proto__'), 'a');
  assert.equal(headers.get('constructor'), 'b');
  assert.equal(headers.get('valueOf'), null);
  assert.equal(({} as Record<string, unknown>)['a'], undefined);
});

test('only strings are kept from sparse lists and lists of other values', () => {
  assert.equal(readHeaders({}, { accept: [null, 'a', 5, 'b', undefined] }).get('accept'), 'a, b');
});

for (const value of [5, null, undefined, ['b', 'c']]) {
  test(`beside a valid value there can be others: ${JSON.stringify(value)}`, () => {
    const headers = readHeaders({ accept: 'a', host: value });

    assert.equal(headers.get('accept'), 'a');
    assert.equal(headers.get('host'), Array.isArray(value) ? 'b, c' : null);
  });
}

test('the two maps of a REST API are read as one map of single values', () => {
  const single = { Accept: '*/*', 'Content-Type': 'application/json', 'X-Only': 'single' };
  const multiple = { Accept: ['*/*'], 'Content-Type': ['application/json'], Cookie: ['a=1; b=2'] };

  const headers = readHeaders(single, multiple);

  assert.deepEqual(Object.fromEntries(headers), {
    accept: '*/*',
    'content-type': 'application/json',
    cookie: 'a=1; b=2',
    'x-only': 'single',
  });
  headers.set('accept', 'text/html');
  assert.equal(single.Accept, '*/*');
});

for (const [what, lists, expected] of [
  ['a text', 'b', 'b'],
  ['two values', ['b', 'c'], 'b, c'],
  ['a value that HTTP does not allow', ['b\r\nx: c'], 'single'],
  ['no value', [], 'single'],
  ['a foreign value', [5], 'single'],
] as const)
  test(`a field in both maps can have ${what} in the lists, however it is read`, () => {
    const headers = readHeaders({ Accept: 'a', 'X-User': 'single' }, { Accept: ['a'], 'X-User': lists });

    assert.equal(headers.get('x-user'), expected);
    assert.equal(headers.get('X-USER'), expected);
    assert.deepEqual(Object.fromEntries(headers), { accept: 'a', 'x-user': expected });
  });

test('fields can be in either map, or in both', () => {
  const read = (single: object, multiple: object): object => Object.fromEntries(readHeaders(single, multiple));

  assert.deepEqual(read({ Accept: 'a' }, { Accept: ['c'] }), { accept: 'c' });
  assert.deepEqual(read({ Accept: 'a', Host: 'b', Origin: 'd' }, { Accept: ['c'] }), { accept: 'c', host: 'b', origin: 'd' });
  assert.deepEqual(read({ Accept: 'a' }, { Accept: ['c'], Host: ['b'] }), { accept: 'c', host: 'b' });
  assert.equal(readHeaders({ Accept: 'a', accept: 'b' }, { Host: ['b'] }).get('accept'), 'a, b');
});

test('whitespace around a value of a REST API is trimmed', () => {
  assert.equal(readHeaders({}, { 'X-User': [' ada\t'] }).get('x-user'), 'ada');
});

test('property names of Object.prototype also work in lists', () => {
  const headers = readHeaders({}, JSON.parse('{"__proto__":["a"],"Constructor":["b"],"X":["c"]}'));

  assert.deepEqual(
    [headers.get('__proto__'), headers.get('constructor'), headers.get('x'), headers.get('tostring')],
    ['a', 'b', 'c', null],
  );
});
