import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import type { ContextArgument } from '../../../../src/entries/index.ts';
import { HeaderMap } from '../../../../src/shared/header-map.ts';
import { fetchAPI } from '../../../../src/server/platform/fetch.ts';
import { deferred } from '../../../support/deferred.ts';
import { echoServer } from '../../../support/echo-server.ts';
import { functionURLEvent, webRequest } from '../../../support/events.ts';
import { json, plainRequest, post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { readWebResponse } from '../../../support/results.ts';

const operation = '{"query":"{ echo(text: \\"hi\\") }"}';
const carried = (): Request => webRequest(post(operation));

async function sendStream(body: ReadableStream, options = echoServer().options): Promise<PlainResponse> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' } as RequestInit;
  return readWebResponse(await createHandler(options).fetch(new Request('https://example.org/graphql', init)));
}

describe('a body that is a stream', () => {
  test('is read byte by byte, a character of several bytes included', async () => {
    const bytes = [...new TextEncoder().encode('{"query":"{ echo(text: \\"🌍\\") }"}')].map((byte) => Uint8Array.of(byte));

    assert.deepEqual(json(await sendStream(ReadableStream.from(bytes))), { data: { echo: '🌍' } });
  });

  test('above the limit is a 413, and is read to its end, because a host may still be writing it', async () => {
    const read = deferred();
    const chunks = Array.from({ length: 64 }, () => new Uint8Array(65_536).fill(0x20));
    // It is flushed at the end of the chunks, and not if it is canceled.
    const body = ReadableStream.from(chunks).pipeThrough(new TransformStream({ flush: () => read.resolve() }));

    const response = await sendStream(body);
    await read.promise;

    assert.equal(response.status, 413);
  });

  test('does not end the process if the host continues to write after a 413, as h3 1 and @vercel/node do', async () => {
    let write: (() => void) | undefined;
    const body = new ReadableStream({
      start(controller) {
        // Throws after the stream has been canceled.
        write = () => controller.enqueue(new Uint8Array(65_536));
        for (let chunk = 0; chunk < 20; chunk++) write();
      },
    });

    const response = await sendStream(body);

    assert.equal(response.status, 413);
    assert.doesNotThrow(write!);
  });

  test('that was already read is a 500 that says so, in the response and in the log', async () => {
    const [logger, lines] = recordingLogger();
    const request = carried();
    await request.text();

    const response = await createHandler(echoServer({ logger }).options)(request);

    assert.equal(response.status, 500);
    assert.match(await response.text(), /was read before it reached this handler.*request\.clone\(\)/);
    assert.match(lines.map(({ message }) => message).join(), /was read before/);
  });

  for (const chunk of [operation, null])
    test(`of ${JSON.stringify(chunk)} instead of bytes is a 400`, async () => {
      assert.equal((await sendStream(ReadableStream.from([chunk]))).status, 400);
    });

  test('that fails half way is a 400 and not a server error', async () => {
    const { options, log } = echoServer();
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('{"query');
      throw new Error('The client went away.');
    };

    const response = await sendStream(ReadableStream.from(failing()), options);

    assert.equal(response.status, 400);
    assert.deepEqual(log, []);
  });
});

describe('a Request', () => {
  test('is recognized by its shape, so that a Lambda event does not load fetch', () => {
    assert.equal(fetchAPI.recognizes(webRequest(plainRequest()) as never), true);
    assert.equal(fetchAPI.recognizes(functionURLEvent(plainRequest())), false);
    assert.equal(fetchAPI.recognizes({ url: 'https://example.org/', headers: null, arrayBuffer() {} }), false);
  });

  test("of a platform's own class is recognized", () => {
    assert.equal(fetchAPI.recognizes(new (class extends Request {})('https://example.org/') as never), true);
  });
});

test('a host that changes the fields of one response does not affect the next', async () => {
  const { fetch } = createHandler(echoServer().options);

  const first = await fetch(carried());
  first.headers.set('x-user', 'ada');
  first.headers.delete('content-type');
  const second = await fetch(carried());

  assert.equal(second.headers.get('x-user'), null);
  assert.match(second.headers.get('content-type')!, /^application\/json/);
});

describe('the body of a Response', () => {
  const text = 'ä🌍'.repeat(50_000);
  const respond = (body: string): Response =>
    fetchAPI.toResult({ status: 200, headers: new HeaderMap(), body }, webRequest(plainRequest()));

  const ways: Readonly<Record<string, (response: Response) => Promise<string>>> = {
    'text()': (response) => response.text(),
    'a reader': async ({ body }) => String(await buffer(body!)),
    'a reader of bytes': async ({ body }) => {
      const reader = body!.getReader({ mode: 'byob' });
      const parts: Uint8Array[] = [];
      for (let part = await reader.read(new Uint8Array(1000)); !part.done; part = await reader.read(new Uint8Array(1000)))
        parts.push(part.value);
      return Buffer.concat(parts).toString();
    },
  };
  for (const [way, read] of Object.entries(ways)) {
    test(`is all of the text, by ${way}`, async () => {
      assert.equal(await read(respond(`${text}\ud800`)), `${text}\ufffd`);
      assert.equal(await read(respond('')), '');
    });
  }

  test('is a string for a class that a host substitutes for Response, which takes the length from it', async (t) => {
    const { Response: original } = globalThis;
    const given: unknown[] = [];
    globalThis.Response = class extends original {
      constructor(body?: string | null, init?: ResponseInit) {
        super(body, init);
        given.push(body);
      }
    };
    t.after(() => (globalThis.Response = original));

    respond('{"data":{}}');

    assert.deepEqual(given, ['{"data":{}}']);
  });
});

describe('an event that carries a Request', () => {
  const handlerNoting = (
    read: (argument: ContextArgument) => unknown,
  ): [(event: unknown, context?: object) => Promise<Response>, unknown[]] => {
    const seen: unknown[] = [];
    const context = (argument: ContextArgument): object => (seen.push(read(argument)), { tally: { resolved: 0 } });
    return [createHandler({ ...echoServer().options, context } as never) as never, seen];
  };

  test('of SvelteKit is answered with a Response, and is the context of the platform', async () => {
    const [handler, seen] = handlerNoting(({ event, context }) => [event, context]);
    const event = { request: carried(), locals: { user: 'ada' }, params: {}, url: new URL('https://example.org/graphql') };

    const response = await handler(event);

    assert.deepEqual(await response.json(), { data: { echo: 'hi' } });
    assert.deepEqual(seen, [[event.request, event]]);
  });

  test('of Cloudflare Pages has bindings and waitUntil', async () => {
    const work: Promise<unknown>[] = [];
    const [handler, seen] = handlerNoting(({ env, waitUntil }) => (waitUntil(Promise.resolve()), env));

    const response = await handler({
      request: carried(),
      env: { TOKEN: 'x' },
      params: {},
      waitUntil: (one: Promise<unknown>) => work.push(one),
    });

    assert.deepEqual(await response.json(), { data: { echo: 'hi' } });
    assert.deepEqual([seen, work.length], [[{ TOKEN: 'x' }], 1]);
  });

  test('keeps the context that is passed beside it, and the signal of its Request', async () => {
    const leaving = new AbortController();
    const [handler, seen] = handlerNoting(({ context, signal }) => (leaving.abort(), [context, signal.aborted]));

    await handler({ request: new Request(carried(), { signal: leaving.signal }) }, { mine: true });

    assert.deepEqual(seen, [[{ mine: true }, true]]);
  });

  test('of another kind is rejected', async () => {
    const handler = createHandler(echoServer().options) as (event: unknown) => Promise<unknown>;

    await assert.rejects(
      handler({ request: { headers: {} } }),
      /^Error: Expected an event of web Request; got an object with the keys request\./,
    );
  });
});
