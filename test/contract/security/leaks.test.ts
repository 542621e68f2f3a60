import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest } from '../../support/plain-http.ts';

/** Everything a client can see of an answer. */
function visible({
  headers,
  setCookies,
  body,
}: {
  headers: ReadonlyMap<string, string>;
  setCookies: readonly string[];
  body: string;
}): string {
  return [...headers].map(([name, value]) => `${name}: ${value}`).join('\n') + setCookies.join('\n') + body;
}

/** One request for every kind of answer. */
const probes: readonly PlainRequest[] = [
  post({ query: '{ hello }' }),
  post({ query: '{ explode }' }),
  post({ query: '{ helo }' }),
  post({ query: '{' }),
  post('{'),
  post([{ query: '{ explode }' }, {}, null]),
  post({ query: 'query ($n: [Int!]!) { sum(numbers: $n) }', variables: { n: 'x' } }),
  post({ query: '{ hello }' }, { headers: [['accept', 'image/png']] }),
  plainRequest({ method: 'PUT' }),
  plainRequest({ method: 'OPTIONS' }),
  plainRequest({ method: 'POST', headers: [['content-type', 'text/xml']], body: '<a/>' }),
  get({ query: 'mutation { write }' }),
  get({}),
];

describe('with NODE_ENV unset and nothing configured, no response leaks', () => {
  it('a playground, to a browser that requests a page', async () => {
    const renderLandingPage = (): { html: string } => ({ html: '<h1>Playground</h1>' });
    const endpoint = createEndpoint({ plugins: [{ serverWillStart: () => ({ renderLandingPage }) }] });

    const response = await endpoint.send(plainRequest({ headers: [['accept', 'text/html,application/xhtml+xml,*/*;q=0.8']] }));

    assert.equal(response.status, 422);
    assert.match(response.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
  });

  for (const query of [
    '{ __schema { queryType { name } } }',
    '{ __type(name: "Book") { name } }',
    'query { ...F } fragment F on Query { __schema { types { name } } }',
  ]) {
    it(`introspection: ${query}`, async () => {
      const response = await createEndpoint().send(post({ query }));

      assert.equal(response.status, 422);
      assert.equal(json(response).data, undefined);
      assert.equal(json(response).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
    });
  }

  it('introspection, by GET, batch or persisted query (GHSA-w42g-7vfc-xf37)', async () => {
    const query = '{ __schema { queryType { name } } }';
    const endpoint = createEndpoint();

    const answers = [await endpoint.send(get({ query })), await endpoint.send(post([{ query }]))];

    for (const answer of answers) assert.doesNotMatch(answer.body, /"Query"/);
  });

  it('__typename is not introspection', async () => {
    const response = await createEndpoint().send(post({ query: '{ __typename }' }));

    assert.deepEqual(json(response), { data: { __typename: 'Query' } });
  });

  for (const query of [
    '{ helo }',
    '{ hello(nam: "x") }',
    '{ books { titel } }',
    '{ books(filter: { autor: "x" }) { title } }',
    '{ ... on Boook { title } }',
    'query ($f: Filtr) { hello }',
  ]) {
    it(`suggestions: ${query}`, async () => {
      const response = await createEndpoint().send(post({ query }));

      assert.equal(response.status, 422);
      assert.doesNotMatch(response.body, /did you mean/i);
    });
  }

  it('suggestions, in variables', async () => {
    const response = await createEndpoint().send(
      post({ query: 'query ($f: Filter) { books(filter: $f) { title } }', variables: { f: { autor: 'x' } } }),
    );

    assert.equal(response.status, 422);
    assert.doesNotMatch(response.body, /did you mean/i);
  });

  it('a stack trace', async () => {
    const endpoint = createEndpoint();

    for (const probe of probes) assert.doesNotMatch(visible(await endpoint.send(probe)), /stacktrace|\n\s+at |\.ts:\d+|node:internal/);
  });

  it('the message of an error thrown by a resolver', async () => {
    const response = await createEndpoint().send(post({ query: '{ explode }' }));

    assert.doesNotMatch(visible(response), /hunter2|password/);
    assert.equal(json(response).errors[0].message, 'Internal server error');
  });

  it('the message of an error thrown by context, dataSources or a hook', async () => {
    const fail = (): never => {
      throw new Error('hunter2');
    };
    const endpoints = [
      createEndpoint({ context: fail }),
      createEndpoint({ dataSources: fail }),
      createEndpoint({ plugins: [{ requestDidStart: fail }] }),
    ];

    for (const endpoint of endpoints) assert.doesNotMatch(visible(await endpoint.send(post({ query: '{ hello }' }))), /hunter2/);
  });

  it('a value returned by a resolver that its type cannot represent', async () => {
    const typeDefs = `type Query { int: Int text: String flag: Boolean id: ID color: Color node: Node thing: Thing }
      enum Color { RED } type Node { id: ID } interface Thing { id: ID } type Book implements Thing { id: ID }`;
    const secret = { password: 'hunter2' };
    const resolvers = {
      Query: {
        int: () => 'hunter2',
        text: () => secret,
        flag: () => 'hunter2',
        id: () => secret,
        color: () => 'hunter2',
        node: () => secret,
        thing: () => secret,
      },
      Node: { __isTypeOf: () => false },
      Thing: { __resolveType: () => secret },
    };
    const endpoint = createEndpoint({ typeDefs, resolvers });

    const response = await endpoint.send(post({ query: '{ int text flag id color node { id } thing { id } }' }));

    assert.equal(json(response).errors.length, 7);
    assert.doesNotMatch(visible(response), /hunter2|password/);
    assert.equal(endpoint.lines.length, 7);
  });

  it("an upstream server's response", async () => {
    const upstream = new GraphQLError('404: Not Found', {
      extensions: { code: 'NOT_FOUND', response: { url: 'http://10.0.0.1/secret', body: 'hunter2' } },
    });
    const endpoint = createEndpoint({
      resolvers: {
        Query: {
          hello: () => {
            throw upstream;
          },
        },
      },
    });

    const response = await endpoint.send(post({ query: '{ hello }' }));

    assert.deepEqual(json(response).errors[0].extensions, { code: 'NOT_FOUND' });
    assert.doesNotMatch(visible(response), /10\.0\.0\.1|hunter2/);
  });

  it('a version or name of this library, graphql or Node', async () => {
    const endpoint = createEndpoint();

    for (const probe of probes) {
      const response = await endpoint.send(probe);
      assert.deepEqual(
        ['server', 'x-powered-by', 'via'].filter((name) => response.headers.has(name)),
        [],
      );
      assert.doesNotMatch(visible(response), /\d+\.\d+\.\d+|graphql-functions|node(?:js)?[ /]?v?\d/i);
    }
  });

  it('a file path', async () => {
    const endpoint = createEndpoint();

    for (const probe of probes) assert.doesNotMatch(visible(await endpoint.send(probe)), /file:\/\/|\/src\/|node_modules|[A-Z]:\\/);
  });

  it('the value of a request header', async () => {
    const endpoint = createEndpoint();
    const marked: PlainRequest['headers'] = [
      'authorization',
      'cookie',
      'x-forwarded-host',
      'host',
      'origin',
      'user-agent',
      'referer',
      'x-any',
    ].map((name) => [name, 'M4RK']);

    for (const probe of probes) {
      const response = await endpoint.send({ ...probe, headers: [...probe.headers, ...marked] });
      assert.doesNotMatch(visible(response), /M4RK/);
    }
  });

  it('the value of a refused header', async () => {
    const endpoint = createEndpoint();
    const requests = [
      post({ query: '{ hello }' }, { headers: [['accept', 'image/M4RK']] }),
      plainRequest({ method: 'POST', headers: [['content-type', 'text/M4RK']], body: '{}' }),
      plainRequest({ method: 'POST', headers: [['content-type', 'application/json; charset=M4RK']], body: '{}' }),
      post({ query: '{ hello }' }, { headers: [['content-encoding', 'M4RK']] }),
    ];

    for (const request of requests) assert.doesNotMatch(visible(await endpoint.send(request)), /M4RK/);
  });

  it('a body that cannot be parsed', async () => {
    const response = await createEndpoint().send(post('{"query": "{ hello }", "password": hunter2'));

    assert.doesNotMatch(visible(response), /hunter2/);
  });
});

describe('no log line', () => {
  it('has the value of a header (GHSA-j5g3-5c8r-7qfx)', async () => {
    const endpoint = createEndpoint({
      context: ({ request }) => {
        request.headers.get('authorization');
        throw new Error('no user');
      },
      cors: {
        origin: () => {
          throw new Error('no list');
        },
      },
    });
    const marked: PlainRequest['headers'] = ['authorization', 'cookie', 'origin', 'x-any', 'accept'].map((name) => [name, 'M4RK']);

    for (const probe of probes) await endpoint.send({ ...probe, headers: [...probe.headers, ...marked] });

    assert.ok(endpoint.lines.length > 0);
    assert.doesNotMatch(endpoint.lines.map(({ message, details }) => message + details.map(String).join()).join('\n'), /M4RK/);
  });

  it('is written for a client error', async () => {
    const endpoint = createEndpoint();

    for (const probe of probes.filter(({ body }) => !String(body).includes('explode'))) await endpoint.send(probe);

    assert.deepEqual(endpoint.lines, []);
  });
});
