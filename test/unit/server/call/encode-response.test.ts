import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { HTTPResponse, ServerPlugin } from '../../../../src/entries/index.ts';
import { stopTheClock } from '../../../support/clock.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { httpAPI, webRequest } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';

const [logger, lines] = recordingLogger();

async function answer(plugins: readonly ServerPlugin[], source: Source = httpAPI, context: object = {}): Promise<PlainResponse> {
  const handler = createHandler({ typeDefs: 'type Query { a: Int }', rootValue: { a: 1 }, nodeEnv: 'production', logger, plugins });
  return source.read(await handler(source.build(post({ query: '{ a }' })) as never, context as never));
}

type Encode = (response: HTTPResponse) => HTTPResponse | Promise<HTTPResponse>;
const encoding = (encode: Encode): ServerPlugin => ({ encode: () => encode });
/** Marks a response. */
const marking =
  (name: string): Encode =>
  (response) => {
    response.headers.append('x-encoded-by', name);
    return response;
  };

describe('encode', () => {
  test('the first plugin that returns a function encodes, and once', async () => {
    const plugins = [{ encode: () => undefined }, encoding(marking('one')), encoding(async (response) => marking('two')(response))];

    assert.equal((await answer(plugins)).headers.get('x-encoded-by'), 'one');
    assert.equal((await answer(plugins.toReversed())).headers.get('x-encoded-by'), 'two');
  });

  test('is not called on platforms that take no base64', async () => {
    const response = await answer([{ encode: () => assert.fail('it was called') }], webRequest);

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

    assert.equal((await answer(plugins)).status, 201);
    assert.deepEqual(seen, ['application/json', 201, '1', 'text']);
  });

  for (const [name, encode] of [
    ['throws', () => assert.fail('no such coding')],
    ['rejects', () => Promise.reject(new Error('no such coding'))],
  ] as const) {
    test(`a function that ${name} is a masked error`, async () => {
      const response = await answer([encoding(encode)]);

      assert.equal(response.status, 500);
      assert.match(response.body, /INTERNAL_SERVER_ERROR/);
      assert.doesNotMatch(response.body, /no such coding/);
    });
  }

  test('a function that hangs is given up at the deadline', async (t) => {
    const turn = stopTheClock(t);
    const end = Date.now() + 3000;
    const answering = answer([encoding(() => new Promise(() => {}))], httpAPI, { getRemainingTimeInMillis: () => end - Date.now() });
    await turn(2990);
    await turn(20);

    assert.match((await answering).body, /DEADLINE_EXCEEDED/);
    assert.ok(lines.length > 0);
  });
});
