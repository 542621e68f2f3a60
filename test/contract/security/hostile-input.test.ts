import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { hostileEvent, hostileRequests, resolvers, typeDefs } from '../../../bench/hostile-requests.ts';
import { createHandler as createLambdaHandler } from '../../../src/entries/aws-lambda.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { createHandler } from '../../../src/entries/index.ts';
import { limits } from '../../../src/entries/limits.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const deep = 50_000;
const repeat = (count: number, one: (index: number) => string): string => Array.from({ length: count }, (_, index) => one(index)).join(' ');

const hello = { query: '{ hello }' };
const withHeaders = (...headers: [string, string][]): PlainRequest => post(hello, { headers });
const queryOf = (query: string): PlainRequest => post({ query });
const floodOf = (text: string, count: number): PlainRequest => queryOf(`{ ${text.repeat(count)} }`);
const chain = (index: number): string => {
  const next = index < 39 ? `...F${index + 1}` : 'name';
  return `fragment F${index} on Author { a: books { author { ${next} } } b: books { author { ${next} } } }`;
};
const filtered = 'query ($f: Filter) { books(filter: $f) { title } }';

/** Malicious requests, and the status of their refusal. */
const inputs: Readonly<Record<string, readonly [status: number, request: PlainRequest, options?: Partial<ServerOptions>]>> = {
  // Depth
  'braces 50,000 deep, closed': [400, queryOf(`${'{ books '.repeat(deep)}${'}'.repeat(deep)}`)],
  'inline fragments 50,000 deep': [400, queryOf('{ ... '.repeat(deep))],
  'list literals 50,000 deep': [400, queryOf(`{ sum(numbers: ${'['.repeat(deep)}`)],
  'list types 50,000 deep': [400, queryOf(`query ($n: ${'['.repeat(deep)}Int`)],
  'variables 50,000 deep': [422, post(`{"query":"${filtered}","variables":{"f":${'{"and":'.repeat(deep)}{}${'}'.repeat(deep)}}}`)],
  'a body of brackets 500,000 deep': [422, post('['.repeat(500_000))],
  'extensions 50,000 deep are ignored': [200, post(`{"query":"{ hello }","extensions":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`)],
  'braces by GET': [400, plainRequest({ query: `query=${'{books'.repeat(deep)}` })],

  // Floods
  'alias flood': [400, queryOf(`{ ${repeat(20_000, (index) => `a${index}: hello`)} }`)],
  'alias flood below the token limit, with maxAliases (CVE-2024-39895)': [
    422,
    queryOf(`{ ${repeat(100, (index) => `a${index}: hello`)} }`),
    { plugins: [limits({ maxAliases: 50 })] },
  ],
  'directive flood (CVE-2024-47614)': [400, queryOf(`{ hello ${'@include(if: true) '.repeat(20_000)} }`)],
  'operation flood': [422, queryOf(repeat(2500, (index) => `query Q${index} { hello }`))],
  'variable flood': [422, queryOf(`query (${repeat(3000, (index) => `$v${index}: Int`)}) { hello }`)],
  'comment flood': [400, queryOf(`{ hello ${'#\n'.repeat(300_000)} }`)],
  'overlapping fields (CVE-2023-26144)': [422, floodOf('books { title author { name } } ', 1500)],
  'overlapping inline fragments (CVE-2026-40476)': [422, floodOf('... { hello } ', 3500)],
  'a fan of fragments (CVE-2026-34573)': [422, queryOf(`{ books { author { ...F0 } } } ${repeat(40, chain)}`)],
  'a circle of 1,000 fragments': [
    422,
    queryOf(`{ ...F0 } ${repeat(1000, (index) => `fragment F${index} on Query { ...F${(index + 1) % 1000} }`)}`),
  ],
  'a batch of floods': [200, post(Array.from({ length: 10 }, () => ({ query: `{ ${'hello '.repeat(14_000)} }` })))],
  'a million objects in variables': [422, post(`{"query":"{ hello }","variables":{"x":[${'{},'.repeat(300_000)}{}]}}`)],

  // Bytes
  '10 MB of body': [413, post('x'.repeat(10 * 1024 * 1024))],
  '2 MB of query string': [414, plainRequest({ query: `query=${'x'.repeat(2 * 1024 * 1024)}` })],
  'NUL in a document': [400, queryOf('{ hello\u0000 }')],
  'half a surrogate pair in a document': [400, post(String.raw`{"query":"{ hello\ud800 }"}`)],
  'half a surrogate pair in a text': [400, post(String.raw`{"query":"{ hello(name: \"\ud800\") }"}`)],
  'a byte order mark in a document': [200, queryOf('\ufeff{ hello }')],
  'bytes that are not UTF-8': [400, post(Uint8Array.of(0x22, 0xc3, 0x28, 0x22))],
  'a compressed body that does not say so': [400, post(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0))],
  'a form that says it is JSON': [400, post('query=%7B+hello+%7D')],
  'bad percent escapes': [400, plainRequest({ query: 'query=%E0%A4%A' })],
  'percent escapes of half a surrogate pair': [400, plainRequest({ query: 'query=%ED%A0%80' })],
  'line breaks in an operation name': [422, post({ query: 'query A { hello }', operationName: 'A\r\nset-cookie: a=b' })],

  // Heads
  'an Accept of 100,000 ranges': [406, withHeaders(['accept', 'a/b;q=0.1,'.repeat(100_000)])],
  'an Accept of nonsense': [406, withHeaders(['accept', '\u00ff;;;,,,q=,=;"'])],
  'a content type of a megabyte': [
    200,
    plainRequest({ ...post(hello), headers: [['content-type', `application/json;${'a="b;'.repeat(200_000)}`]] }),
  ],
  'a Host that no URL has (CVE-2024-32652)': [200, withHeaders(['host', 'a b[::'])],
  'a path of slashes (CVE-2026-39406)': [200, post(hello, { path: '//' })],
  'a path with dots and escapes': [200, post(hello, { path: '/a/../%2e%2e/%00/..;/graphql' })],
  'a path of 100 KB': [200, post(hello, { path: `/${'a'.repeat(100_000)}` })],
  '300 headers': [200, withHeaders(...Array.from({ length: 300 }, (_, index): [string, string] => [`x-${index}`, 'x'.repeat(100)]))],
  'headers named like properties': [200, withHeaders(['__proto__', 'x'], ['constructor', 'x'], ['toString', 'x'])],
};

describe('hostile input', () => {
  for (const [name, [status, request, options]] of Object.entries(inputs)) {
    it(`${name}: ${status}, with a GraphQL error, and the next request is answered`, async () => {
      const endpoint = createEndpoint(options);

      const response = await endpoint.send(request);
      const next = await endpoint.send(post({ query: '{ next: hello }' }));

      assert.equal(response.status, status, response.body.slice(0, 200));
      assert.ok(Array.isArray(json(response)) || json(response).errors || json(response).data);
      assert.deepEqual(json(next), { data: { next: 'Hello, world!' } });
      assert.deepEqual(endpoint.lines, []);
      if (status >= 400) assert.deepEqual(endpoint.runs, ['hello']);
    });
  }
});

describe('names sent by a client do not reach a prototype (CVE-2022-24999, AIKIDO-2025-10884)', () => {
  const requests: Readonly<Record<string, PlainRequest>> = {
    'keys of the body': post('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"query":"{ hello }"}'),
    'variables of the body': post(`{"query":"${filtered}","variables":{"__proto__":{"polluted":1},"f":{"__proto__":{"polluted":1}}}}`),
    'names of variables': post(
      '{"query":"query ($__proto__: Filter, $constructor: Filter) { books(filter: $__proto__) { title } }","variables":{"__proto__":{"polluted":1},"constructor":{"author":"x"}}}',
    ),
    'extensions of the body': post('{"query":"{ hello }","extensions":{"__proto__":{"polluted":1},"persistedQuery":null}}'),
    'names in the query string': plainRequest({
      query: 'query={hello}&__proto__[polluted]=1&__proto__.polluted=1&constructor[prototype][polluted]=1',
    }),
    'variables in the query string': get({ query: filtered, variables: '{"__proto__":{"polluted":1}}' }),
    aliases: post({ query: '{ __proto__: hello constructor: hello prototype: hello toString: hello hasOwnProperty: hello }' }),
    'fields of literals': post({ query: '{ books(filter: { __proto__: { polluted: 1 } }) { title } }' }),
    'names of operations and fragments': post({
      query: 'query __proto__ { ...constructor } fragment constructor on Query { hello }',
      operationName: '__proto__',
    }),
    'header names': withHeaders(['__proto__', 'polluted'], ['constructor', 'polluted']),
    'persisted hashes': post('{"query":"{ hello }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"__proto__"}}}'),
  };
  for (const [name, request] of Object.entries(requests)) {
    it(name, async () => {
      const before = Object.getOwnPropertyNames(Object.prototype);

      const response = await createEndpoint().send(request);

      assert.ok([200, 400, 404, 422].includes(response.status), response.body);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
    });
  }

  it('a variable called __proto__ reaches its argument like any other', async () => {
    const query = 'query ($__proto__: String) { hello(name: $__proto__) }';

    const response = await createEndpoint().send(post(`{"query":${JSON.stringify(query)},"variables":{"__proto__":"x"}}`));

    assert.ok([200, 400, 404, 422].includes(response.status), response.body);
    if (response.status === 200) assert.deepEqual(json(response), { data: { hello: 'Hello, x!' } });
  });
});

describe('a request of up to 1 MiB is refused or answered, with at most 1 MiB of errors, and at most 64 KB in the log', () => {
  for (const [executor, options] of Object.entries({ plans: {}, 'graphql-js': { executor: graphqlJSExecutor() } })) {
    const [logger, lines] = recordingLogger();
    const handler = createLambdaHandler({ typeDefs, resolvers, logger, allowBatchedHttpRequests: true, nodeEnv: '', ...options });
    for (const [name, request] of Object.entries(hostileRequests)) {
      it(`${name}, with ${executor}`, async () => {
        lines.length = 0;

        const { statusCode, body } = (await handler(hostileEvent(request()), {} as never)) as { statusCode: number; body: string };

        const answers = [JSON.parse(body)].flat() as { errors?: object[] }[];
        assert.ok(statusCode < 500, body.slice(0, 200));
        assert.ok(JSON.stringify(answers.map(({ errors }) => errors)).length < 1024 * 1024);
        assert.ok(JSON.stringify(lines).length < 65_536);
      });
    }
  }
});

for (const value of ['a\r\nset-cookie: b=c', 'a\nb', 'a\u0000b', 'a\u007fb', '🦊'])
  it(`a header with the value ${JSON.stringify(value)}, from a context or an upstream server, is never sent`, async () => {
    const endpoint = createEndpoint({ context: ({ response }) => (response.headers.set('x-echo', value), {}) });

    const response = await endpoint.send(post(hello));

    assert.deepEqual([response.status, response.headers.has('x-echo'), response.setCookies], [500, false, []]);
  });

it('a limit holds in a direct invocation as well (CVE-2026-30241, GHSA-w42g-7vfc-xf37)', async () => {
  const handler = createHandler({ typeDefs: 'type Query { a: Query b: Int }', plugins: [limits({ maxDepth: 2 })], nodeEnv: '' });

  const { errors } = await handler({ query: '{ a { a { b } } }' });

  assert.match(errors[0].message, /at most 2 levels/);
});
