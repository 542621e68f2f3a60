import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createEvent, readResult } from '../../../../src/entries/testing.ts';
import type { PlatformName } from '../../../../src/entries/testing.ts';

test('an event has the fields of the request and defaults for the rest', () => {
  const event = createEvent('aws-http', { path: '/api', query: { a: '1 2' }, headers: { 'X-A': 'b', Cookie: 'c=1; d=2' }, body: '{}' });

  assert.equal(event.rawPath, '/api');
  assert.equal(event.rawQueryString, 'a=1+2');
  assert.deepEqual(event.cookies, ['c=1', 'd=2']);
  assert.deepEqual(event.headers, { 'x-a': 'b' });
  assert.equal(event.requestContext.http.method, 'POST');
  assert.equal(createEvent('alb', {}).httpMethod, 'GET');
  assert.equal(createEvent('netlify-v1', {}).path, '/graphql');
  assert.equal(createEvent('fetch', {}).url, 'https://example.org/graphql');
});

test('the stage is in the path of an HTTP API, but not in that of a REST API', () => {
  const rest = createEvent('aws-rest', {}, { stage: 'beta' });
  const http = createEvent('aws-http', {}, { stage: 'beta' });

  assert.deepEqual([rest.path, rest.requestContext.path, rest.requestContext.stage], ['/graphql', '/beta/graphql', 'beta']);
  assert.deepEqual([http.rawPath, http.requestContext.http.path, http.requestContext.stage], ['/beta/graphql', '/beta/graphql', 'beta']);
});

test('a result becomes the client’s response, including bytes, lists and cookies', async () => {
  const response = readResult('aws-rest', {
    statusCode: 201,
    headers: { 'X-A': 'single', 'X-B': 'b' },
    multiValueHeaders: { 'x-a': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] },
    body: Buffer.from([0, 255]).toString('base64'),
    isBase64Encoded: true,
  });

  assert.equal(response.status, 201);
  assert.equal(response.headers.get('x-a'), '1, 2');
  assert.equal(response.headers.get('x-b'), 'b');
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.deepEqual([...new Uint8Array(await response.arrayBuffer())], [0, 255]);
  assert.deepEqual(readResult('aws-http', { statusCode: 204, cookies: ['a=1'], body: '' }).headers.getSetCookie(), ['a=1']);
});

const refusals: readonly (readonly [PlatformName, unknown, RegExp])[] = [
  ['aws-http', undefined, /it is undefined/],
  ['aws-http', [], /it is \[\]/],
  ['aws-http', { body: '' }, /has no "statusCode"/],
  ['aws-http', { statusCode: 200, multiValueHeaders: {} }, /has the key "multiValueHeaders"; allowed are "statusCode"/],
  ['aws-rest', { statusCode: 200, cookies: [] }, /has the key "cookies"/],
  ['aws-rest', { statusCode: 99 }, /the statusCode 99/],
  ['aws-rest', { statusCode: 200, body: {} }, /body that is object, not a string/],
  ['aws-rest', { statusCode: 200, headers: { a: ['1'] } }, /a list for "a" in "headers"/],
  ['aws-rest', { statusCode: 200, multiValueHeaders: { a: '1' } }, /no list for "a"/],
  ['alb', { statusCode: 200, headers: {} }, /has no "body"/],
  ['lattice', { statusCode: 200 }, /has no "headers"/],
  ['fetch', { statusCode: 200 }, /a Response, got object/],
];
for (const [platform, result, message] of refusals) {
  test(`${platform} refuses ${JSON.stringify(result)} with a message`, () => {
    assert.throws(() => readResult(platform, result), message);
  });
}

test('an unknown platform is an error that lists all platforms', () => {
  assert.throws(() => createEvent('azure' as never, {}), /fetch, netlify-v1.*got "azure"/);
});
