import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { createEndpoint } from '../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';

/** Everything a client can see of an answer. */
function visible({ headers, setCookies, body }: PlainResponse): string {
  return [...[...headers].map(([name, value]) => `${name}: ${value}`), ...setCookies, body].join('\n');
}

const fail = (..._read: unknown[]): never => {
  throw new Error('hunter2');
};
const marked = (...names: string[]): [string, string][] => names.map((name) => [name, 'M4RK']);
const from = 'authorization cookie x-forwarded-host host origin user-agent referer x-any'.split(' ');
const mistyped = [
  '{ helo }',
  '{ hello(nam: "x") }',
  '{ books { titel } }',
  '{ books(filter: { autor: "x" }) { title } }',
  '{ ... on Boook { title } }',
  'query ($f: Filtr) { hello }',
];
const filter = { query: 'query ($f: Filter) { books(filter: $f) { title } }', variables: { f: { autor: 'x' } } };

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
  /** Requests, and what their answers do not have. */
  const secrets: Readonly<Record<string, readonly [readonly PlainRequest[], secret: RegExp, options?: Partial<ServerOptions>]>> = {
    'introspection, also by GET or batch (GHSA-w42g-7vfc-xf37)': [
      [
        '{ __schema { queryType { name } } }',
        '{ __type(name: "Book") { name } }',
        'query { ...F } fragment F on Query { __schema { types { name } } }',
      ].flatMap((query) => [post({ query }), get({ query }), post([{ query }])]),
      /"data"|"(?:Query|Book)"/,
    ],
    'suggestions, also for variables': [[...mistyped.map((query) => post({ query })), post(filter)], /"data"|did you mean/i],
    'a stack trace': [probes, /stacktrace|\n\s+at |\.ts:\d+|node:internal/],
    'a version or name of this library, graphql or Node': [
      probes,
      /\d+\.\d+\.\d+|graphql-functions|node(?:js)?[ /]?v?\d|^(?:server|x-powered-by|via):/im,
    ],
    'a file path': [probes, /file:\/\/|\/src\/|node_modules|[A-Z]:\\/],
    'the value of a request header': [probes.map((probe) => ({ ...probe, headers: [...probe.headers, ...marked(...from)] })), /M4RK/],
    'the value of a refused header': [
      [
        post({ query: '{ hello }' }, { headers: [['accept', 'image/M4RK']] }),
        plainRequest({ method: 'POST', headers: [['content-type', 'text/M4RK']], body: '{}' }),
        plainRequest({ method: 'POST', headers: [['content-type', 'application/json; charset=M4RK']], body: '{}' }),
        post({ query: '{ hello }' }, { headers: [['content-encoding', 'M4RK']] }),
      ],
      /M4RK/,
    ],
    'a body that cannot be parsed': [[post('{"query": "{ hello }", "password": hunter2')], /hunter2/],
    'the message of an error thrown by a resolver': [[post({ query: '{ explode }' })], /hunter2|password/],
    'the message of an error thrown by context': [probes, /hunter2/, { context: fail }],
    'the message of an error thrown by dataSources': [probes, /hunter2/, { dataSources: fail }],
    'the message of an error thrown by a hook': [probes, /hunter2/, { plugins: [{ requestDidStart: fail }] }],
  };
  for (const [what, [requests, secretText, options]] of Object.entries(secrets))
    it(what, async () => {
      const endpoint = createEndpoint(options);

      for (const request of requests) assert.doesNotMatch(visible(await endpoint.send(request)), secretText);
    });

  it('a playground, to a browser that requests a page', async () => {
    const renderLandingPage = (): { html: string } => ({ html: '<h1>Playground</h1>' });
    const endpoint = createEndpoint({ plugins: [{ serverWillStart: () => ({ renderLandingPage }) }] });

    const response = await endpoint.send(plainRequest({ headers: [['accept', 'text/html,application/xhtml+xml,*/*;q=0.8']] }));

    assert.equal(response.status, 422);
    assert.match(response.headers.get('content-type') ?? '', /^application\/graphql-response\+json/);
  });

  it('__typename is not introspection', async () => {
    const response = await createEndpoint().send(post({ query: '{ __typename }' }));

    assert.deepEqual(json(response), { data: { __typename: 'Query' } });
  });

  it('a value returned by a resolver that its type cannot represent', async () => {
    const typeDefs = `type Query { int: Int text: String flag: Boolean id: ID color: Color node: Node thing: Thing }
      enum Color { RED } type Node { id: ID } interface Thing { id: ID } type Book implements Thing { id: ID }`;
    const secret = { password: 'hunter2' };
    const rootValue = { int: 'hunter2', text: secret, flag: 'hunter2', id: secret, color: 'hunter2', node: secret, thing: secret };
    const resolvers = { Node: { __isTypeOf: () => false }, Thing: { __resolveType: () => secret } };
    const endpoint = createEndpoint({ typeDefs, rootValue, resolvers } as object);

    const response = await endpoint.send(post({ query: '{ int text flag id color node { id } thing { id } }' }));

    assert.deepEqual([json(response).errors.length, endpoint.lines.length], [7, 7]);
    assert.doesNotMatch(visible(response), /hunter2|password/);
  });

  it("an upstream server's response", async () => {
    const upstream = new GraphQLError('404: Not Found', {
      extensions: { code: 'NOT_FOUND', response: { url: 'http://10.0.0.1/secret', body: 'hunter2' } },
    });
    const resolvers = { Query: { hello: () => Promise.reject(upstream) } };

    const response = await createEndpoint({ resolvers }).send(post({ query: '{ hello }' }));

    assert.deepEqual(json(response).errors[0].extensions, { code: 'NOT_FOUND' });
    assert.doesNotMatch(visible(response), /10\.0\.0\.1|hunter2/);
  });
});

describe('no log line', () => {
  it('has the value of a header (GHSA-j5g3-5c8r-7qfx)', async () => {
    const endpoint = createEndpoint({
      context: ({ request }) => fail(request.headers.get('authorization')),
      cors: { origin: fail },
    });

    for (const probe of probes)
      await endpoint.send({ ...probe, headers: [...probe.headers, ...marked('authorization', 'cookie', 'origin', 'x-any', 'accept')] });

    assert.ok(endpoint.lines.length > 0);
    assert.doesNotMatch(endpoint.lines.map(({ message, details }) => message + details.map(String).join()).join('\n'), /M4RK/);
  });

  it('is written for a client error', async () => {
    const endpoint = createEndpoint();

    for (const probe of probes.filter(({ body }) => !String(body).includes('explode'))) await endpoint.send(probe);

    assert.deepEqual(endpoint.lines, []);
  });
});
