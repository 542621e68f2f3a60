import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HeaderMap, createHandler } from '../../../../src/entries/index.ts';
import type { HTTPResponse, ServerPlugin } from '../../../../src/entries/index.ts';
import { stopTheClock } from '../../../support/clock.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI, webRequest } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';
import { after } from '../../../support/stages.ts';

const headers = new HeaderMap({ 'content-type': 'application/json' });
/** What a plugin could return by mistake in place of a response. */
const mistakes: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  nothing: () => undefined,
  'an empty object': () => ({}),
  'a response without a body': () => ({ status: 200, headers }),
  bytes: () => new Uint8Array([1, 2]),
  'a response whose body is bytes': () => ({ status: 200, headers, body: new Uint8Array([1, 2]) }),
  'a web Response': () => new Response('{"data":{"a":2}}', { headers: { 'content-type': 'application/json' } }),
  'a web Response without a body': () => new Response(null),
  'a 204 with a body': () => ({ status: 204, headers, body: '{}' }),
  'an error that is thrown': () => assert.fail('no such coding'),
};

async function answer(
  plugins: readonly object[],
  source: Source = httpAPI,
  context: object = {},
): Promise<readonly [PlainResponse, string]> {
  const [logger, lines] = recordingLogger();
  const options = { typeDefs: 'type Query { a: Int }', rootValue: { a: 1 }, nodeEnv: 'production', logger, cors: {} };
  const handler = createHandler({ ...options, plugins: plugins as ServerPlugin[] });
  const response = await source.read(await handler(source.build(post({ query: '{ a }' })) as never, context as never));
  return [response, lines.map(({ message, details }) => [message, ...details].join(' ')).join('\n')];
}

for (const [name, mistake] of Object.entries(mistakes)) {
  describe(`${name} in place of a response`, () => {
    const hooks: Readonly<Record<string, object>> = {
      'request, asynchronous': { request: async () => mistake() },
      'request, synchronous': { request: () => mistake() },
      encode: { encode: () => async () => mistake() },
      'request, after next': { request: after((_call, response: object) => void Object.assign(response, { body: 1 }, mistake())) },
    };
    for (const [hook, plugin] of Object.entries(hooks)) {
      test(`of ${hook} is a masked 500`, async () => {
        const [response] = await answer([plugin]);

        assert.equal(response.status, 500);
        const [{ message, extensions }] = json(response).errors;
        assert.deepEqual([message, extensions.code], ['Internal server error', 'INTERNAL_SERVER_ERROR']);
      });
    }
  });
}

test('the log says what a plugin should have returned, and what it returned', async () => {
  const [, log] = await answer([{ request: async () => ({ status: 200, headers, body: new Uint8Array(2) }) }]);

  assert.match(
    log,
    /Expected the stage request of plugins\[0\] to return a response \{ status, headers, body \}.* got one whose body is a Uint8Array/,
  );
});

test('a 204 with an empty text is sent, with the CORS fields of every response', async () => {
  const [{ status, body, headers: sent }] = await answer(
    [{ request: async () => ({ status: 204, headers: new HeaderMap(), body: '' }) }],
    webRequest,
  );

  assert.deepEqual([status, body, sent.get('access-control-allow-origin')], [204, '', '*']);
});

test('fields of the connection in the response of a plugin are not sent', async () => {
  const framing = { 'transfer-encoding': 'chunked', 'content-length': '28', connection: 'close', 'x-kept': 'yes' };
  for (const request of [
    async () => ({ status: 200, headers: new HeaderMap({ ...headers.toRecord(), ...framing }), body: '{}' }),
    after((_call, response: HTTPResponse) => Object.entries(framing).forEach(([name, value]) => response.headers.set(name, value))),
  ]) {
    const [response] = await answer([{ request }]);

    assert.deepEqual(
      Object.keys(framing).filter((name) => response.headers.has(name)),
      ['x-kept'],
    );
  }
});

type Encode = (response: HTTPResponse) => HTTPResponse | Promise<HTTPResponse>;
const encoding = (encode: Encode): ServerPlugin => ({ encode: () => encode });
/** Marks a response. */
const marking = (name: string, response: HTTPResponse): HTTPResponse => (response.headers.append('x-encoded-by', name), response);

describe('encode', () => {
  test('the first plugin that returns a function encodes, and once', async () => {
    const plugins = [{ encode: () => undefined }, encoding((one) => marking('one', one)), encoding(async (one) => marking('two', one))];

    assert.equal((await answer(plugins))[0].headers.get('x-encoded-by'), 'one');
    assert.equal((await answer(plugins.toReversed()))[0].headers.get('x-encoded-by'), 'two');
  });

  test('is not called on platforms that take no base64', async () => {
    const [response] = await answer([{ encode: () => assert.fail('it was called') }], webRequest);

    assert.deepEqual(json(response), { data: { a: 1 } });
  });

  test('gets the request as it came, and the response as plugins have changed it', async () => {
    const seen: unknown[] = [];
    const plugins: ServerPlugin[] = [
      {
        encode({ request }) {
          seen.push(request.headers.get('content-type'));
          return (response) => {
            seen.push(response.status, response.headers.get('x-set'), response.body);
            return response;
          };
        },
      },
      {
        request: async (call, next) => {
          await next({ ...call, request: { ...call.request, headers: new Map() as never } });
          return { status: 201, headers: new Headers({ 'x-set': '1' }) as never, body: 'text' };
        },
      },
    ];

    assert.equal((await answer(plugins))[0].status, 201);
    assert.deepEqual(seen, ['application/json', 201, '1', 'text']);
  });

  test('a function that hangs is given up at the deadline', async (t) => {
    const turn = stopTheClock(t);
    const end = Date.now() + 3000;
    const answering = answer([encoding(() => new Promise(() => {}))], httpAPI, { getRemainingTimeInMillis: () => end - Date.now() });
    await turn(2990);
    await turn(20);

    assert.match((await answering)[0].body, /DEADLINE_EXCEEDED/);
  });
});
