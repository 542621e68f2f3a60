import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createHandler } from '../../src/entries/index.ts';
import type { DataSourceRequest, DataSourceRequestInit } from '../../src/datasources/request.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import type { LogLine } from '../support/recording-logger.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

const secret = 'hunter2';

/** A failing call, with the secret in every part of its URL. */
interface Failure {
  readonly name: string;
  readonly baseURL?: string;
  readonly path?: string;
  readonly init?: DataSourceRequestInit;
  readonly httpFetch?: (request: Request) => Promise<Response>;
}

const answering = (body: ConstructorParameters<typeof Response>[0], init?: ResponseInit) => async (): Promise<Response> =>
  new Response(body, init);
const failing = (error: unknown) => async (): Promise<Response> => {
  throw error;
};
const json = { headers: { 'content-type': 'application/json', 'cache-control': 'max-age=60' } };
const broken = (): ReadableStream =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"a":'));
      controller.error(new TypeError(`terminated: ${secret}`));
    },
  });

const failures: readonly Failure[] = [
  ...[400, 401, 403, 404, 422, 429, 500, 503, 599].map((status) => ({
    name: `a status of ${status} with words of its own`,
    httpFetch: answering(secret, { status, statusText: secret }),
  })),
  { name: 'a status with a body that is broken JSON', httpFetch: answering(`{${secret}`, { ...json, status: 502 }) },
  { name: 'JSON that cannot be parsed', httpFetch: answering(`{${secret}`, json) },
  {
    name: 'JSON that cannot be parsed and is not stored',
    httpFetch: answering(`{${secret}`, { headers: { 'content-type': 'application/json' } }),
  },
  {
    name: 'a network that fails',
    httpFetch: failing(new TypeError('fetch failed', { cause: Object.assign(new Error(secret), { code: secret }) })),
  },
  { name: 'something thrown that is no Error', httpFetch: failing(secret) },
  {
    name: 'an object thrown that looks like a GraphQLError',
    httpFetch: failing({ name: 'GraphQLError', message: secret, extensions: { code: secret } }),
  },
  { name: 'a body that breaks off', httpFetch: answering(broken(), json) },
  { name: 'a body that breaks off and is not stored', httpFetch: answering(broken()) },
  { name: 'a call that takes too long', httpFetch: () => new Promise<Response>(() => {}), init: { timeout: 1 } },
  { name: 'a path that climbs', path: `x/../${secret}` },
  { name: 'a URL of another origin', path: `https://${secret}.test/x` },
  { name: 'no baseURL', baseURL: '', path: `/${secret}` },
  { name: 'a baseURL of another scheme', baseURL: `ftp://${secret}.test` },
  { name: 'a baseURL with a password', baseURL: `https://user:${secret}@a.test` },
  { name: 'a baseURL with a query', baseURL: `https://a.test/?key=${secret}` },
  { name: 'a header field that cannot be sent', init: { headers: { authorization: `${secret}\n\u0000` } } },
  { name: 'a header name that cannot be sent', init: { headers: { [`${secret} `]: 'x' } } },
  {
    name: 'a redirect to another scheme',
    init: { headers: { 'x-key': '1' } },
    httpFetch: answering(null, { status: 302, headers: { location: `${secret}://x` } }),
  },
  {
    name: 'a redirect to nowhere',
    init: { headers: { 'x-key': '1' } },
    httpFetch: answering(null, { status: 302, headers: { location: `http://${secret}:x:y` } }),
  },
];

function toSource({ baseURL = `https://${secret}.test/${secret}/`, httpFetch }: Failure): API {
  const api = new API(baseURL === '' ? undefined : baseURL, { httpFetch: httpFetch ?? failing(new Error(secret)) });
  api.cacheIdentity = '';
  return api;
}

/** Creates a production server with fields that fail with the error of the data source. */
function serve(
  failure: Failure,
  options: object = {},
): { ask: (body: object | object[], accept?: string) => Promise<string>; lines: LogLine[] } {
  const [logger, lines] = recordingLogger();
  const call = (_: unknown, _args: unknown, { dataSources }: any): Promise<unknown> =>
    dataSources.api.read(failure.path ?? `${secret}/1`, { key: secret }, failure.init);
  const handler = createHandler({
    typeDefs: 'type Query { a: String b: String } type Mutation { a: String } type Subscription { a: String }',
    dataSources: () => ({ api: toSource(failure) }),
    resolvers: {
      Query: { a: call, b: call },
      Mutation: { a: call },
      Subscription: { a: { subscribe: call } },
    } as any,
    nodeEnv: 'production',
    logger,
    ...options,
  } as any);
  const ask = async (body: object | object[], accept = 'application/json'): Promise<string> => {
    const headers = { 'content-type': 'application/json', accept };
    return (await handler.fetch(new Request('https://f.test/', { method: 'POST', headers, body: JSON.stringify(body) }))).text();
  };
  return { ask, lines };
}

describe('in production, a client sees neither the URL nor the response of a failed upstream call', () => {
  for (const failure of failures) {
    it(`of ${failure.name}`, async () => {
      for (const options of [{}, { maskErrors: false }]) {
        const { ask } = serve(failure, options);
        const answers = [
          await ask({ query: '{ a b }' }),
          await ask({ query: 'mutation { a }' }),
          await ask([{ query: '{ a }' }, { query: '{ b }' }]),
          await ask({ query: 'subscription { a }' }, 'text/event-stream'),
        ];

        for (const answer of answers) assert.match(answer, /"errors":\[/);
        assert.doesNotMatch(answers.join('\n'), new RegExp(secret, 'i'));
      }
    });
  }

  it('formatError and the log see the URL without its query', async () => {
    const seen: any[] = [];
    const formatError = (formatted: any, error: any): any => {
      seen.push(error.extensions.response ?? error.originalError.extensions.response);
      return formatted;
    };
    for (const failure of failures.filter(({ name }) => /status|network|too long|parsed/.test(name))) {
      const { ask, lines: all } = serve(failure, { formatError });

      await ask({ query: '{ a }' });

      assert.equal(seen.pop().url, `https://${secret}.test/${secret}/${secret}/1`, failure.name);
      const lines = all.filter(({ level }) => level === 'error');
      const isCallers = / 40[13] /.test(failure.name);
      assert.equal(lines.length, isCallers ? 0 : 1, failure.name);
      if (!isCallers) assert.match(lines[0]!.message, new RegExp(`\\(https://${secret}\\.test/${secret}/${secret}/1\\)$`));
    }
  });
});

describe('the message of a failed call', () => {
  it('has its method and status', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404 }));

    await assert.rejects(new API(origin.url).change('/books/1?key=secret'), { message: '404: Not Found (PATCH)' });
    await assert.rejects(new API().read(`${origin.url}/a?b`), { message: '404: Not Found (GET)' });
  });

  it('has only the number of a status without a name', async () => {
    await assert.rejects(new API('http://a.test', { httpFetch: answering('', { status: 599 }) }).read('x'), { message: '599 (GET)' });
  });

  it('leaves the URL to extensions.response, for every kind of failure', async () => {
    const api = new API('http://a.test', { httpFetch: failing(new Error('x')) });

    await assert.rejects(api.read('x', { key: secret }), { extensions: { response: { url: 'http://a.test/x', method: 'GET' } } });
  });
});

it('a header field that willSendRequest cannot set is not quoted', async () => {
  class Signing extends API {
    protected override willSendRequest(request: DataSourceRequest): void {
      request.headers.set('authorization', `${secret}\n\u0000`);
    }
  }

  await assert.rejects(new Signing('http://a.test').read('x'), {
    name: 'HeaderError',
    message: 'A header field of the GET has a name or a value that cannot be sent',
  });
});
