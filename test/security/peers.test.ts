import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createHandler } from '../../src/entries/index.ts';
import { createEndpoint } from '../support/endpoint.ts';
import { get, json, plainRequest, post } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';

/** Faults of other servers, by their number in our list of facts, which this server must not have. */
describe('mistakes of other servers', () => {
  it('1. Apollo 5 and Yoga run the operation before they answer 406', async () => {
    const endpoint = createEndpoint();

    const response = await endpoint.send(post({ query: 'mutation { write }' }, { headers: [['accept', 'image/png']] }));

    assert.equal(response.status, 406);
    assert.deepEqual(endpoint.runs, []);
  });

  it('2. Apollo 5 answers a batch with one bad element by a single 400, after the mutation has run', async () => {
    const endpoint = createEndpoint();

    const response = await endpoint.send(post([{ query: '{ hello }' }, { query: 'mutation { write }' }, {}, null]));

    assert.equal(response.status, 200);
    const answers = json(response);
    assert.deepEqual(answers.slice(0, 2), [{ data: { hello: 'Hello, world!' } }, { data: { write: true } }]);
    assert.equal(answers.length, 4);
  });

  for (const [contentType, status] of [
    ['application/jsonp', 415],
    ['application/json, text/plain', 415],
    ['APPLICATION/JSON', 200],
  ] as const) {
    it(`3. @as-integrations/aws-lambda compares the start of the content type: ${contentType}`, async () => {
      const response = await createEndpoint().send(
        plainRequest({ method: 'POST', headers: [['content-type', contentType]], body: '{"query":"{ hello }"}' }),
      );

      assert.equal(response.status, status);
    });
  }

  it('3. @as-integrations/aws-lambda answers a malformed event or body with the text of a TypeError, without a content type', async () => {
    const handler = createHandler({ typeDefs: 'type Query { peer: Int }', nodeEnv: '' });
    const broken = { version: '2.0', rawPath: 7, headers: 7, requestContext: { http: { method: 'POST' } }, body: 7 };

    const { statusCode, headers, body } = await handler(broken);

    assert.equal(statusCode, 400);
    assert.equal(headers['content-type'], 'application/graphql-response+json; charset=utf-8');
    assert.match(JSON.parse(body).errors[0].message, /^Expected the body of the event to be a string/);
  });

  it('4. apollo-server-lambda 3 keeps the invocation in a global: concurrent users got the last one’s context', async () => {
    const [logger] = recordingLogger();
    const handler = createHandler({
      typeDefs: 'type Query { me: String }',
      nodeEnv: '',
      logger,
      context: async ({ request }) => {
        await Promise.resolve();
        return { me: request.headers.get('x-me') };
      },
      resolvers: { Query: { me: async (_: unknown, _args: unknown, context: { me: string | null }) => context.me } },
    });
    const send = (me: string): Promise<{ body: string }> =>
      handler({
        version: '2.0',
        rawPath: '/',
        headers: { 'content-type': 'application/json', 'x-me': me },
        requestContext: { http: { method: 'POST' } },
        body: '{"query":"{ me }"}',
      });

    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(send));

    assert.deepEqual(
      answers.map(({ body }) => JSON.parse(body).data.me),
      ['a', 'b', 'c', 'd'],
    );
  });

  const sixes: Readonly<Record<string, readonly [request: PlainRequest, status: number]>> = {
    'GET variables that are not JSON': [get({ query: '{ hello }', variables: 'x' }), 422],
    'bad percent escapes': [plainRequest({ query: 'query=%zz' }), 400],
    'Host "a b"': [post({ query: '{ hello }' }, { headers: [['host', 'a b']] }), 200],
    'Host "[::"': [post({ query: '{ hello }' }, { headers: [['host', '[::']] }), 200],
    'a target in absolute form': [post({ query: '{ hello }' }, { path: 'http://a.example/graphql' }), 200],
    'a nesting of 50,000': [post({ query: '{ a '.repeat(50_000) }), 400],
    'media types in capitals': [
      plainRequest({ method: 'POST', headers: [['content-type', 'Application/JSON']], body: '{"query":"{ hello }"}' }),
      200,
    ],
    'a quoted charset': [
      plainRequest({ method: 'POST', headers: [['content-type', 'application/json; charset="UTF-8"']], body: '{"query":"{ hello }"}' }),
      200,
    ],
    'an unknown property of the body': [post({ query: '{ hello }', unknown: 1 }), 200],
    'q values': [post({ query: '{ hello }' }, { headers: [['accept', 'application/json;q=0']] }), 406],
  };
  for (const [name, [request, status]] of Object.entries(sixes)) {
    it(`6. Yoga fails, or is too strict, for ${name}`, async () => {
      const response = await createEndpoint().send(request);

      assert.equal(response.status, status);
    });
  }

  it('7. Yoga returns a 149 KB header for a 13 KB Accept', async () => {
    const accept = Array.from({ length: 1000 }, (_, index) => `x/y${index}`).join(',');

    const response = await createEndpoint().send(post({ query: '{ hello }' }, { headers: [['accept', accept]] }));

    assert.ok(JSON.stringify([...response.headers]).length < 300);
  });

  it('8. Yoga reflects any origin, with credentials, by default', async () => {
    const response = await createEndpoint().send(post({ query: '{ hello }' }, { headers: [['origin', 'https://evil.example']] }));

    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.startsWith('access-control-')),
      [],
    );
  });

  for (const contentType of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
    it(`8. Yoga runs mutations from a POST of ${contentType}`, async () => {
      const endpoint = createEndpoint();

      const response = await endpoint.send(
        plainRequest({ method: 'POST', headers: [['content-type', contentType]], body: 'query=mutation+%7B+write+%7D' }),
      );

      assert.equal(response.status, 415);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  it("9. Apollo's standalone server answers malformed JSON with an HTML page", async () => {
    const response = await createEndpoint().send(post('{', { headers: [['accept', 'application/graphql-response+json']] }));

    assert.equal(response.headers.get('content-type'), 'application/graphql-response+json; charset=utf-8');
    assert.equal(json(response).errors[0].extensions.code, 'BAD_REQUEST');
  });

  it("9. Apollo's standalone server refuses an empty `variables=`, which equals an absent one", async () => {
    const response = await createEndpoint().send(get({ query: '{ hello }', variables: '' }));

    assert.equal(response.status, 200);
  });

  it('10. graphql-http answers variables that cannot be coerced with 200 and no data', async () => {
    const headers: PlainRequest['headers'] = [['accept', 'application/graphql-response+json']];

    const response = await createEndpoint().send(
      post({ query: 'query ($n: String) { hello(name: $n) }', variables: { n: {} } }, { headers }),
    );

    assert.equal(response.status, 422);
  });

  it('11. Apollo 5 serves a landing page in production', async () => {
    const renderLandingPage = (): { html: string } => ({ html: '<h1>Playground</h1>' });
    const endpoint = createEndpoint({ nodeEnv: 'production', plugins: [{ serverWillStart: () => ({ renderLandingPage }) }] });

    const response = await endpoint.send(plainRequest({ headers: [['accept', 'text/html']] }));

    assert.doesNotMatch(response.body, /Playground/);
    assert.match(response.headers.get('content-type') ?? '', /json/);
  });

  it('12. Apollo and Yoga parse 500,000 tokens', async () => {
    const response = await createEndpoint().send(post({ query: `{${'a '.repeat(500_000)}}` }));

    assert.equal(response.status, 400);
    assert.match(json(response).errors[0].message, /Document contains more tha[nt] 15000 tokens/);
  });

  for (const query of [`{ ${'... { hello } '.repeat(3500)} }`, `{ ${'books { title } '.repeat(3500)} }`]) {
    it(`14. graphql-js before 16.15 compares overlapping fields without a limit: ${query.slice(0, 20)}`, async () => {
      const response = await createEndpoint().send(post({ query }));

      assert.equal(response.status, 422);
      assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    });
  }
});
