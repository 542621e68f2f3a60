import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertStatuses, editionStatuses } from '../edition-statuses.ts';
import { get, json, plainRequest, post } from '../plain-http.ts';
import type { PlainRequest, PlainResponse } from '../plain-http.ts';

/** Sends one request through a real platform to the probe, and returns its response. */
export type Send = (request: PlainRequest) => Promise<PlainResponse>;

/** Tests of the answers that every platform must give. The tests are the same for all platforms. */
export function testAnswers(send: Send, losses: { readonly setCookies?: boolean } = {}): void {
  const query = 'query ($name: String) { hello(name: $name) }';
  for (const [what, name, request] of [
    ['a POST', 'Ada', post({ query, variables: { name: 'Ada' } })],
    ['a GET, with all characters of its query,', '50 % + 1 & ü 🦉', get({ query, variables: '{"name":"50 % + 1 & ü 🦉"}' })],
    ['a QUERY', 'Ada', { ...post({ query: '{ hello(name: "Ada") }' }), method: 'QUERY' }],
  ] as const)
    test(`${what} is answered`, async () => {
      const response = await send(request);

      assert.equal(response.status, 200, response.body);
      assert.deepEqual(json(response), { data: { hello: `Hello, ${name}!` } });
    });

  for (const one of editionStatuses({ nullable: 'fails', nonNull: 'failsHard' }))
    test(`${one.name} has the status and the label of GraphQL over HTTP, September 2026`, async () => {
      await assertStatuses(one, send);
    });

  test('a GET that another site’s page could have sent is refused', async () => {
    const response = await send(plainRequest({ query: 'query=%7Bhello%7D' }));

    assert.equal(response.status, 400);
  });

  test('a batch returns an array in the same order', async () => {
    const response = await send(post([{ query: '{ hello(name: "1") }' }, { query: '{ nothing }' }, { query: '{ hello(name: "3") }' }]));

    assert.equal(response.status, 200, response.body);
    const [first, second, third] = json(response);
    assert.deepEqual(first, { data: { hello: 'Hello, 1!' } });
    assert.equal(second.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    assert.deepEqual(third, { data: { hello: 'Hello, 3!' } });
  });

  test('a mutation returns Unicode unchanged, from text and from bytes', async () => {
    const text = 'grüß dich, שלום, 𝔘𝔫𝔦 🦉 \u2028 "\\"';
    const operation = JSON.stringify({ query: 'mutation ($text: String!) { echo(text: $text) }', variables: { text } });

    for (const body of [operation, Buffer.from(operation)]) assert.deepEqual(json(await send(post(body))), { data: { echo: text } });
  });

  test('the media type that the client accepts is sent', async () => {
    const response = await send(post({ query: '{ hello }' }, { headers: [['Accept', 'application/graphql-response+json']] }));

    assert.equal(response.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8');
  });

  test(losses.setCookies === true ? 'the first of two cookies arrives' : 'two cookies arrive as two', async () => {
    const cookies = ['a=1; Path=/; HttpOnly', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
    const setting = 'query ($values: [String!]!) { cookies(values: $values) }';
    const response = await send(post({ query: setting, variables: { values: cookies } }));

    assert.equal(response.status, 200, response.body);
    assert.deepEqual(response.setCookies, losses.setCookies === true ? cookies.slice(0, 1) : cookies);
  });

  test('an unexpected error is masked outside development', async () => {
    const response = await send(post({ query: '{ fails }' }));

    assert.equal(json(response).errors[0].message, 'Internal server error');
    assert.doesNotMatch(response.body, /secret of the probe/);
  });

  test('a body that is not JSON, and one over the limit, are refused', async () => {
    const broken = await send(post('{ "query": '));
    const large = await send(post({ query: '{ hello }', padding: 'x'.repeat(2 ** 20) }));

    assert.deepEqual([broken.status, large.status], [400, 413]);
    assert.deepEqual([json(broken).errors.length, json(large).errors.length], [1, 1]);
  });

  test('a tool of the Model Context Protocol is listed and called', async () => {
    const message = { jsonrpc: '2.0', id: 1, params: { name: 'greet', arguments: { name: 'Ada' } } };
    const list = await send(post({ ...message, method: 'tools/list' }, { path: '/graphql/mcp' }));
    const call = await send(post({ ...message, method: 'tools/call' }, { path: '/graphql/mcp' }));
    const wrong = await send(get({ query: '{ hello }' }, { path: '/graphql/mcp' }));

    assert.deepEqual([list.status, call.status, wrong.status], [200, 200, 405], list.body);
    const names = json(list).result.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['greet']);
    assert.deepEqual(json(call).result.structuredContent, { hello: 'Hello, Ada!' });
  });

  test('a health check, HEAD and OPTIONS are answered', async () => {
    const health = await send(plainRequest({ path: '/graphql/health' }));
    const head = await send(plainRequest({ method: 'HEAD' }));
    const options = await send(plainRequest({ method: 'OPTIONS' }));

    assert.deepEqual([health.status, head.status, options.status], [200, 405, 204]);
    assert.deepEqual(json(health), { status: 'pass' });
    assert.deepEqual([head.body, options.body], ['', '']);
  });
}

/** Sends with fetch. The path /graphql of a request becomes that of the URL. */
export async function sendTo(url: string, { method, path, query, headers, body }: PlainRequest): Promise<PlainResponse> {
  const response = await fetch(`${path.replace(/^\/graphql/, url)}${query === '' ? '' : `?${query}`}`, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  return {
    status: response.status,
    headers: new Map([...response.headers].filter(([name]) => name !== 'set-cookie')),
    setCookies: response.headers.getSetCookie(),
    body: await response.text(),
  };
}
