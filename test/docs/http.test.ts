import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { createHandler } from '../../src/aws-lambda.ts';
import type { ServerOptions } from '../../src/options.ts';

const page = readFileSync(new URL('../../docs/http.md', import.meta.url), 'utf8');

describe('docs/http.md tells the truth about CSRF prevention', () => {
  for (const [method, contentType, header, whenTrue, whenFalse] of rowsAfter('header of the list')) {
    for (const [csrfPrevention, promised] of [
      [true, whenTrue],
      [false, whenFalse],
    ] as const) {
      test(`${method} with content type ${contentType}, listed header: ${header}, csrfPrevention: ${csrfPrevention} → ${promised}`, async () => {
        const { handler, ran } = countingHandler({ csrfPrevention });

        const { statusCode } = await handler(event(method!, plain(contentType!), header === 'yes'));

        assert.equal(statusCode, promised === 'runs' ? 200 : Number(promised));
        assert.equal(ran(), promised === 'runs' ? 1 : 0);
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
  };

  for (const [what, , , beyond] of rowsAfter('beyond it')) {
    test(`${what}: beyond it ${beyond}`, async () => {
      const [request, status] = defaults[what!] ?? assert.fail(`the page has a limit this test does not know: ${what}`);
      const { handler } = countingHandler({ csrfPrevention: true });

      const { statusCode } = await handler(event('POST', 'application/json', true, request));

      assert.equal(statusCode, status);
      assert.equal(statusCode, Number(beyond));
    });
  }
});

/** Rows of the table whose heading has these words: their cells. */
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

function plain(cell: string): string | undefined {
  return cell === 'none' ? undefined : cell.replaceAll('`', '');
}

function countingHandler(options: ServerOptions): { handler: ReturnType<typeof createHandler>; ran: () => number } {
  let count = 0;
  const handler = createHandler({
    ...options,
    nodeEnv: 'production',
    typeDefs: 'type Query { n: Int }',
    resolvers: { Query: { n: () => ++count } },
  });
  return { handler, ran: () => count };
}

function json(query: string): string {
  return JSON.stringify({ query });
}

// A v2 event, but for what a test puts in its place.
function event(method: string, contentType: string | undefined, withHeader: boolean, rest: { method?: string } = {}): any {
  return {
    version: '2.0',
    rawPath: '/graphql',
    rawQueryString: method === 'GET' ? 'query=%7B%20n%20%7D' : '',
    headers: {
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(withHeader ? { 'vendor-require-preflight': '1' } : {}),
    },
    requestContext: { http: { method: rest.method ?? method } },
    ...(method === 'POST' ? { body: json('{ n }') } : {}),
    ...rest,
  };
}
