import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { serveTools } from '../../../support/mcp-serving.ts';

const json = { 'content-type': 'application/json' };
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('the endpoint', () => {
  for (const [what, request, status, code] of [
    ['GET', { method: 'GET' }, 405],
    ['OPTIONS without an origin', { method: 'OPTIONS' }, 405],
    ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['no content type', { headers: {} }, 415],
    ['another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }, 415],
    ['utf-8 as the charset', { headers: { 'content-type': 'application/json; charset="UTF-8"' } }, 200],
    ['an Accept without JSON', { headers: { ...json, accept: 'text/html' } }, 406],
    ['an Accept that refuses JSON', { headers: { ...json, accept: 'application/json;q=0, text/event-stream' } }, 406],
    ['an Accept with a similar type', { headers: { ...json, accept: 'application/jsonl' } }, 406],
    ['a compressed body', { headers: { ...json, 'content-encoding': 'gzip' } }, 415],
    ['a byte order mark before JSON', { body: `\ufeff${ping}` }, 200],
    ['an origin', { headers: { ...json, origin: 'https://evil.example' } }, 403],
    ['the origin null', { headers: { ...json, origin: 'null' } }, 403],
    ['a listed origin', { headers: { ...json, origin: 'https://app.example.com' } }, 200],
    ['a body over the limit', { body: `{"a":"${'x'.repeat(2_000)}"}` }, 413],
    ['no JSON', { body: '{' }, 400, -32_700],
    ['too many objects', { body: `[${'{},'.repeat(60_000)}{}]` }, 400, -32_700],
    ['a text with too many braces for objects', { body: ping.replace('}', `,"params":{"_meta":{"text":"${'{['.repeat(30_000)}"}}}`) }, 200],
    ['nothing', { body: '' }, 400, -32_700],
    ['a batch', { body: `[${ping}]` }, 400, -32_600],
    ['a response', { body: '{"jsonrpc":"2.0","id":1,"result":{}}' }, 400, -32_600],
    ['JSON-RPC 1.0', { body: '{"id":1,"method":"ping"}' }, 400, -32_600],
    ['the id null', { body: '{"jsonrpc":"2.0","id":null,"method":"ping"}' }, 400, -32_600],
    ['an id with a fraction', { body: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}' }, 400, -32_600],
    ['params as a list', { body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}' }, 400, -32_600],
    ['the id ""', { body: '{"jsonrpc":"2.0","id":"","method":"ping"}' }, 200],
    ['a session id', { headers: { ...json, 'mcp-session-id': 'x', 'last-event-id': '1' } }, 200],
    ['an unknown version', { headers: { ...json, 'mcp-protocol-version': '2024-01-01' } }, 400, -32_022],
    ['an older version', { headers: { ...json, 'mcp-protocol-version': '2025-03-26' } }, 400, -32_022],
  ] as const)
    test(`answers ${what} with ${status}`, async () => {
      const { send, runs } = serveTools({
        origins: ['https://app.example.com'],
        maxBodyBytes: what.includes('too many') ? 200_000 : 1_000,
      });

      const response = await send({
        method: 'POST',
        path: '/.netlify/functions/graphql/mcp',
        headers: json,
        ...(what !== 'GET' && { body: ping }),
        ...request,
      } as never);

      assert.equal(response.status, status, await response.clone().text());
      assert.equal(response.headers.get('cache-control'), 'private, no-store');
      assert.equal(response.headers.has('mcp-session-id'), false);
      if (status === 405) assert.equal(response.headers.get('allow'), 'POST');
      if (code !== undefined) assert.equal(((await response.json()) as any).error.code, code);
      assert.deepEqual(runs, []);
    });

  test('answers notifications with 202 and no body, and runs no tool for them', async () => {
    const { post, runs } = serveTools();

    for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/call']) {
      const response = await post({ jsonrpc: '2.0', method, params: { name: 'get_book', arguments: { id: '1' } } });
      assert.deepEqual([response.status, await response.text()], [202, '']);
    }

    assert.deepEqual(runs, []);
  });

  test('does not handle other paths, which serve GraphQL', async () => {
    const { send, post } = serveTools();

    const graphql = await post({ documentId: 'book', variables: { id: '1' } }, {}, '/graphql');
    const page = await send({ method: 'GET', path: '/mcpx', headers: { accept: 'text/html' } });

    assert.equal(((await graphql.json()) as any).data.book.title, 'Emma');
    assert.notEqual(page.status, 405);
  });
});
