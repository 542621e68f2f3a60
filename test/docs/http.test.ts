import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { createHandler } from '../../src/entries/aws-lambda.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';

const page = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');

describe('docs/http.md tells the truth about CSRF prevention', () => {
  for (const [method, contentType, header, whenTrue, whenFalse] of rowsAfter('header of the list')) {
    for (const [csrfPrevention, promised] of [
      [true, whenTrue],
      [false, whenFalse],
    ] as const) {
      test(`${method} with content type ${contentType}, listed header: ${header}, csrfPrevention: ${csrfPrevention} → ${promised}`, async () => {
        const { handler, ran } = countingHandler({ csrfPrevention });

        const { statusCode }: any = await handler(event(method!, plain(contentType!), header === 'yes'));

        assert.equal(statusCode, promised === 'runs' ? 200 : Number(promised));
        assert.equal(ran(), promised === 'runs' ? 1 : 0);
      });
    }
  }
});

describe('docs/http.md tells the truth about statuses', () => {
  const accept = { accept: 'application/graphql-response+json' };
  const cases: Record<string, [request: object, options?: ServerOptions]> = {
    'data, no errors': [{ body: json('{ n }') }],
    'data and errors, data null included': [{ body: json('{ broken }') }],
    'the document does not parse, or is longer or deeper than the limits': [{ body: json('{') }],
    'the document is not valid': [{ body: json('{ unknown }') }],
    'a document with fragments only': [{ body: json('fragment F on Query { n }') }],
    'a limit that is reached through fragments; [`limits()`](rate-limiting.md)': [{ body: json(manyFields()) }],
    'an unknown persisted query': [{ body: persisted({}) }],
    'a persisted query, where `persistedQueries` is false': [{ body: persisted({}) }, { persistedQueries: false }],
    'a persisted query whose hash is not that of `query`': [{ body: persisted({ query: '{ n }' }) }],
    'an unknown operation, several without `operationName`, a subscription': [{ body: json('query A { n } query B { n }') }],
    'variables of the wrong types': [{ body: JSON.stringify({ query: 'query ($i: Int!) { n(i: $i) }', variables: { i: 'x' } }) }],
    '`query` missing, a parameter of the wrong type, a body that is not an object, a parameter twice': [{ body: '{"query":1}' }],
    'a body that is empty, not JSON, or not UTF-8': [{ body: '{' }],
    'a browser opens the address: a GET that accepts `text/html`, without a query string': [
      { method: 'GET', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, body: undefined },
    ],
    'refused by CSRF prevention': [{ headers: { ...accept, 'content-type': 'text/plain' } }, { csrfPrevention: true }],
    'a batch that is empty, too long, or not allowed: one object': [{ body: '[]' }],
    'a batch: an array in the same order, as `application/json`, whether or not its elements succeeded': [{ body: '[1]' }],
    'a mutation over GET or QUERY, with `Allow: POST`': [{ method: 'GET', headers: accept, rawQueryString: 'query=mutation{n}' }],
    'another method, with `Allow: GET, POST, QUERY`': [{ method: 'PUT' }],
    'a WebSocket handshake; use [server-sent events](streaming.md)': [
      { method: 'GET', headers: { upgrade: 'websocket' }, body: undefined },
    ],
    '`Accept` allows neither media type': [{ headers: { 'content-type': 'application/json', accept: 'image/png' } }],
    'a body above 1 MiB': [{ body: ' '.repeat(1024 * 1024 + 1) }],
    'a query string above 1 MiB': [{ method: 'GET', headers: accept, rawQueryString: 'a'.repeat(1024 * 1024 + 1) }],
    'a content type, charset or content encoding that is not supported': [{ headers: { ...accept, 'content-type': 'application/xml' } }],
    '`context` threw': [
      {},
      {
        context: () => {
          throw new Error('no database');
        },
      },
    ],
    'the [deadline](time.md) came before any resolver ran': [{}, { context: () => new Promise(() => {}), deadline: { ms: 20 } }],
    'anything else that threw outside of a resolver': [
      {},
      {
        plugins: [
          {
            requestDidStart() {
              throw new Error('a plugin of mine');
            },
          },
        ],
      },
    ],
  };

  for (const [what, status, classic, code] of rowsAfter('`extensions.code`')) {
    for (const [httpStatusProfile, promised] of [
      ['2026-09', status!],
      ['classic', classic!],
    ] as const) {
      test(`${what}, ${httpStatusProfile} → ${promised}`, async () => {
        const [request, options] = cases[what!] ?? assert.fail(`the page has a case this test does not know: ${what}`);
        const { handler } = countingHandler({ ...options, httpStatusProfile });

        const result: any = await handler(
          event('POST', 'application/json', false, { headers: { 'content-type': 'application/json', ...accept }, ...request }),
        );

        assert.equal(result.statusCode, firstNumber(promised === 'the same' ? status! : promised));
        assert.equal(codeOf(result.body), expectedCode(code!));
      });
    }
  }
});

describe('docs/http.md tells the truth about limits', () => {
  const defaults: Record<string, [request: object, status: number]> = {
    'body, counted after base64 and while a stream is read': [{ body: json(`{ n ${' '.repeat(1024 * 1024)} }`) }, 413],
    'query string': [{ method: 'GET', rawQueryString: `query=${'a'.repeat(1024 * 1024)}` }, 414],
    'lexical tokens of a document': [{ body: json(`{ ${'n '.repeat(15_000)} }`) }, 400],
    'nesting of braces, brackets and parentheses': [{ body: json('{ n '.repeat(201)) }, 400],
    'operations in a batch': [{ body: JSON.stringify(Array.from({ length: 11 }, () => ({ query: '{ n }' }))) }, 400],
    'fields of an operation, with its fragments expanded': [{ body: json(manyFields()) }, 422],
    'nesting of an operation, with its fragments expanded': [{ body: json(deepFragments()) }, 422],
    'nesting of variables': [{ body: `{"query":"{ n }","variables":{"deep":${'['.repeat(201)}${']'.repeat(201)}}}` }, 422],
  };

  for (const [what, , , beyond] of rowsAfter('Status above it')) {
    test(`${what}: Status above it ${beyond}`, async () => {
      const [request, status] = defaults[what!] ?? assert.fail(`the page has a limit this test does not know: ${what}`);
      const { handler } = countingHandler({ csrfPrevention: true });

      const { statusCode }: any = await handler(event('POST', 'application/json', true, request));

      assert.equal(statusCode, status);
      assert.equal(statusCode, Number(beyond));
    });
  }
});

/** The cells of each row in the table whose heading contains these words. */
function rowsAfter(words: string): string[][] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|') && line.includes(words));
  assert.notEqual(start, -1, `the page has no table with "${words}"`);
  const end = lines.findIndex((line, at) => at > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function persisted(parameters: object): string {
  return JSON.stringify({ ...parameters, extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } });
}

/** Thirteen fragments that each spread the next one twice: they select the field of the last one 8,192 times. */
function manyFields(): string {
  const fragments = Array.from({ length: 13 }, (_, at) => `fragment F${at} on Query { a: me { ...F${at + 1} } b: me { ...F${at + 1} } }`);
  return `{ ...F0 } ${fragments.join(' ')} fragment F13 on Query { n }`;
}

/** Nested fragments, which have 300 levels when they are expanded. */
function deepFragments(): string {
  const fragments = Array.from({ length: 150 }, (_, at) => `fragment F${at} on Query { ... on Query { ...F${at + 1} } }`);
  return `{ ...F0 } ${fragments.join(' ')} fragment F150 on Query { n }`;
}

function firstNumber(cell: string): number {
  return Number(/\d+/.exec(cell)?.[0]);
}

function codeOf(body: string): string | undefined {
  const answer = JSON.parse(body);
  return (Array.isArray(answer) ? undefined : answer.errors?.[0]?.extensions.code) as string | undefined;
}

function expectedCode(cell: string): string | undefined {
  return /`(\w+)`$/.exec(cell)?.[1];
}

function plain(cell: string): string | undefined {
  return cell === 'none' ? undefined : cell.replaceAll('`', '');
}

function countingHandler(options: ServerOptions): { handler: ReturnType<typeof createHandler>; ran: () => number } {
  let count = 0;
  const handler = createHandler({
    ...options,
    nodeEnv: 'production',
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    typeDefs: 'type Query { n(i: Int): Int broken: Int me: Query } type Mutation { n: Int }',
    resolvers: {
      Query: {
        n: () => ++count,
        broken() {
          throw new GraphQLError('broken on purpose');
        },
      },
      Mutation: { n: () => ++count },
    },
  });
  return { handler, ran: () => count };
}

function json(query: string): string {
  return JSON.stringify({ query });
}

// A v2 event, with the properties that a test replaces.
function event(
  method: string,
  contentType: string | undefined,
  withHeader: boolean,
  rest: { method?: string; headers?: object } = {},
): any {
  return {
    version: '2.0',
    rawPath: '/graphql',
    rawQueryString: method === 'GET' ? 'query=%7B%20n%20%7D' : '',
    headers: {
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(withHeader ? { 'vendor-require-preflight': '1' } : {}),
    },
    requestContext: { http: { method: rest.method ?? method } },
    ...(method === 'GET' ? {} : { body: json('{ n }') }),
    ...rest,
  };
}
