import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import type { ServerOptions } from '../../src/server/startup/options.ts';
import { createEndpoint } from '../support/endpoint.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';

const page = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');

describe('docs/http.md tells the truth about CSRF prevention', () => {
  const rows = rowsAfter('header of the list').flatMap(([methods = '', types = '', headers = '', ...statuses]) =>
    methods
      .split(', ')
      .flatMap((method) => types.split(', ').flatMap((type) => headers.split(', ').map((header) => [method, type, header, ...statuses]))),
  );
  for (const [method, contentType, header, whenTrue, whenFalse] of rows)
    for (const [csrfPrevention, promised] of [
      [true, whenTrue],
      [false, whenFalse],
    ] as const)
      test(`${method} with content type ${contentType}, listed header: ${header}, csrfPrevention: ${csrfPrevention} → ${promised}`, async () => {
        const endpoint = createEndpoint({ csrfPrevention });
        const headers: [string, string][] = header === 'yes' ? [['vendor-require-preflight', '1']] : [];
        if (contentType !== 'none') headers.push(['content-type', contentType!.replaceAll('`', '')]);
        const operation = method === 'GET' ? { query: 'query={hello}' } : { body: '{"query":"{ hello }"}' };

        const { status } = await endpoint.send(plainRequest({ method: method!, headers, ...operation }));

        assert.equal(status, promised === 'runs' ? 200 : Number(promised));
        assert.equal(endpoint.runs.length, promised === 'runs' ? 1 : 0);
      });
});

/** What a request needs, and what is not the same as in the row of the page. */
interface Details {
  readonly options?: Partial<ServerOptions>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly runs?: readonly string[];
  readonly status?: number;
  readonly code?: string;
}

const hello = { query: '{ hello }' };
const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } };
const both = 'query Read { hello } mutation Write { write }';
const query = (body: unknown): PlainRequest => post(body, { method: 'QUERY' });
const fail = () => JSON.parse('?');

const unwritable = { typeDefs: 'scalar Any type Query { any: Any }', resolvers: { Query: { any: () => ({ big: 1n }) } } };

const deny = (code: string, http?: object) => (): never => {
  throw new GraphQLError('Not you', { extensions: { code, ...(http ? { http } : {}) } });
};

const allowPost = { headers: { allow: 'POST' } };

type Cases = Readonly<Record<string, PlainRequest | readonly [PlainRequest, Details]>>;
const forEach = (names: readonly string[], one: (name: string) => readonly [PlainRequest, Details]): Cases =>
  Object.fromEntries(names.map((name) => [name, one(name)]));

/** Requests for each row of the page's table of statuses and codes. */
const cases: Readonly<Record<string, Cases>> = {
  'data, no errors': {
    'by POST': [post(hello), { runs: ['hello'] }],
    'by GET': [get(hello), { runs: ['hello'] }],
  },
  'data and errors, data null included': {
    'data and errors': [post({ query: '{ hello explode }' }), { runs: ['hello', 'explode'] }],
    'data null': [post(hello), { options: { rootValue: {}, fieldResolver: () => null, resolvers: {} } }],
  },
  'the document does not parse, or is longer or deeper than the limits': {
    'it does not parse': post({ query: '{ hello' }),
    'it has no content': post({ query: '#' }),
    'it has more tokens': [post(hello), { options: { maxTokens: 2 } }],
    'it is deeper': post({ query: `${'{ ... '.repeat(200)}{ hello }${' }'.repeat(200)}` }),
  },
  'the document is not valid': { 'an unknown field': post({ query: '{ nothing }' }) },
  'a document with fragments only': { 'one fragment': post({ query: 'fragment F on Query { hello }' }) },
  'a limit that is reached through fragments; [`limits()`](rate-limiting.md)': { 'many fields': post({ query: manyFields() }) },
  'an unknown operation, several without `operationName`, a subscription': {
    'an unknown operation': post({ query: 'query A { hello }', operationName: 'B' }),
    'several operations': post({ query: 'query A { hello } query B { hello }' }),
    'a query and a mutation by GET': get({ query: both }),
    'a subscription': post({ query: 'subscription { ticks }' }),
  },
  'variables of the wrong types': {
    'a wrong type': post({ query: 'query ($n: String) { hello(name: $n) }', variables: { n: 1 } }),
    'a variable is missing': post({ query: 'query ($n: [Int!]!) { sum(numbers: $n) }' }),
  },
  'an unknown persisted query': { 'a hash alone': post(hash), 'by GET': get({ extensions: JSON.stringify(hash.extensions) }) },
  'a persisted query, where `persistedQueries` is false': { 'a hash alone': [post(hash), { options: { persistedQueries: false } }] },
  'a persisted query whose hash is not that of `query`': { 'a text and its wrong hash': post({ ...hello, ...hash }) },
  '`query` missing, a parameter of the wrong type, a body that is not an object, a parameter twice': {
    'no query': post({}),
    'an empty query': post({ query: '' }),
    'a query that is null': post({ query: null }),
    'a query that is no string': post({ query: 7 }),
    'an operationName that is no string': post({ ...hello, operationName: 7 }),
    'variables that are a string': post({ ...hello, variables: '{}' }),
    'variables that are an array': post({ ...hello, variables: [] }),
    'extensions that are a number': post({ ...hello, extensions: 7 }),
    'a body that is a string': post('"{ hello }"'),
    'a body that is null': post('null'),
    'a body that is a number': post('7'),
    'a GET without a query': get({}),
    'a GET parameter twice': plainRequest({ query: 'query={hello}&query={hello}' }),
    'a batch by GET': { ...post([hello]), method: 'GET' },
  },
  'a body that is empty, not JSON, or not UTF-8': {
    'JSON that does not parse': post('{"query":'),
    'an empty body': post(''),
    'no body': post('', { body: undefined }),
    'no UTF-8': post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
    'a QUERY with its operation in the query string': { ...query(''), query: 'query={hello}' },
  },
  'a browser opens the address: a GET that accepts `text/html`, without a query string': {
    'its Accept': plainRequest({ headers: [['accept', 'text/html,application/xhtml+xml,*/*;q=0.8']] }),
  },
  'refused by CSRF prevention': { 'a simple GET': [plainRequest({ query: 'query={hello}' }), { options: { csrfPrevention: true } }] },
  'a batch that is empty, too long, or not allowed: one object': {
    'not allowed': [post([hello]), { options: { allowBatchedHttpRequests: false } }],
    empty: post([]),
    'too long': post(Array.from({ length: 11 }, () => hello)),
  },
  'a batch: an array in the same order, as `application/json`, whether or not its elements succeeded': {
    'that succeeds': [post([hello]), { runs: ['hello'] }],
    'that fails': post([1]),
    'where batches are allowed by name': [post([hello]), { options: { allowBatchedHttpRequests: true }, runs: ['hello'] }],
  },
  'a mutation over GET or QUERY, with `Allow: POST`': {
    'the only operation, by GET': [get({ query: 'mutation { write }' }), allowPost],
    'the only operation, by QUERY': [query({ query: 'mutation { write }' }), allowPost],
    'chosen by operationName, by GET': [get({ query: both, operationName: 'Write' }), allowPost],
    'chosen by operationName, by QUERY': [query({ query: both, operationName: 'Write' }), allowPost],
    'named like a parameter, by GET': [get({ query: 'mutation query { write }', operationName: 'query' }), allowPost],
    'named like a parameter, by QUERY': [query({ query: 'mutation query { write }', operationName: 'query' }), allowPost],
    'a subscription by GET': [get({ query: 'subscription { ticks }' }), allowPost],
    'a subscription by QUERY': [query({ query: 'subscription { ticks }' }), allowPost],
  },
  'another method, with `Allow: GET, POST, QUERY`': forEach(['PUT', 'PATCH', 'DELETE', 'TRACE', 'CONNECT', 'BREW'], (method) => [
    post(hello, { method }),
    { headers: { allow: 'GET, POST, QUERY' } },
  ]),
  'a WebSocket handshake; use [server-sent events](streaming.md)': {
    'a GET with Upgrade': plainRequest({ headers: [['upgrade', 'websocket']] }),
  },
  '`Accept` allows neither media type': {
    'a mutation': post({ query: 'mutation { write }' }, { headers: [['accept', 'image/png']] }),
    'a batch': post([{ query: 'mutation { write }' }], { headers: [['accept', 'image/png']] }),
  },
  'a body above 1 MiB': {
    'of spaces': post(' '.repeat(1024 * 1024 + 1)),
    'above maxBodyBytes': [post(hello), { options: { maxBodyBytes: 5 } }],
    'above maxBodyBytes, by QUERY': [query(hello), { options: { maxBodyBytes: 5 } }],
  },
  'a query string above 1 MiB': {
    'of one letter': plainRequest({ query: 'a'.repeat(1024 * 1024 + 1) }),
    'above maxBodyBytes': [get(hello), { options: { maxBodyBytes: 5 } }],
  },
  'a content type, charset or content encoding that is not supported': {
    XML: plainRequest({ method: 'POST', headers: [['content-type', 'text/xml']], body: '<hello/>' }),
    'UTF-16': plainRequest({ method: 'POST', headers: [['content-type', 'application/json; charset=utf-16']], body: '{}' }),
    gzip: post(hello, { headers: [['content-encoding', 'gzip']] }),
  },
  '`context` threw': {
    'an error': [post(hello), { options: { context: fail } }],
    'a text': [post(hello), { options: { context: () => Promise.reject('hunter2') } }],
    UNAUTHENTICATED: [post(hello), { options: { context: deny('UNAUTHENTICATED') }, status: 401, code: 'UNAUTHENTICATED' }],
    FORBIDDEN: [post(hello), { options: { context: deny('FORBIDDEN') }, status: 403, code: 'FORBIDDEN' }],
    'an error with a status': [post(hello), { options: { context: deny('X', { status: 418 }) }, status: 418, code: 'X' }],
    ...forEach(['OUT_OF_TEA', 'BAD_USER_INPUT', 'constructor', '__proto__', 'toString'], (code) => [
      post(hello),
      { options: { context: deny(code) }, code },
    ]),
  },
  'the [deadline](time.md) came before any resolver ran': {
    'during context': [post(hello), { options: { context: () => new Promise(() => {}), deadline: { ms: 20 } } }],
  },
  'anything else that threw outside of a resolver': {
    dataSources: [post(hello), { options: { dataSources: fail } }],
    'a result that JSON cannot represent': [post({ query: '{ any }' }), { options: unwritable }],
    'a hook': [post(hello), { options: { plugins: [{ requestDidStart: fail }] } }],
    'a start': [post(hello), { options: { plugins: [{ serverWillStart: () => Promise.reject(new Error('no database')) }] } }],
    formatError: [post({ query: '{ nothing }' }), { options: { formatError: fail } }],
  },
};

const newer = 'application/graphql-response+json';
/** The fields that the page promises for every answer. */
const everyAnswer = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff', vary: 'Accept' };

for (const httpStatusProfile of ['2026-09', 'classic'] as const)
  describe(`docs/http.md tells the truth about statuses, httpStatusProfile '${httpStatusProfile}'`, () => {
    for (const [what, edition, classic, code] of rowsAfter('`extensions.code`'))
      for (const [name, one] of Object.entries(cases[what!] ?? assert.fail(`the page has a case this test does not know: ${what}`)))
        for (const mediaType of ['application/json', newer]) {
          const [request, { options, headers = {}, runs = [], ...own }] = Array.isArray(one) ? one : [one, {} as Details];
          const cell = httpStatusProfile === 'classic' && classic !== 'the same' ? classic : edition;
          const asJSON = mediaType === newer ? undefined : /as `application\/json` (\d+)/.exec(cell!)?.[1];
          const status = own.status ?? Number(asJSON ?? /\d+/.exec(cell!)?.[0]);

          test(`${what}, ${name}: ${status} as ${mediaType}`, async () => {
            const endpoint = createEndpoint({ httpStatusProfile, ...options });
            const setsAccept = request.headers.some(([field]: readonly [string, string]) => field === 'accept');
            const accept = setsAccept ? [] : [['accept', mediaType]];

            const response = await endpoint.send({ ...request, headers: [...request.headers, ...accept] });

            const answer = json(response);
            assert.equal(response.status, status);
            // The edition uses application/json only for successful answers.
            const asked = setsAccept || Array.isArray(answer) ? 'application/json' : mediaType;
            const label = httpStatusProfile === '2026-09' && status >= 300 ? newer : asked;
            assert.equal(response.headers.get('content-type'), `${label}; charset=utf-8`);
            assert.equal(Array.isArray(answer), what!.startsWith('a batch: an array'));
            const expectedCode = own.code ?? /`(\w+)`$/.exec(code!)?.[1];
            assert.equal(answer.errors?.[0].extensions.code, expectedCode);
            if (expectedCode === 'INTERNAL_SERVER_ERROR') assert.equal(answer.errors[0].message, 'Internal server error');
            for (const body of [answer].flat()) assertWellFormed(body);
            for (const [field, value] of Object.entries({ ...everyAnswer, ...headers })) assert.equal(response.headers.get(field), value);
            assert.deepEqual(endpoint.runs, runs);
          });
        }
  });

describe('docs/http.md tells the truth about limits', () => {
  const defaults: Record<string, PlainRequest> = {
    'body, counted after base64 and while a stream is read': post({ query: `{ hello ${' '.repeat(1024 * 1024)} }` }),
    'query string': get({ query: 'a'.repeat(1024 * 1024) }),
    'lexical tokens of a document': post({ query: `{ ${'hello '.repeat(15_000)} }` }),
    'nesting of braces, brackets and parentheses': post({ query: '{ n '.repeat(201) }),
    'operations in a batch': post(Array.from({ length: 11 }, () => hello)),
    'fields of an operation, with its fragments expanded': post({ query: manyFields() }),
    'nesting of an operation, with its fragments expanded': post({ query: deepFragments() }),
    'nesting of variables': post(`{"query":"{ hello }","variables":{"deep":${'['.repeat(201)}${']'.repeat(201)}}}`),
  };

  for (const [what, , , beyond] of rowsAfter('Status above it'))
    test(`${what}: Status above it ${beyond}`, async () => {
      const request = defaults[what!] ?? assert.fail(`the page has a limit this test does not know: ${what}`);

      assert.equal((await createEndpoint({ csrfPrevention: true }).send(request)).status, Number(beyond));
    });
});

/** The cells of each row in the table whose heading contains these words. */
function rowsAfter(words: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(words));
  assert.notEqual(start, -1, `the page has no table with "${words}"`);
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
  const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  return lines.slice(start + 2, end).map((line) => cellsOf(line).slice(1, -1));
}

/** Thirteen fragments that each spread the next one twice: they select the field of the last one 8,192 times. */
function manyFields(): string {
  const twice = (at: number): string => ['a', 'b'].map((alias) => `${alias}: books { author { ...F${at + 1} } }`).join(' ');
  const fragments = Array.from({ length: 13 }, (_, at) => `fragment F${at} on Author { ${twice(at)} }`);
  return `{ books { author { ...F0 } } } ${fragments.join(' ')} fragment F13 on Author { name }`;
}

/** Nested fragments, which have 300 levels when they are expanded. */
function deepFragments(): string {
  const fragments = Array.from({ length: 150 }, (_, at) => `fragment F${at} on Query { ... on Query { ...F${at + 1} } }`);
  return `{ ...F0 } ${fragments.join(' ')} fragment F150 on Query { hello }`;
}

/** The specification of GraphQL, section 7.1: no other entries, and errors that are never empty. */
function assertWellFormed(body: Record<string, unknown>): void {
  const { data, errors, extensions: _extensions, ...others } = body;
  assert.deepEqual(others, {});
  assert.ok('errors' in body ? Array.isArray(errors) && errors.length > 0 : typeof data === 'object' && data !== null);
}
