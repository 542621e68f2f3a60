import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readHeaders } from '../../../../src/server/platform/adapter.ts';

test('names are case-insensitive', () => {
  const headers = readHeaders({ 'X-ToKeN': 'a' });

  assert.equal(headers.get('x-token'), 'a');
  assert.equal(headers.get('X-TOKEN'), 'a');
});

test('several cookie fields are joined with semicolons, not commas', () => {
  assert.equal(readHeaders(null, { cookie: ['a=1', 'b=2'] }).get('cookie'), 'a=1; b=2');
  assert.equal(readHeaders({ Cookie: 'a=1', cookie: 'b=2' }).get('cookie'), 'a=1; b=2');
});

for (const map of [undefined, null, 5, 'accept: a', ['a']]) {
  test(`a value that is not an object has no fields: ${JSON.stringify(map)}`, () => {
    assert.deepEqual([...readHeaders(map, map)], []);
  });
}

for (const value of [5, null, {}, 'a\r\nx-injected: 1', 'a\0', '\u{1f30d}']) {
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

test('whitespace around a value of a REST API is trimmed', () => {
  assert.equal(readHeaders({}, { 'X-User': [' ada\t'] }).get('x-user'), 'ada');
});
