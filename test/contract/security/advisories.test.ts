import { limits } from '../../../src/entries/limits.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest } from '../../support/plain-http.ts';

const operation = '{"query":"mutation { write }"}';

function posted(contentType: string, fields: Partial<PlainRequest> = {}): PlainRequest {
  return plainRequest({ method: 'POST', headers: [['content-type', contentType]], body: operation, ...fields });
}

/**
 * Published advisories of similar servers, by their number in our list of facts: the vulnerability, and the safe answer. Advisories about
 * data sources (24 to 28) are tested in test/datasources, the memory limit of persisted queries (7) in
 * test/unit/server/operation/documents/persisted-queries.test.ts, those of single platforms (20, 21) in test/contract, and those of the landing
 * page (10) with the page.
 */
describe('advisories', () => {
  for (const contentType of ['text/plain', 'message/rfc822', 'text/html', 'application/x-www-form-urlencoded']) {
    it(`1. GHSA-9q82-xgwf-vj6h: a GET with content-type ${contentType} does not count as preflighted`, async () => {
      const endpoint = createEndpoint({ csrfPrevention: true });

      const response = await endpoint.send(plainRequest({ query: 'query={hello}', headers: [['content-type', contentType]] }));

      assert.ok(response.status === 400 || response.status === 415);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  for (const charset of ['utf-16', 'utf-7', 'utf-32', 'iso-2022-kr', 'gb18030', 'hz-gb-2312', 'x-user-defined']) {
    it(`2. CVE-2026-23897: charset ${charset} is refused before anything is decoded`, async () => {
      const response = await createEndpoint().send(posted(`application/json; charset=${charset}`));

      assert.equal(response.status, 415);
    });
  }

  it('3. GHSA-2p3c-p3qw-69r4: multipart is never an operation', async () => {
    const endpoint = createEndpoint({ csrfPrevention: true });
    const body =
      '--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"query":"mutation { write }","variables":{}}\r\n--x--\r\n';

    const responses = [
      await endpoint.send(posted('multipart/form-data; boundary=x', { body })),
      await endpoint.send(
        posted('x', {
          body,
          headers: [
            ['content-type', 'multipart/form-data; boundary=x'],
            ['vendor-require-preflight', '1'],
          ],
        }),
      ),
    ];

    assert.deepEqual(
      responses.map(({ status }) => status),
      [400, 415],
    );
    assert.deepEqual(endpoint.runs, []);
  });

  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    it(`4. CVE-2025-64166: ${contentType} is not read as JSON`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(posted(contentType));

      assert.equal(response.status, 415);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  for (const contentType of [
    'text/plain; application/json',
    'text/plain;a="application/json"',
    'multipart/form-data; application/json',
    'application/x-www-form-urlencoded, application/json',
  ]) {
    it(`5. CVE-2022-41919: the media type is compared exactly, not searched for: ${contentType}`, async () => {
      const endpoint = createEndpoint({ csrfPrevention: true });

      const response = await endpoint.send(posted(contentType));

      assert.ok(response.status === 400 || response.status === 415);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  it('6. GHSA-8r69-3cvp-wxc3: a batch is not stored just because one of its elements is cacheable', async () => {
    const endpoint = createEndpoint({
      context: ({ response }) => {
        response.headers.set('cache-control', 'public, max-age=60');
        return {};
      },
    });

    const batch = await endpoint.send(post([{ query: '{ hello }' }, { query: '{ books { title } }' }]));

    assert.equal(batch.headers.get('cache-control'), 'private, no-store');
  });

  for (const [name, request] of Object.entries({
    'an error': post({ query: '{ explode }' }),
    'a refusal': post({ query: '{' }),
    'a mutation': post({ query: 'mutation { write }' }),
  })) {
    it(`6. ${name} is not stored, whatever the user has set`, async () => {
      const endpoint = createEndpoint({
        context: ({ response }) => {
          response.headers.set('cache-control', 'public, max-age=60');
          return {};
        },
      });

      const response = await endpoint.send(request);

      assert.equal(response.headers.get('cache-control'), 'private, no-store');
    });
  }

  it('6. the response to a query is cacheable only if the user marks it', async () => {
    const unmarked = await createEndpoint().send(get({ query: '{ hello }' }));
    const marked = await createEndpoint({
      context: ({ response }) => {
        response.headers.set('cache-control', 'public, max-age=60');
        return {};
      },
    }).send(get({ query: '{ hello }' }));

    assert.equal(unmarked.headers.get('cache-control'), 'private, no-store');
    assert.equal(marked.headers.get('cache-control'), 'public, max-age=60');
  });

  it('8. and 9. GHSA-w42g-7vfc-xf37, CVE-2026-30241: introspection is off and limits hold by GET, POST and batch alike', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ maxDepth: 1 })] });
    const queries = ['{ __schema { queryType { name } } }', '{ books { title } }'];

    for (const query of queries) {
      const answers = [await endpoint.send(get({ query })), await endpoint.send(post({ query })), await endpoint.send(post([{ query }]))];
      for (const { body } of answers) assert.match(body, /GRAPHQL_VALIDATION_FAILED/);
    }
  });

  it('11. and 12. CVE-2023-26144, CVE-2026-40476: comparisons of overlapping fields are limited', async () => {
    const endpoint = createEndpoint();

    const answers = [
      await endpoint.send(post({ query: `{ ${'hello '.repeat(14_000)} }` })),
      await endpoint.send(post({ query: `{ ${'...{ books { title } } '.repeat(1900)} }` })),
    ];

    for (const answer of answers) assert.match(json(answer).errors[0].message, /would take more than 50000 comparisons\.$/);
  });

  it('13. CVE-2026-34573: limits walk each fragment once', async () => {
    const fragments = Array.from(
      { length: 60 },
      (_, index) => `fragment F${index} on Query { a: __typename ${index < 59 ? `...F${index + 1} ... { ...F${index + 1} }` : ''} }`,
    );
    const endpoint = createEndpoint({ plugins: [limits({ maxDepth: 5, maxCost: 1000 })] });

    const response = await endpoint.send(post({ query: `{ ...F0 } ${fragments.join(' ')}` }));

    assert.equal(response.status, 200, response.body);
  });

  it('14. CVE-2026-40324: a document that would exhaust the stack of the parser is a 400', async () => {
    const endpoint = createEndpoint();

    const answers = [
      await endpoint.send(post({ query: '{a'.repeat(20_000) })),
      await endpoint.send(post({ query: `{ hello(name: ${'['.repeat(20_000)}` })),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400],
    );
  });

  it('15. CVE-2024-47614: a flood of directives is a 422', async () => {
    const response = await createEndpoint().send(post({ query: `{ hello ${'@skip(if: false) '.repeat(2000)} }` }));

    assert.equal(response.status, 422);
  });

  it('16. CVE-2024-39895: the number of aliases can be limited', async () => {
    const query = `{ ${Array.from({ length: 30 }, (_, index) => `a${index}: hello`).join(' ')} }`;

    const response = await createEndpoint({ plugins: [limits({ maxAliases: 15 })] }).send(post({ query }));

    assert.equal(response.status, 422);
    assert.match(json(response).errors[0].message, /at most 15 aliases, got 30\.$/);
  });

  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'compress', 'identity, gzip', 'GZIP']) {
    it(`17. CVE-2024-28101: content-encoding ${encoding} is refused, so nothing is decompressed`, async () => {
      const response = await createEndpoint().send(post({ query: '{ hello }' }, { headers: [['content-encoding', encoding]] }));

      assert.equal(response.status, 415);
    });
  }

  for (const body of ['', '{', 'null', '[]', '[[]]', '"', '\u0000', '{"query":', 'undefined', '{"query":"{ hello }"']) {
    it(`18. CVE-2021-43801: a body of ${JSON.stringify(body)} is a 4xx with a GraphQL error`, async () => {
      const response = await createEndpoint().send(post(body));

      assert.ok(response.status === 400 || response.status === 422 || body === '[[]]');
      assert.equal([json(response)].flat()[0].errors[0].extensions.code, 'BAD_REQUEST');
    });
  }

  it('19. CVE-2026-54288: the body is measured, not its Content-Length', async () => {
    const response = await createEndpoint({ maxBodyBytes: 100 }).send(
      post({ query: '{ hello }', padding: 'x'.repeat(100) }, { headers: [['content-length', '10']] }),
    );

    assert.equal(response.status, 413);
  });

  it('22. and 23. CVE-2024-32652, CVE-2026-39406: no URL is built from Host and path', async () => {
    const response = await createEndpoint().send(post({ query: '{ hello }' }, { path: '//', headers: [['host', '[']] }));

    assert.equal(response.status, 200);
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
