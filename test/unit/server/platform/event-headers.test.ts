import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/aws-lambda.ts';
import { readHeaders } from '../../../../src/server/platform/adapter.ts';
import { json, post } from '../../../support/plain-http.ts';
import { httpAPI } from '../../../support/sources.ts';

test('names are case-insensitive', () => {
  for (const name of ['x-token', 'X-TOKEN']) assert.equal(readHeaders({ 'X-ToKeN': 'a' }).get(name), 'a');
});

test('several cookie fields are joined with semicolons, not commas', () => {
  assert.equal(readHeaders(null, { cookie: ['a=1', 'b=2'] }).get('cookie'), 'a=1; b=2');
  assert.equal(readHeaders({ Cookie: 'a=1', cookie: 'b=2' }).get('cookie'), 'a=1; b=2');
});

for (const map of [undefined, null, 5, 'accept: a', ['a']])
  test(`a value that is not an object has no fields: ${JSON.stringify(map)}`, () => {
    assert.deepEqual([...readHeaders(map, map)], []);
  });

for (const [name, value] of [
  ...[5, null, {}, 'a\r\nx-injected: 1', 'a\0', '\u{1f30d}'].map((value) => ['x-bad', value] as const),
  ...['', 'with space', 'colon:', 'new\nline', 'ünï', '(', 'a,b'].map((name) => [name, 'x'] as const),
])
  test(`a field invalid in HTTP is dropped, the others are kept: ${JSON.stringify(name)}: ${JSON.stringify(value)}`, () => {
    assert.deepEqual(Object.fromEntries(readHeaders({ before: '1', [name]: value, after: '2' })), { before: '1', after: '2' });
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

test('whitespace around a value of a REST API is trimmed', () => {
  assert.equal(readHeaders({}, { 'X-User': [' ada\t'] }).get('x-user'), 'ada');
});

for (const [what, cookies, expected] of [
  ['the list that API Gateway sends is taken, and not added to the field, which emulators send, too', ['a=1', 'b=2'], 'a=1; b=2'],
  ['an empty list does not replace the field', [], 'a=1; c=3'],
  ['a list without a cookie does not replace the field', [5], 'a=1; c=3'],
] as const)
  test(`of cookies beside a cookie field, ${what}`, async () => {
    const handler = createHandler({
      typeDefs: 'type Query { cookie: String }',
      context: ({ request }) => ({ cookie: request.headers.get('cookie') }),
      resolvers: { Query: { cookie: (_parent: unknown, _args: unknown, context: { cookie: string | null }) => context.cookie } },
    });
    const built = httpAPI.build(post({ query: '{ cookie }' })) as { readonly headers: object };
    const event = { ...built, headers: { ...built.headers, cookie: 'a=1; c=3' }, cookies };

    const response = await httpAPI.read(await handler(event, {}));

    assert.equal(json(response).data.cookie, expected);
  });
