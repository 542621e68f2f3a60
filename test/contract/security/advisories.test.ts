import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { limits } from '../../../src/entries/limits.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest } from '../../support/plain-http.ts';

type Exchange = readonly [request: PlainRequest, status: number, options?: Partial<ServerOptions>, found?: RegExp];

const hello = { query: '{ hello }' };
const titles = { query: '{ books { title } }' };
const types = { query: '{ __schema { queryType { name } } }' };
const operation = '{"query":"mutation { write }"}';
const multipart =
  '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"mutation { write }","variables":{}}\r\n--x--\r\n';
const posted = (type: string, body = operation, ...headers: [string, string][]): PlainRequest =>
  plainRequest({ method: 'POST', headers: [['content-type', type], ...headers], body });
const simple = (headers: PlainRequest['headers'] = []): PlainRequest => plainRequest({ query: 'query={hello}', headers });
const csrf = { csrfPrevention: true };
const cacheable: Partial<ServerOptions> = { context: ({ response }) => (response.headers.set('cache-control', 'public, max-age=60'), {}) };
const limited = (most: Parameters<typeof limits>[0]): Partial<ServerOptions> => ({ plugins: [limits(most)] });
const fragments = Array.from({ length: 60 }, (_, at) => {
  const next = at < 59 ? `...F${at + 1} ... { ...F${at + 1} }` : '';
  return `fragment F${at} on Query { a: __typename ${next} }`;
});
const aliases = Array.from({ length: 30 }, (_, at) => `a${at}: hello`);
const forms = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
const hidden = ['text/plain; application/json', 'text/plain;a="application/json"', 'multipart/form-data; application/json'];
const charsets = ['utf-16', 'utf-7', 'utf-32', 'iso-2022-kr', 'gb18030', 'hz-gb-2312', 'x-user-defined'];
const encodings = ['gzip', 'deflate', 'br', 'zstd', 'compress', 'identity, gzip', 'GZIP'];
const tooMany = /would take more than 50000 comparisons\./;
const badRequest = /"code":"BAD_REQUEST"/;
const invalid = /GRAPHQL_VALIDATION_FAILED/;

/**
 * Published advisories of similar servers, by their number in our list of facts, with requests, the statuses of the safe answers, the options
 * of the server, and what is found in the Cache-Control and body of the answer. What is refused has not run. Advisories about
 * data sources (24 to 28) are tested in test/datasources, the memory limit of persisted queries (7) in
 * test/unit/server/operation/documents/persisted-queries.test.ts, those of single platforms (20, 21) in test/contract, and those of the landing
 * page (10) with the page.
 */
const advisories: Readonly<Record<string, readonly Exchange[]>> = {
  '1. GHSA-9q82-xgwf-vj6h: a GET does not count as preflighted because of its content type': [
    ...forms.map((type): Exchange => [simple([['content-type', type]]), 400, csrf]),
    ...['message/rfc822', 'text/html'].map((type): Exchange => [simple([['content-type', type]]), 415, csrf]),
  ],
  '2. CVE-2026-23897: charsets other than UTF-8 are refused before anything is decoded': charsets.map((charset) => [
    posted(`application/json; charset=${charset}`),
    415,
  ]),
  '3. GHSA-2p3c-p3qw-69r4: multipart is never an operation': [
    [posted('multipart/form-data; boundary=x', multipart), 400, csrf],
    [posted('multipart/form-data; boundary=x', multipart, ['vendor-require-preflight', '1']), 415, csrf],
  ],
  '4. CVE-2025-64166: other media types are not read as JSON': forms.map((type) => [posted(type), 415]),
  '5. CVE-2022-41919: the media type is compared exactly, not searched for': [
    ...hidden.map((type): Exchange => [posted(type), 400, csrf]),
    [posted('application/x-www-form-urlencoded, application/json'), 415, csrf],
  ],
  '6. GHSA-8r69-3cvp-wxc3: only the answer to a query is stored, and only if the user marks it': [
    [post([hello, titles]), 200, cacheable, /^private, no-store /],
    [post({ query: '{ explode }' }), 200, cacheable, /^private, no-store /],
    [post({ query: '{' }), 400, cacheable, /^private, no-store /],
    [post({ query: 'mutation { write }' }), 200, cacheable, /^private, no-store /],
    [get(hello), 200, {}, /^private, no-store /],
    [get(hello), 200, cacheable, /^public, max-age=60 /],
  ],
  '8. and 9. GHSA-w42g-7vfc-xf37, CVE-2026-30241: introspection is off and limits hold by GET, POST and batch alike': [
    types,
    titles,
  ].flatMap((body) => [
    [get(body), 422, limited({ maxDepth: 1 }), invalid],
    [post(body), 422, limited({ maxDepth: 1 }), invalid],
    [post([body]), 200, limited({ maxDepth: 1 }), invalid],
  ]),
  '11. and 12. CVE-2023-26144, CVE-2026-40476: comparisons of overlapping fields are limited': [
    [post({ query: `{ ${'hello '.repeat(14_000)} }` }), 422, {}, tooMany],
    [post({ query: `{ ${'...{ books { title } } '.repeat(1900)} }` }), 422, {}, tooMany],
  ],
  '13. CVE-2026-34573: limits walk each fragment once': [
    [post({ query: `{ ...F0 } ${fragments.join(' ')}` }), 200, limited({ maxDepth: 5, maxCost: 1000 })],
  ],
  '14. CVE-2026-40324: a document that would exhaust the stack of the parser is a 400': [
    [post({ query: '{a'.repeat(20_000) }), 400],
    [post({ query: `{ hello(name: ${'['.repeat(20_000)}` }), 400],
  ],
  '15. CVE-2024-47614: a flood of directives is a 422': [[post({ query: `{ hello ${'@skip(if: false) '.repeat(2000)} }` }), 422]],
  '16. CVE-2024-39895: the number of aliases can be limited': [
    [post({ query: `{ ${aliases.join(' ')} }` }), 422, limited({ maxAliases: 15 }), /at most 15 aliases, got 30\./],
  ],
  '17. CVE-2024-28101: a content encoding is refused, so nothing is decompressed': encodings.map((encoding) => [
    post(hello, { headers: [['content-encoding', encoding]] }),
    415,
  ]),
  '18. CVE-2021-43801: a body that is no operation is a 4xx with a GraphQL error': [
    ...['', '{', '[]', '"', '\u0000', '{"query":', 'undefined', '{"query":"{ hello }"'].map((body): Exchange => [
      post(body),
      400,
      {},
      badRequest,
    ]),
    [post('null'), 422, {}, badRequest],
    [post('[[]]'), 200, {}, badRequest],
  ],
  '19. CVE-2026-54288: the body is measured, not its Content-Length': [
    [post({ ...hello, padding: 'x'.repeat(100) }, { headers: [['content-length', '10']] }), 413, { maxBodyBytes: 100 }],
    [post(hello, { headers: [['content-length', '99999999']] }), 200, { maxBodyBytes: 100 }],
    [post(hello, { headers: [['content-length', 'nonsense']] }), 200, { maxBodyBytes: 100 }],
  ],
  '22. and 23. CVE-2024-32652, CVE-2026-39406: no URL is built from Host and path': [
    [post(hello, { path: '//', headers: [['host', '[']] }), 200],
  ],
};

describe('advisories', () => {
  for (const [advisory, exchanges] of Object.entries(advisories))
    it(advisory, async () => {
      for (const [request, status, options, found = /./] of exchanges) {
        const endpoint = createEndpoint(options);

        const response = await endpoint.send(request);

        assert.equal(response.status, status, response.body);
        assert.match(`${response.headers.get('cache-control')} ${response.body}`, found);
        if (status >= 400) assert.deepEqual(endpoint.runs, []);
      }
    });

  it('30. CVE-2022-24999: parameter names in the query string are not expanded', async () => {
    await createEndpoint().send(plainRequest({ query: 'query={hello}&__proto__[x]=1&__proto__=2' }));

    assert.equal(({} as { x?: unknown }).x, undefined);
  });

  it('31. GHSA-j5g3-5c8r-7qfx: no header is logged, not even an invalid one', async () => {
    const endpoint = createEndpoint({ csrfPrevention: true });
    const secret: PlainRequest['headers'] = [
      ['authorization', 'Bearer hunter2'],
      ['x-api-key', 'hunter2'],
      ['cookie', 'hunter2=1'],
    ];

    await endpoint.send(post({ query: '{ explode }' }, { headers: secret }));
    await endpoint.send(plainRequest({ query: 'query={hello}', headers: secret }));

    assert.equal(endpoint.lines.length, 1);
    assert.doesNotMatch(endpoint.lines[0]!.message.replace('The password of the database is hunter2', ''), /hunter2/);
  });
});
