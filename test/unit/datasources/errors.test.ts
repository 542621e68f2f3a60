import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import { GraphQLError } from 'graphql';

import { AuthenticationError, ForbiddenError, withoutSecrets } from '../../../src/datasources/errors.ts';
import type { DataSourceRequest, DataSourceRequestInit } from '../../../src/datasources/request.ts';
import { createHandler } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { LogLine } from '../../support/recording-logger.ts';
import { freePort } from '../../support/free-port.ts';
import { API, Operations, brokenBody, startAPI } from '../../support/datasources/api.ts';
import type { OperationSettings } from '../../support/datasources/api.ts';

const errorOf = (call: Promise<unknown>): Promise<GraphQLError> =>
  call.then(
    () => assert.fail('the call succeeded'),
    (error: GraphQLError) => error,
  );

describe('an unsuccessful response', () => {
  for (const [status, kind, code] of [
    [401, AuthenticationError, 'UNAUTHENTICATED'],
    [403, ForbiddenError, 'FORBIDDEN'],
    [404, GraphQLError, 'INTERNAL_SERVER_ERROR'],
    [500, GraphQLError, 'INTERNAL_SERVER_ERROR'],
  ] as const)
    it(`of ${status} becomes an error with the code ${code}`, async (t) => {
      const { begin } = await startAPI(t, () => ({ status, body: { reason: 'no' } }));

      const error = await errorOf(begin().read('x'));

      assert.ok(error instanceof kind && error instanceof GraphQLError);
      assert.equal(error.extensions['code'], code);
    });

  it('is described in the message and in extensions.response, without the query', async (t) => {
    const { begin, url } = await startAPI(t, () => ({ status: 404, body: { reason: 'no' } }));

    const { message, extensions } = await errorOf(begin().change('books/1?api_key=secret'));

    assert.equal(message, '404: Not Found (PATCH)');
    assert.deepEqual(extensions['response'], { url: `${url}/books/1`, method: 'PATCH', status: 404, statusText: 'Not Found', body: { reason: 'no' } }); // oxfmt-ignore
  });

  it('of a status without a name has only its number in the message', async () => {
    const httpFetch = async (): Promise<Response> => new Response('', { status: 599 });

    await assert.rejects(new API('http://a.test', { httpFetch }).read('x'), { message: '599 (GET)' });
  });

  for (const [what, settings, type] of [
    ['with invalid JSON', {}, 'application/json'],
    ['that an overridden parseBody cannot parse', { parseBody: async (response) => JSON.parse(await response.text()) }, 'text/html'],
    ['for which an overridden parseBody throws synchronously', { parseBody: () => { throw new Error('not yet'); } }, 'text/html'], // oxfmt-ignore
    ['that didReceiveResponse has read', { async didReceiveResponse(response, request) { await response.text(); throw await this['errorFromResponse'](response, request); } }, 'text/html'], // oxfmt-ignore
  ] as [string, OperationSettings, string][])
    it(`${what} keeps its status`, async (t) => {
      const { begin } = await startAPI(t, () => ({ status: 502, headers: { 'content-type': type }, body: '<html>Bad' }));

      const { message, extensions } = await errorOf(begin(settings).read('x'));

      assert.equal(message, '502: Bad Gateway (GET)');
      const { status, body } = extensions['response'] as { status: number; body: unknown };
      assert.deepEqual([status, body], [502, what.includes('has read') ? undefined : '<html>Bad']);
    });
});

describe('an override with the one argument of version 3', () => {
  const overrides: Readonly<Record<string, OperationSettings>> = {
    'that calls errorFromResponse of this': { async didReceiveResponse(response) { throw await this['errorFromResponse'](response); } }, // oxfmt-ignore
    'that calls didReceiveResponse of the class': { didReceiveResponse(response) { return API.prototype['didReceiveResponse'].call(this, response) as never; } }, // oxfmt-ignore
  };
  for (const [what, settings] of Object.entries(overrides))
    it(`${what} has the code of the status`, async (t) => {
      const { begin } = await startAPI(t, () => ({ status: 401, body: 'no' }));

      const { message, extensions } = await errorOf(begin(settings).read('x'));

      assert.deepEqual([message, extensions['code']], ['401: Unauthorized', 'UNAUTHENTICATED']);
    });
});

describe('no response', () => {
  it('is an error that names the call and the cause, without the query', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;

    await assert.rejects(new Operations(url).begin().read('x', { api_key: 'secret' }), {
      name: 'NetworkError',
      message: 'GET got no answer: ECONNREFUSED',
      code: 'ECONNREFUSED',
      extensions: { response: { url: `${url}/x`, method: 'GET' } },
    });
  });

  for (const control of ['no-store', 'max-age=60'])
    it(`is one that breaks off in the middle, too (${control})`, async () => {
      const httpFetch = async (): Promise<Response> => new Response(brokenBody('{"a":'), { headers: { 'cache-control': control } });

      await assert.rejects(new Operations('http://a.test').begin({ httpFetch, cacheIdentity: '' }).read('x', { api_key: 'secret' }), {
        message: 'GET got no answer',
        cause: new TypeError('terminated'),
        extensions: { response: { url: 'http://a.test/x', method: 'GET' } },
      });
    });

  it('is printed under its public name, and is not a GraphQLError, so it is masked for clients', async () => {
    const error = await errorOf(new API('http://localhost:1/').create('x'));

    assert.match(inspect(error), /^Error \[NetworkError\]: POST got no answer/);
    assert.ok(!(error instanceof GraphQLError));
  });
});

it('a successful response with invalid JSON is an error that names the call', async (t) => {
  const { begin, url } = await startAPI(t, () => ({ headers: { 'content-type': 'application/json' }, body: '{oops' }));

  await assert.rejects(begin().read('x', { api_key: 'secret' }), {
    message: 'GET answered with JSON that cannot be parsed',
    extensions: { response: { url: `${url}/x`, method: 'GET' } },
  });
});

it('a URL has no user name, password, query or fragment in messages', () => {
  assert.equal(withoutSecrets('https://user:secret@api.test/a@b?key=1#c'), 'https://api.test/a@b');
});

it('a header field that willSendRequest cannot set is not quoted', async () => {
  const willSendRequest = ({ headers }: DataSourceRequest): void => headers.set('authorization', 'hunter2\n\u0000');

  await assert.rejects(new API('http://a.test', { willSendRequest }).read('x'), {
    name: 'HeaderError',
    message: 'A header field of the GET has a name or a value that cannot be sent',
  });
});

const secret = 'hunter2';

/** A failing call, with the secret in every part of its URL. */
interface Failure {
  readonly baseURL?: string | undefined;
  readonly path?: string;
  readonly init?: DataSourceRequestInit;
  readonly httpFetch?: () => Promise<Response>;
}

const answering =
  (...given: ConstructorParameters<typeof Response>) =>
  async (): Promise<Response> =>
    new Response(...given);
const failing = (thrown: unknown) => async (): Promise<Response> => {
  throw thrown;
};
const json = { headers: { 'content-type': 'application/json', 'cache-control': 'max-age=60' } };
const redirecting = (location: string): Failure => ({
  init: { headers: { 'x-key': '1' } },
  httpFetch: answering(null, { status: 302, headers: { location } }),
});

const upstream: Readonly<Record<string, Failure>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 422, 429, 500, 503, 599].map((status) => [
      `a status of ${status} with words of its own`,
      { httpFetch: answering(secret, { status, statusText: secret }) },
    ]),
  ),
  'a status with a body that is broken JSON': { httpFetch: answering(`{${secret}`, { ...json, status: 502 }) },
  'JSON that cannot be parsed': { httpFetch: answering(`{${secret}`, json) },
  'JSON that cannot be parsed and is not stored': {
    httpFetch: answering(`{${secret}`, { headers: { 'content-type': 'application/json' } }),
  },
  'a network that fails': {
    httpFetch: failing(new TypeError('fetch failed', { cause: Object.assign(new Error(secret), { code: secret }) })),
  },
  'a call that takes too long': { httpFetch: () => new Promise(() => {}), init: { timeout: 1 } },
};

const failures: Readonly<Record<string, Failure>> = {
  ...upstream,
  'something thrown that is no Error': { httpFetch: failing(secret) },
  'an object thrown that looks like a GraphQLError': {
    httpFetch: failing({ name: 'GraphQLError', message: secret, extensions: { code: secret } }),
  },
  'a body that breaks off': { httpFetch: async () => new Response(brokenBody('{"a":'), json) },
  'a body that breaks off and is not stored': { httpFetch: async () => new Response(brokenBody(secret)) },
  'a path that climbs': { path: `x/../${secret}` },
  'a URL of another origin': { path: `https://${secret}.test/x` },
  'no baseURL': { baseURL: undefined, path: `/${secret}` },
  'a baseURL of another scheme': { baseURL: `ftp://${secret}.test` },
  'a baseURL with a password': { baseURL: `https://user:${secret}@a.test` },
  'a baseURL with a query': { baseURL: `https://a.test/?key=${secret}` },
  'a header field that cannot be sent': { init: { headers: { authorization: `${secret}\n\u0000` } } },
  'a header name that cannot be sent': { init: { headers: { [`${secret} `]: 'x' } } },
  'a redirect to another scheme': redirecting(`${secret}://x`),
  'a redirect to nowhere': redirecting(`http://${secret}:x:y`),
};

/** A production server with fields that fail with the error of the data source. */
function serve(failure: Failure, options: object = {}): { handler: ReturnType<typeof createHandler>; lines: LogLine[] } {
  const [logger, lines] = recordingLogger();
  const {
    baseURL,
    httpFetch = failing(new Error(secret)),
    path = `${secret}/1`,
    init,
  } = { baseURL: `https://${secret}.test/${secret}/`, ...failure };
  const read = (_: unknown, _args: unknown, { dataSources }: any): Promise<unknown> => dataSources.api.read(path, { key: secret }, init);
  const handler = createHandler({
    typeDefs: 'type Query { a: String b: String } type Mutation { a: String } type Subscription { a: String }',
    dataSources: () => ({ api: new API(baseURL, { httpFetch, cacheIdentity: '' }) }),
    resolvers: { Query: { a: read, b: read }, Mutation: { a: read }, Subscription: { a: { subscribe: read } } } as any,
    nodeEnv: 'production',
    logger,
    ...options,
  } as any);
  return { handler, lines };
}

describe('in production, a client sees neither the URL nor the response of a failed upstream call', () => {
  const bodies = [
    { query: '{ a b }' },
    { query: 'mutation { a }' },
    [{ query: '{ a }' }, { query: '{ b }' }],
    { query: 'subscription { a }' },
  ];

  for (const [name, failure] of Object.entries(failures))
    it(`of ${name}`, async () => {
      for (const options of [{}, { maskErrors: false }]) {
        const { handler } = serve(failure, options);
        for (const body of bodies) {
          const accept = 'query' in body && body.query.startsWith('subscription') ? 'text/event-stream' : 'application/json';
          const headers = { 'content-type': 'application/json', accept };
          const answer = await (
            await handler.fetch(new Request('https://f.test/', { method: 'POST', headers, body: JSON.stringify(body) }))
          ).text();

          assert.match(answer, /"errors":\[/);
          assert.doesNotMatch(answer, new RegExp(secret, 'i'));
        }
      }
    });

  for (const [name, failure] of Object.entries(upstream))
    it(`but formatError and the log see the URL without its query: ${name}`, async () => {
      const seen: { url: string }[] = [];
      const formatError = (formatted: unknown, error: any): unknown => {
        seen.push(error.extensions.response ?? error.originalError.extensions.response);
        return formatted;
      };
      const { handler, lines } = serve(failure, { formatError });

      await createTester(handler).run('{ a }');

      assert.equal(seen[0]!.url, `https://${secret}.test/${secret}/${secret}/1`);
      const errors = lines.filter(({ level }) => level === 'error').map(({ message }) => message);
      // Errors of the caller are not logged.
      assert.equal(errors.length, / 40[13] /.test(name) ? 0 : 1);
      for (const message of errors) assert.ok(message.endsWith(`(https://${secret}.test/${secret}/${secret}/1)`), message);
    });
});
