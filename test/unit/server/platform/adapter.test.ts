import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import type { ChunkStream } from '../../../../src/shared/http-messages.ts';
import { writeChunks } from '../../../../src/server/platform/adapter.ts';
import { bodyOf } from '../../../../src/server/platform/node.ts';
import { echoServer } from '../../../support/echo-server.ts';
import * as events from '../../../support/events.ts';
import { json, plainRequest, post } from '../../../support/plain-http.ts';
import { httpAPI, latticeV1, latticeV2, alb, netlifyV1, restAPI } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';

const operation = '{"query":"{ echo(text: \\"hi 🌍\\") }"}';
const base64 = Buffer.from(operation).toString('base64');
/** The base64 of these bytes has characters that differ between the two alphabets. */
const unlucky = `{"query":"{ echo(text: \\"${'?>~ÿþ'.repeat(9)}\\") }"}`;

describe('a body marked as base64', () => {
  const said: readonly [source: Source, key: string][] = [
    [restAPI, 'isBase64Encoded'],
    [httpAPI, 'isBase64Encoded'],
    [alb, 'isBase64Encoded'],
    [latticeV1, 'is_base64_encoded'],
    [latticeV2, 'isBase64Encoded'],
    [netlifyV1, 'isBase64Encoded'],
  ];
  for (const [source, key] of said) {
    const send = async (body: unknown, claim: unknown): Promise<{ status: number; body: any }> => {
      const event = { ...(source.build(post(operation)) as object), body, [key]: claim };
      const response = await source.read(await createHandler(echoServer().options)(event));
      return { status: response.status, body: json(response) };
    };

    for (const [what, body, expected, claim = true] of [
      ['base64', base64, 'hi 🌍'],
      ['plain text', `\r\n ${operation}`, 'hi 🌍'],
      ['in the alphabet for URLs, without padding', Buffer.from(unlucky).toString('base64url'), '?>~ÿþ'.repeat(9)],
      ['an object that middleware has parsed', JSON.parse(operation), 'hi 🌍'],
      ['missing', undefined, /^Expected/],
      ['empty', '', /^Expected/],
      ['truncated', base64.slice(0, -7), /^Expected/],
      ['marked by a string instead of true, and so read as text', base64, /^Expected/, 'true'],
      ['neither text nor an object', 5, /^Expected the body of the event to be a string or an object, got /],
    ] as const)
      test(`is ${typeof expected === 'string' ? 'read' : 'a 400'} if it is ${what} (${source.name})`, async () => {
        const { status, body: answer } = await send(body, claim);

        if (typeof expected === 'string') assert.deepEqual([status, answer], [200, { data: { echo: expected } }]);
        else assert.match(`${status}: ${answer.errors[0].message}`, new RegExp(`^400: ${expected.source.slice(1)}`));
      });
  }
});

describe('a body that middleware has parsed', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const send = async (body: unknown, type = 'application/json', options: object = {}): Promise<{ status: number; message: string }> => {
    const handler = createHandler(echoServer({ maxBodyBytes: 2000, ...options }).options);
    const event = { ...events.restEvent(plainRequest({ method: 'POST', headers: [['content-type', type]] })), body };
    const response = await restAPI.read(await handler(event));
    return { status: response.status, message: json(response).errors?.[0].message };
  };

  for (const [name, csrfPrevention, status] of [
    ['always', true, 400],
    ['never', false, 415],
  ] as const)
    test(`from a form is refused, like the form: CSRF prevention ${name}`, async () => {
      assert.equal((await send(JSON.parse(operation), 'application/x-www-form-urlencoded', { csrfPrevention })).status, status);
    });

  for (const [what, extensions, status] of [
    ['is as long as its JSON allows', { a: '🌍'.repeat(400) }, 200],
    ['is longer', { a: '🌍'.repeat(500) }, 413],
    ['is no JSON', { a: 1n }, 400],
  ] as const)
    test(`that ${what} is a ${status}`, async () => {
      assert.equal((await send({ query: '{ __typename }', extensions })).status, status);
    });

  test('has as many objects and lists as a text may have', async () => {
    const { status, message } = await send({ query: '{ __typename }', extensions: { a: Array.from({ length: 100 }, () => ({})) } });

    assert.equal(status, 422);
    assert.equal(message, 'Expected a request of at most 100 objects and lists, got more.');
  });

  test('nests as deep as variables may', async () => {
    const options = { maxBodyBytes: 1_000_000 };
    const { status, message } = await send({ query: '{ __typename }', extensions: nested(5000) }, undefined, options);

    assert.equal(status, 422);
    assert.match(message, /^Expected a request to nest at most 200 levels deep, got more/);
    assert.equal((await send({ query: '{ __typename }', variables: nested(199) }, undefined, options)).status, 200);
    assert.equal((await send([{ query: '{ __typename }', extensions: cyclic }], undefined, options)).status, 422);
  });

  test('is not what a direct invocation is: its caller is trusted, and the platform limits its size', async () => {
    const handler = createHandler(echoServer({ maxBodyBytes: 2000 }).options);

    assert.deepEqual(await handler({ query: '{ __typename }', extensions: { a: 'x'.repeat(5000) } }), { data: { __typename: 'Query' } });
  });
});

test('Netlify decompresses gzip but keeps its header: the text is read', async () => {
  const event = events.netlifyEvent(post(operation, { headers: [['Content-Encoding', 'gzip']] }));

  const response = await netlifyV1.read(await createHandler(echoServer().options)(event));

  assert.deepEqual(json(response), { data: { echo: 'hi 🌍' } });
});

test('a client that disconnects without reading ends the source and the writing', { timeout: 10_000 }, async () => {
  let returned = 0;
  const chunks: ChunkStream = {
    next: async () => (returned === 0 ? { done: false, value: 'more' } : { done: true, value: undefined }),
    return: async () => {
      returned++;
      return { done: true, value: undefined };
    },
    stop: () => {},
    [Symbol.asyncIterator]: () => chunks,
  };
  const written: string[] = [];
  const output = new EventEmitter();
  const write = (chunk: string): boolean => {
    written.push(chunk);
    // The buffer is never drained: the client disconnects once the writer waits.
    setImmediate(() => output.emit('close'));
    return false;
  };

  await writeChunks(chunks, Object.assign(output, { write }));

  assert.deepEqual(written, ['more']);
  assert.ok(returned > 0);
  assert.deepEqual(output.eventNames(), []);
});

describe('a small body on node:http', () => {
  /** A request that announces 10 bytes, none of which has arrived. */
  const incoming = (): EventEmitter =>
    Object.assign(new EventEmitter(), { method: 'POST', headers: { 'content-length': '10' }, iterator: () => {}, pause: () => {} });

  const endings: readonly [name: string, end: (request: EventEmitter) => void, message: RegExp][] = [
    ['whose connection closes is refused', (request) => request.emit('close'), /^Expected a whole body, but it ended early/],
    ['that fails is refused', (request) => request.emit('error', new Error('reset')), /^Expected a whole body, but it ended early/],
    ['that is text is refused', (request) => request.emit('data', '{'), /^Expected the body to be a stream of bytes/],
    [
      'that a host cuts off at a lower limit is refused',
      (request) => request.emit('error', Object.assign(new Error('Payload Too Large'), { status: 413 })),
      /^Expected a body within the limit of the server around this handler/,
    ],
  ];
  for (const [name, end, message] of endings) {
    test(`${name}: it is the client's fault`, async () => {
      const request = incoming();
      const body = bodyOf(request as never);
      assert.ok(body.kind === 'stream');

      const reading = body.read(100);
      end(request);

      await assert.rejects(reading, (error: { message: string; extensions: { code: string } }) => {
        assert.match(error.message, message);
        return error.extensions.code === 'BAD_REQUEST';
      });
    });
  }
});
