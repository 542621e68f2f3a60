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

/** Malicious requests, and the status of their refusal. */
const inputs: Readonly<
  Record<string, { readonly request: PlainRequest; readonly status: number; readonly options?: Partial<ServerOptions> }>
> = {
  // Depth
  'braces 50,000 deep, closed': { request: post({ query: `${'{ books '.repeat(deep)}${'}'.repeat(deep)}` }), status: 400 },
  'inline fragments 50,000 deep': { request: post({ query: '{ ... '.repeat(deep) }), status: 400 },
  'list literals 50,000 deep': { request: post({ query: `{ sum(numbers: ${'['.repeat(deep)}` }), status: 400 },
  'list types 50,000 deep': { request: post({ query: `query ($n: ${'['.repeat(deep)}Int` }), status: 400 },
  'variables 50,000 deep': {
    request: post(
      `{"query":"query ($f: Filter) { books(filter: $f) { title } }","variables":{"f":${'{"and":'.repeat(deep)}{}${'}'.repeat(deep)}}}`,
    ),
    status: 422,
  },
  'a body of brackets 500,000 deep': { request: post('['.repeat(500_000)), status: 422 },
  'extensions 50,000 deep are ignored': {
    request: post(`{"query":"{ hello }","extensions":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`),
    status: 200,
  },
  'braces by GET': { request: plainRequest({ query: `query=${'{books'.repeat(deep)}` }), status: 400 },

  // Floods
  'alias flood': { request: post({ query: `{ ${repeat(20_000, (index) => `a${index}: hello`)} }` }), status: 400 },
  'alias flood below the token limit, with maxAliases (CVE-2024-39895)': {
    request: post({ query: `{ ${repeat(100, (index) => `a${index}: hello`)} }` }),
    status: 422,
    options: { plugins: [limits({ maxAliases: 50 })] },
  },
  'directive flood (CVE-2024-47614)': { request: post({ query: `{ hello ${'@include(if: true) '.repeat(20_000)} }` }), status: 400 },
  'operation flood': { request: post({ query: repeat(2500, (index) => `query Q${index} { hello }`) }), status: 422 },
  'variable flood': { request: post({ query: `query (${repeat(3000, (index) => `$v${index}: Int`)}) { hello }` }), status: 422 },
  'comment flood': { request: post({ query: `{ hello ${'#\n'.repeat(300_000)} }` }), status: 400 },
  'overlapping fields (CVE-2023-26144)': {
    request: post({ query: `{ ${'books { title author { name } } '.repeat(1500)} }` }),
    status: 422,
  },
  'overlapping inline fragments (CVE-2026-40476)': { request: post({ query: `{ ${'... { hello } '.repeat(3500)} }` }), status: 422 },
  'a fan of fragments (CVE-2026-34573)': {
    request: post({
      query: `{ books { author { ...F0 } } } ${repeat(40, (index) => `fragment F${index} on Author { a: books { author { ${index < 39 ? `...F${index + 1}` : 'name'} } } b: books { author { ${index < 39 ? `...F${index + 1}` : 'name'} } } }`)}`,
    }),
    status: 422,
  },
  'a circle of 1,000 fragments': {
    request: post({ query: `{ ...F0 } ${repeat(1000, (index) => `fragment F${index} on Query { ...F${(index + 1) % 1000} }`)}` }),
    status: 422,
  },
  'a batch of floods': { request: post(Array.from({ length: 10 }, () => ({ query: `{ ${'hello '.repeat(14_000)} }` }))), status: 200 },
  'a million objects in variables': { request: post(`{"query":"{ hello }","variables":{"x":[${'{},'.repeat(300_000)}{}]}}`), status: 422 },

  // Bytes
  '10 MB of body': { request: post('x'.repeat(10 * 1024 * 1024)), status: 413 },
  '2 MB of query string': { request: plainRequest({ query: `query=${'x'.repeat(2 * 1024 * 1024)}` }), status: 414 },
  'NUL in a document': { request: post({ query: '{ hello\u0000 }' }), status: 400 },
  'half a surrogate pair in a document': { request: post(String.raw`{"query":"{ hello\ud800 }"}`), status: 400 },
  'half a surrogate pair in a text': { request: post(String.raw`{"query":"{ hello(name: \"\ud800\") }"}`), status: 400 },
  'a byte order mark in a document': { request: post({ query: '\ufeff{ hello }' }), status: 200 },
  'bytes that are not UTF-8': { request: post(Uint8Array.of(0x22, 0xc3, 0x28, 0x22)), status: 400 },
  'a compressed body that does not say so': { request: post(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0)), status: 400 },
  'a form that says it is JSON': { request: post('query=%7B+hello+%7D'), status: 400 },
  'bad percent escapes': { request: plainRequest({ query: 'query=%E0%A4%A' }), status: 400 },
  'percent escapes of half a surrogate pair': { request: plainRequest({ query: 'query=%ED%A0%80' }), status: 400 },
  'line breaks in an operation name': { request: post({ query: 'query A { hello }', operationName: 'A\r\nset-cookie: a=b' }), status: 422 },

  // Heads
  'an Accept of 100,000 ranges': {
    request: post({ query: '{ hello }' }, { headers: [['accept', 'a/b;q=0.1,'.repeat(100_000)]] }),
    status: 406,
  },
  'an Accept of nonsense': { request: post({ query: '{ hello }' }, { headers: [['accept', '\u00ff;;;,,,q=,=;"']] }), status: 406 },
  'a content type of a megabyte': {
    request: plainRequest({
      method: 'POST',
      headers: [['content-type', `application/json;${'a="b;'.repeat(200_000)}`]],
      body: '{"query":"{ hello }"}',
    }),
    status: 200,
  },
  'a Host that no URL has (CVE-2024-32652)': { request: post({ query: '{ hello }' }, { headers: [['host', 'a b[::']] }), status: 200 },
  'a path of slashes (CVE-2026-39406)': { request: post({ query: '{ hello }' }, { path: '//' }), status: 200 },
  'a path with dots and escapes': { request: post({ query: '{ hello }' }, { path: '/a/../%2e%2e/%00/..;/graphql' }), status: 200 },
  'a path of 100 KB': { request: post({ query: '{ hello }' }, { path: `/${'a'.repeat(100_000)}` }), status: 200 },
  '300 headers': {
    request: post(
      { query: '{ hello }' },
      { headers: Array.from({ length: 300 }, (_, index): [string, string] => [`x-${index}`, 'x'.repeat(100)]) },
    ),
    status: 200,
  },
  'headers named like properties': {
    request: post(
      { query: '{ hello }' },
      {
        headers: [
          ['__proto__', 'x'],
          ['constructor', 'x'],
          ['toString', 'x'],
        ],
      },
    ),
    status: 200,
  },
};

describe('hostile input', () => {
  for (const [name, { request, status, options }] of Object.entries(inputs)) {
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
    'variables of the body': post(
      '{"query":"query ($f: Filter) { books(filter: $f) { title } }","variables":{"__proto__":{"polluted":1},"f":{"__proto__":{"polluted":1}}}}',
    ),
    'names of variables': post(
      '{"query":"query ($__proto__: Filter, $constructor: Filter) { books(filter: $__proto__) { title } }","variables":{"__proto__":{"polluted":1},"constructor":{"author":"x"}}}',
    ),
    'extensions of the body': post('{"query":"{ hello }","extensions":{"__proto__":{"polluted":1},"persistedQuery":null}}'),
    'names in the query string': plainRequest({
      query: 'query={hello}&__proto__[polluted]=1&__proto__.polluted=1&constructor[prototype][polluted]=1',
    }),
    'variables in the query string': get({
      query: 'query ($f: Filter) { books(filter: $f) { title } }',
      variables: '{"__proto__":{"polluted":1}}',
    }),
    aliases: post({ query: '{ __proto__: hello constructor: hello prototype: hello toString: hello hasOwnProperty: hello }' }),
    'fields of literals': post({ query: '{ books(filter: { __proto__: { polluted: 1 } }) { title } }' }),
    'names of operations and fragments': post({
      query: 'query __proto__ { ...constructor } fragment constructor on Query { hello }',
      operationName: '__proto__',
    }),
    'header names': post(
      { query: '{ hello }' },
      {
        headers: [
          ['__proto__', 'polluted'],
          ['constructor', 'polluted'],
        ],
      },
    ),
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

describe('values from a resolver, a context or an upstream server', () => {
  for (const value of ['a\r\nset-cookie: b=c', 'a\nb', 'a\u0000b', 'a\u007fb', '🦊']) {
    it(`a header value ${JSON.stringify(value)} is never sent`, async () => {
      const endpoint = createEndpoint({
        context: ({ response }) => {
          response.headers.set('x-echo', value);
          return {};
        },
      });

      const response = await endpoint.send(post({ query: '{ hello }' }));

      assert.equal(response.status, 500);
      assert.equal(response.headers.has('x-echo'), false);
      assert.deepEqual(response.setCookies, []);
    });
  }
});

it('a limit holds in a direct invocation as well (CVE-2026-30241, GHSA-w42g-7vfc-xf37)', async () => {
  const handler = createHandler({ typeDefs: 'type Query { a: Query b: Int }', plugins: [limits({ maxDepth: 2 })], nodeEnv: '' });

  const { errors } = await handler({ query: '{ a { a { b } } }' });

  assert.match(errors[0].message, /at most 2 levels/);
});
