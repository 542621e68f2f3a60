import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

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

const small = { plugins: [landingPage({ embedded: false })] };

describe('a browser in development', () => {
  for (const source of [restAPI, webRequest]) {
    test(`gets the playground by default, before any rule about CSRF, from ${source.name}`, async () => {
      const { status, headers, body } = await answer({}, get({}, { headers: browser }), source);

      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'private, no-store');
      assert.match(body, /<title>GraphQL playground<\/title>/);
    });
  }

  test('gets the page of a custom plugin instead, and the ordinary error with landingPage: false', async () => {
    const own = { serverWillStart: () => ({ renderLandingPage: () => ({ html: 'our own' }) }) };

    assert.equal((await answer({ plugins: [own] })).body, 'our own');
    assert.equal((await answer({ landingPage: false })).status, 422);
  });
});

for (const [wish, headers] of [
  ['for any type', [['accept', '*/*']]],
  ['for any type but HTML', [['accept', 'text/html;q=0, */*']]],
  ['without Accept', []],
] as const) {
  test(`a request ${wish} is answered with the result of its operation, also in development`, async () => {
    const response = await answer({}, get({ query: '{ __typename }' }, { headers: [...headers, ['vendor-require-preflight', '1']] }));

    assert.deepEqual(json(response).data, { __typename: 'Query' });
  });
}

describe('every page', () => {
  for (const [name, options] of [
    ['the playground', {}],
    ['the small page', small],
  ] as const) {
    test(`${name} contains nothing of its request`, async () => {
      const marked: PlainRequest = {
        method: 'GET',
        path: '/graphql/<marker>/"marker"',
        query: 'query=<marker>&marker=marker',
        headers: [
          ...browser,
          ['host', 'marker.example'],
          ['x-forwarded-host', 'marker'],
          ['referer', 'https://marker.example/'],
          ['cookie', 'marker=1'],
        ],
        body: undefined,
      };

      const response = await answer(options, marked);

      assert.equal(response.status, 200);
      assert.doesNotMatch(`${response.body} ${JSON.stringify([...response.headers])}`, /marker/);
    });

    test(`${name} runs only scripts with a nonce, and sends requests only to its own origin`, async () => {
      const { headers, body } = await answer(options);
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/, 2) as [string, string]),
      );

      const nonce = /^'nonce-([\w+/=]{24})'$/.exec(policy.get('script-src') ?? '')?.[1];
      assert.equal(policy.get('default-src'), "'none'");
      assert.equal(policy.get('connect-src'), "'self'");
      assert.equal(policy.get('frame-ancestors'), "'none'");
      assert.deepEqual(
        [...body.matchAll(/<script(?! type="text\/plain")([^>]*)>/g)].map(([, attributes]) => attributes),
        options === small ? [] : [` nonce="${nonce}"`],
      );
      assert.doesNotMatch(body, / (?:src|on\w+)=/);
    });

    test(`${name} has a new nonce for every answer`, async () => {
      const [first, second] = await Promise.all([answer(options), answer(options)]);

      assert.notEqual(first?.headers.get('content-security-policy'), second?.headers.get('content-security-policy'));
    });
  }

  test('stays below the response size limit of functions', () => {
    const { html } = createPage({ embedded: true, playground: undefined, explains: true });

    assert.ok((html as string).length < 3_000_000, `${(html as string).length} characters`);
  });
});
