import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import { landingPage } from '../../../../src/entries/landing-page.ts';
import { createPage } from '../../../../src/tools/landing-page/html.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { get, json } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { restAPI, webRequest } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';

/** The Accept header of Chromium. */
const browser: readonly (readonly [string, string])[] = [
  ['accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'],
  ['sec-fetch-mode', 'navigate'],
];

let schemas = 0;

async function answer(
  options: Partial<ServerOptions> = {},
  request: PlainRequest = get({}, { headers: browser }),
  source: Source = restAPI,
): Promise<PlainResponse> {
  const typeDefs = `type Query { hello: String } # landing page ${++schemas}`;
  const handler = createHandler({ nodeEnv: 'development', csrfPrevention: true, typeDefs, ...options } as ServerOptions);
  return source.read(await handler(source.build(request), {}));
}

for (const source of [restAPI, webRequest])
  test(`a browser in development gets the playground by default, before any rule about CSRF, from ${source.name}`, async () => {
    const { status, headers, body } = await answer({}, get({}, { headers: browser }), source);

    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('cache-control')],
      [200, 'text/html; charset=utf-8', 'private, no-store'],
    );
    assert.match(body, /<title>GraphQL playground<\/title>/);
  });

test('a browser gets the page of a custom plugin instead, and the ordinary error with landingPage: false', async () => {
  const own = { serverWillStart: () => ({ renderLandingPage: () => ({ html: 'our own' }) }) };

  assert.equal((await answer({ plugins: [own] })).body, 'our own');
  assert.equal((await answer({ landingPage: false })).status, 422);
});

test('a request that does not prefer HTML is answered with the result of its operation, also in development', async () => {
  for (const accept of ['*/*', 'text/html;q=0, */*', undefined]) {
    const headers = [['vendor-require-preflight', '1'] as const, ...(accept === undefined ? [] : [['accept', accept] as const])];

    assert.deepEqual(json(await answer({}, get({ query: '{ __typename }' }, { headers }))).data, { __typename: 'Query' }, accept);
  }
});

for (const [name, options, isSmall] of [
  ['the playground', {}, false],
  ['the small page', { plugins: [landingPage({ embedded: false })] }, true],
] as const) {
  test(`${name} contains nothing of its request`, async () => {
    const marked = ['host', 'x-forwarded-host', 'referer', 'cookie'].map((field) => [field, 'https://marker.example/'] as const);
    const { status, headers, body } = await answer(options, {
      method: 'GET',
      path: '/graphql/<marker>/"marker"',
      query: 'query=<marker>&marker=marker',
      headers: [...browser, ...marked],
      body: undefined,
    });

    assert.equal(status, 200);
    assert.doesNotMatch(`${body} ${JSON.stringify([...headers])}`, /marker/);
  });

  test(`${name} runs only scripts with a nonce, which is new for every answer, and sends requests only to its own origin`, async () => {
    const { headers, body } = await answer(options);
    const rules = (headers.get('content-security-policy') ?? '').split('; ');

    const [, nonce] = /^script-src 'nonce-([\w+/=]{24})'$/.exec(rules.find((rule) => rule.startsWith('script-src')) ?? '') ?? [];
    for (const rule of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]) assert.ok(rules.includes(rule), rule);
    assert.deepEqual(
      [...body.matchAll(/<script(?! type="text\/plain")([^>]*)>/g)].map(([, attributes]) => attributes),
      isSmall ? [] : [` nonce="${nonce}"`],
    );
    assert.doesNotMatch(body, / (?:src|on\w+)=/);
    assert.notEqual((await answer(options)).headers.get('content-security-policy'), headers.get('content-security-policy'));
  });
}

test('the playground stays below the response size limit of functions', () => {
  const { html } = createPage({ embedded: true, playground: undefined, explains: true });

  assert.ok((html as string).length < 3_000_000, `${(html as string).length} characters`);
});
