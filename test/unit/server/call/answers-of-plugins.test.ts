import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HeaderMap, createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI, webRequest } from '../../../support/sources.ts';
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
};

async function answer(plugin: unknown, outer: ServerPlugin = {}): Promise<readonly [PlainResponse, string]> {
  const [logger, lines] = recordingLogger();
  const plugins = [outer, plugin as ServerPlugin];
  const handler = createHandler({ typeDefs: 'type Query { a: Int }', rootValue: { a: 1 }, nodeEnv: 'production', logger, plugins });
  const response = await httpAPI.read(await handler(httpAPI.build(post({ query: '{ a }' })) as never, {} as never));
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
        const [response] = await answer(plugin);

        assert.equal(response.status, 500);
        assert.equal(json(response).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
      });
    }
  });
}

test('the log says what a plugin should have returned, and what it returned', async () => {
  const [, log] = await answer({ request: async () => ({ status: 200, headers, body: new Uint8Array(2) }) });

  assert.match(log, /Expected plugins to return a response \{ status, headers, body \}.* got one whose body is a Uint8Array/);
});

test('a 204 with an empty text is sent, with the CORS fields of every response', async () => {
  const handler = createHandler({
    typeDefs: 'type Query { a: Int }',
    cors: {},
    plugins: [{ request: async () => ({ status: 204, headers: new HeaderMap(), body: '' }) }],
  });

  const { status, body, headers: sent } = await webRequest.read(await handler(webRequest.build(post({ query: '{ a }' })) as never));

  assert.deepEqual([status, body, sent.get('access-control-allow-origin')], [204, '', '*']);
});

test('fields of the connection in the response of a plugin are not sent', async () => {
  const framing = { 'transfer-encoding': 'chunked', 'content-length': '28', connection: 'close', 'x-kept': 'yes' };
  for (const plugin of [
    { request: async () => ({ status: 200, headers: new HeaderMap({ ...headers.toRecord(), ...framing }), body: '{}' }) },
    {
      request: after((_call: unknown, response: { headers: HeaderMap }) =>
        Object.entries(framing).forEach(([name, value]) => response.headers.set(name, value)),
      ),
    },
  ]) {
    const [response] = await answer(plugin);

    assert.deepEqual(
      Object.keys(framing).filter((name) => response.headers.has(name)),
      ['x-kept'],
    );
  }
});
