import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { echoServer } from '../support/echo-server.ts';
import type { EchoServer } from '../support/echo-server.ts';
import { assertStatuses, editionStatuses } from '../support/edition-statuses.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../support/plain-http.ts';
import { frontDoors } from '../support/sources.ts';
import type { Losses, OpenDoor } from '../support/sources.ts';

const echo = 'query ($t: String!) { echo(text: $t) }';
const setCookies = 'query ($l: [String!]!) { setCookies(lines: $l) }';
const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/', 'b=2; HttpOnly', 'c=3'];
const methods = 'GET, POST, QUERY';

/** What of an answer is checked besides its status; `body` is JSON, or empty. */
type Answer = Partial<Pick<PlainResponse, 'setCookies'>> & {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const posted = (query: string, ...headers: [string, string][]): PlainRequest => post({ query }, { headers });
const rawGet = (query: string): PlainRequest => ({ ...get({}), query });
const data = (fields: object): Answer => ({ body: { data: fields } });
const isQuery = data({ __typename: 'Query' });
const passes = { headers: { 'content-type': 'application/health+json' }, body: { status: 'pass' } };

/** Requests, and their answers from every event source, because answers do not depend on the platform. */
const exchanges: readonly (readonly [name: string, request: PlainRequest, status: number, answer: Answer, unless?: keyof Losses])[] = [
  ['POST runs a query', posted('{ __typename }'), 200, { ...isQuery, headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ...texts().flatMap(([what, t]) => [
    [`${what} is returned unchanged, by POST`, post({ query: echo, variables: { t } }), 200, data({ echo: t })] as const,
    [`${what} is returned unchanged, by GET`, get({ query: echo, variables: JSON.stringify({ t }) }), 200, data({ echo: t })] as const,
  ]),
  ['bytes are decoded as UTF-8', post(Buffer.from('{"query":"{ echo(text: \\"שלום 🌍\\") }"}')), 200, data({ echo: 'שלום 🌍' })],
  ['bytes that are not valid UTF-8 are a 400', post(Buffer.from('{"query":"{ echo(text: \\"\xff\\") }"}', 'latin1')), 400, {}, 'bytes'],
  ['in a GET, "+" and "%20" are spaces', rawGet('query={+echo(text:%20%22a%2Bb%26c%25d%3De%22)%20}'), 200, data({ echo: 'a+b&c%d=e' })],
  ['a repeated GraphQL parameter is a 422', rawGet('query={+__typename+}&query={+__typename+}'), 422, {}, 'repeats'],
  ['other parameters are ignored', rawGet('utm=1&utm=2&query={+__typename+}&flag&constructor=3&__proto__=4'), 200, isQuery],
  ['names of headers have no case', posted('{ header(name: "X-REQUEST-mark") }', ['x-ReQuEsT-MARK', 'm 1']), 200, data({ header: 'm 1' })],
  [
    'all cookies of the request reach the context',
    posted('{ header(name: "cookie") }', ['Cookie', 'a=1; b="2.3"; c=x=y']),
    200,
    data({ header: 'a=1; b="2.3"; c=x=y' }),
  ],
  ['two different content types are a 415', posted('{ __typename }', ['content-type', 'text/plain']), 415, {}, 'repeats'],
  [
    'a resolver can set headers and status',
    posted('{ setHeader(name: "X-A", value: "t") setStatus(status: 202) }'),
    202,
    { headers: { 'x-a': 't' } },
  ],
  ['a resolver can set a status that has no body', posted('{ setStatus(status: 204) }'), 204, { body: '' }],
  ['set-cookie headers are sent separately', post({ query: setCookies, variables: { l: cookies } }), 200, { setCookies: cookies }],
  ['a single set-cookie header is sent', posted('{ setCookies(lines: ["a=1"]) }'), 200, { setCookies: ['a=1'] }],
  ...['/', '/prod/graphql/', '//graphql', '/gr%C3%A4ph', '/health', '/healthy', '/health/graphql'].map(
    (path) => [`the path ${path} serves the endpoint`, post({ query: '{ __typename }' }, { path }), 200, isQuery] as const,
  ),
  ['HEAD is a 405 without a body', plainRequest({ method: 'HEAD' }), 405, { headers: { allow: methods }, body: '' }],
  ['OPTIONS is a 204 without a body', plainRequest({ method: 'OPTIONS' }), 204, { headers: { allow: `${methods}, OPTIONS` }, body: '' }],
  ...['/health', '/graphql/health', '/prod/graphql/health/', '/.netlify/functions/graphql/health'].map(
    (path) => [`GET ${path} is a health check`, plainRequest({ path }), 200, passes] as const,
  ),
  ['HEAD /health is a 200 without a body', plainRequest({ method: 'HEAD', path: '/graphql/health' }), 200, { body: '' }],
  ["a load balancer's health check works on any path", plainRequest({ headers: [['User-Agent', 'ELB-HealthChecker/2.0']] }), 200, passes],
  ['after all these requests the endpoint still answers correctly', posted('{ __typename }'), 200, isQuery],
];

for (const door of frontDoors)
  describe(`every event source gives the same answers: ${door.name}`, () => {
    let server: EchoServer;
    let open: OpenDoor;
    before(() => {
      server = echoServer();
      open = door.open(server.options);
    });
    after(() => open.close());

    for (const one of editionStatuses({ nullable: 'fail', nonNull: 'failHard' }))
      test(`${one.name} has the status and the label of GraphQL over HTTP, September 2026`, () => assertStatuses(one, open.send));

    test('a batch returns an array in request order', async () => {
      const queries = ['{ echo(text: "1") }', '{ nothing }', '{ echo(text: "3") }'];

      const response = await open.send(post(queries.map((query) => ({ query }))));

      const [first, second, third] = json(response);
      assert.equal(response.status, 200);
      assert.deepEqual([first, third], [{ data: { echo: '1' } }, { data: { echo: '3' } }]);
      assert.equal(second.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    });

    test('a mutation runs once if it is sent by POST; by GET it is refused', async () => {
      const refused = await open.send(get({ query: 'mutation { add }' }));
      const added = await open.send(post({ query: 'mutation { add(by: 2) }' }));

      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'POST']);
      assert.deepEqual(json(added), { data: { add: 2 } });
      assert.equal(server.tally.added, 2);
    });

    for (const [name, value] of Object.entries({
      'transfer-encoding': 'chunked',
      'content-length': '3',
      trailer: 'x-checksum',
      connection: 'upgrade',
    }))
      test(`the field ${name}, copied from an upstream response by a resolver, does not corrupt the response`, async () => {
        const response = await open.send(post({ query: `{ setHeader(name: "${name}", value: "${value}") }` }));

        assert.notEqual(response.headers.get(name), value);
        assert.deepEqual(json(response), { data: { setHeader: true } });
      });

    for (const [name, request, status, { headers = {}, setCookies = [], body }, unless] of exchanges)
      if (unless === undefined || !door.losses[unless])
        test(name, async () => {
          const response = await open.send(request);

          assert.equal(response.status, status, response.body);
          for (const [field, value] of Object.entries(headers)) assert.equal(response.headers.get(field), value);
          assert.deepEqual(response.setCookies, door.losses.setCookies ? setCookies.slice(0, 1) : setCookies);
          if (body !== undefined) assert.deepEqual(body === '' ? response.body : json(response), body);
        });
  });

/** Texts that platforms and encodings could change. */
function texts(): [string, string][] {
  return [
    ['an emoji of several code points', '👩‍👩‍👧‍👦 and 🇺🇳'],
    ['text from right to left', 'مرحبا بالعالم \u202bשלום\u202c'],
    ['an astral letter', '𝒢𝓇𝒶𝓅𝒽 𐍈'],
    ['a control character and a line separator', 'a\u0000b\u2028c\u0007'],
    ['percent, plus, ampersand, equals and hash', '100 % a+b&c=d#e?f;g/h\\i"j'],
    ['all of ASCII', String.fromCharCode(...Array.from({ length: 95 }, (_, at) => at + 32))],
    ['combining characters, not normalised', 'e\u0301 \u00e9'],
    ['a byte order mark inside', 'a\ufeffb'],
  ];
}
