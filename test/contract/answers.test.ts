import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { echoServer } from '../support/echo-server.ts';
import type { EchoServer } from '../support/echo-server.ts';
import { assertStatuses, editionStatuses } from '../support/edition-statuses.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import { frontDoors } from '../support/sources.ts';
import type { OpenDoor } from '../support/sources.ts';

/** The same tests for every event source, because answers do not depend on the platform. */
for (const door of frontDoors) {
  describe(`every event source gives the same answers: ${door.name}`, () => {
    let server: EchoServer;
    let open: OpenDoor;
    before(() => {
      server = echoServer();
      open = door.open(server.options);
    });
    after(() => open.close());

    test('POST runs a query', async () => {
      const response = await open.send(post({ query: '{ echo(text: "hi") }' }));

      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.deepEqual(json(response), { data: { echo: 'hi' } });
    });

    test('GET runs a query', async () => {
      const response = await open.send(get({ query: 'query ($t: String!) { echo(text: $t) }', variables: '{"t":"hi"}' }));

      assert.equal(response.status, 200);
      assert.deepEqual(json(response), { data: { echo: 'hi' } });
    });

    for (const one of editionStatuses({ nullable: 'fail', nonNull: 'failHard' }))
      test(`${one.name} has the status and the label of GraphQL over HTTP, September 2026`, async () => {
        await assertStatuses(one, open.send);
      });

    test('a batch returns an array in request order', async () => {
      const response = await open.send(
        post([{ query: '{ echo(text: "1") }' }, { query: '{ nothing }' }, { query: '{ echo(text: "3") }' }]),
      );

      const [first, second, third] = json(response);
      assert.equal(response.status, 200);
      assert.deepEqual(first, { data: { echo: '1' } });
      assert.equal(second.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      assert.deepEqual(third, { data: { echo: '3' } });
    });

    test('a mutation sent by POST runs once', async () => {
      const before = server.tally.added;

      const response = await open.send(post({ query: 'mutation { add(by: 2) }' }));

      assert.deepEqual(json(response), { data: { add: before + 2 } });
      assert.equal(server.tally.added, before + 2);
    });

    test('a mutation sent by GET is refused and does not run', async () => {
      const before = server.tally.added;

      const response = await open.send(get({ query: 'mutation { add }' }));

      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST');
      assert.equal(server.tally.added, before);
    });

    for (const [what, text] of texts()) {
      test(`${what} is returned unchanged, by POST`, async () => {
        const response = await open.send(post({ query: 'query ($t: String!) { echo(text: $t) }', variables: { t: text } }));

        assert.equal(json(response).data.echo, text);
      });

      test(`${what} is returned unchanged, by GET`, async () => {
        const response = await open.send(get({ query: 'query ($t: String!) { echo(text: $t) }', variables: JSON.stringify({ t: text }) }));

        assert.equal(json(response).data.echo, text);
      });
    }

    test('a body of bytes is decoded as UTF-8', async () => {
      const response = await open.send(post(new TextEncoder().encode(JSON.stringify({ query: '{ echo(text: "שלום 🌍") }' }))));

      assert.equal(json(response).data.echo, 'שלום 🌍');
    });

    if (!door.losses.bytes) {
      test('bytes that are not valid UTF-8 are a 400', async () => {
        const broken = Buffer.concat([Buffer.from('{"query":"{ echo(text: \\"'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('\\") }"}')]);

        const response = await open.send(post(broken));

        assert.equal(response.status, 400);
        assert.equal(json(response).errors[0].extensions.code, 'BAD_REQUEST');
      });
    }

    test('in a GET, "+" and "%20" are spaces, "%2B" is a plus, "%26" an ampersand', async () => {
      const response = await open.send({ ...get({}), query: 'query={+echo(text:%20%22a%2Bb%26c%25d%3De%22)%20}' });

      assert.equal(json(response).data.echo, 'a+b&c%d=e');
    });

    if (!door.losses.repeats) {
      test('a repeated GraphQL parameter is a 422', async () => {
        const response = await open.send({ ...get({}), query: 'query={+__typename+}&query={+__typename+}' });

        assert.equal(response.status, 422);
      });
    }

    test('unrelated query parameters are ignored, even repeated ones', async () => {
      const response = await open.send({ ...get({}), query: 'utm=1&utm=2&query={+__typename+}&flag&constructor=3&__proto__=4' });

      assert.deepEqual(json(response), { data: { __typename: 'Query' } });
    });

    test('header names are case-insensitive', async () => {
      const response = await open.send(post({ query: '{ header(name: "X-REQUEST-mark") }' }, { headers: [['x-ReQuEsT-MARK', 'm 1']] }));

      assert.equal(json(response).data.header, 'm 1');
    });

    test('all cookies of the request reach the context', async () => {
      const response = await open.send(post({ query: '{ header(name: "cookie") }' }, { headers: [['Cookie', 'a=1; b="2.3"; c=x=y']] }));

      assert.equal(json(response).data.header, 'a=1; b="2.3"; c=x=y');
    });

    if (!door.losses.repeats) {
      test('two content types with different values are refused', async () => {
        const response = await open.send({
          ...post({ query: '{ __typename }' }),
          headers: [
            ['Content-Type', 'application/json'],
            ['content-type', 'text/plain'],
          ],
        });

        assert.equal(response.status, 415);
      });
    }

    test('headers and status set by a resolver are sent', async () => {
      const response = await open.send(post({ query: '{ setHeader(name: "X-Trace", value: "t1") setStatus(status: 202) }' }));

      assert.equal(response.status, 202);
      assert.equal(response.headers.get('x-trace'), 't1');
    });

    for (const [name, value] of [
      ['transfer-encoding', 'chunked'],
      ['content-length', '3'],
      ['trailer', 'x-checksum'],
      ['connection', 'upgrade'],
    ] as const) {
      test(`the field ${name}, copied from an upstream response by a resolver, does not corrupt the response`, async () => {
        const response = await open.send(post({ query: `{ setHeader(name: "${name}", value: "${value}") }` }));

        assert.notEqual(response.headers.get(name), value);
        assert.deepEqual(json(response), { data: { setHeader: true } });
      });
    }

    test('a resolver can set a status that has no body', async () => {
      const response = await open.send(post({ query: '{ setStatus(status: 204) }' }));

      assert.equal(response.status, 204);
      assert.equal(response.body, '');
    });

    test('several set-cookie headers are sent separately', async () => {
      const lines = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/', 'b=2; HttpOnly', 'c=3'];

      const response = await open.send(post({ query: 'query ($l: [String!]!) { setCookies(lines: $l) }', variables: { l: lines } }));

      assert.equal(response.status, 200);
      assert.deepEqual(response.setCookies, door.losses.setCookies ? lines.slice(0, 1) : lines);
    });

    test('a single set-cookie header is sent', async () => {
      const response = await open.send(post({ query: '{ setCookies(lines: ["a=1"]) }' }));

      assert.deepEqual(response.setCookies, ['a=1']);
    });

    for (const path of ['/', '/prod/graphql/', '//graphql', '/gr%C3%A4ph', '/health', '/healthy', '/health/graphql']) {
      test(`the path ${path} serves the endpoint`, async () => {
        const response = await open.send(post({ query: '{ __typename }' }, { path }));

        assert.deepEqual(json(response), { data: { __typename: 'Query' } });
      });
    }

    test('HEAD is a 405 without a body', async () => {
      const response = await open.send({ ...get({ query: '{ __typename }' }), method: 'HEAD' });

      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'GET, POST, QUERY');
      assert.equal(response.body, '');
    });

    test('OPTIONS is a 204 without a body, with the allowed methods', async () => {
      const response = await open.send(plainRequest({ method: 'OPTIONS' }));

      assert.equal(response.status, 204);
      assert.match(response.headers.get('allow') ?? '', /GET, POST, QUERY/);
      assert.equal(response.body, '');
    });

    for (const path of ['/health', '/graphql/health', '/prod/graphql/health/', '/.netlify/functions/graphql/health']) {
      test(`GET ${path} is a health check`, async () => {
        const response = await open.send(plainRequest({ path }));

        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'application/health+json');
        assert.equal(json(response).status, 'pass');
      });
    }

    test('HEAD /health is a 200 without a body', async () => {
      const response = await open.send(plainRequest({ method: 'HEAD', path: '/graphql/health' }));

      assert.equal(response.status, 200);
      assert.equal(response.body, '');
    });

    test("a load balancer's health check works on any path", async () => {
      const response = await open.send(plainRequest({ headers: [['User-Agent', 'ELB-HealthChecker/2.0']] }));

      assert.equal(response.status, 200);
      assert.equal(json(response).status, 'pass');
    });

    test('after all these requests the endpoint still answers correctly', async () => {
      const response = await open.send(post({ query: '{ echo(text: "still here") }' }));

      assert.deepEqual(json(response), { data: { echo: 'still here' } });
    });
  });
}

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
