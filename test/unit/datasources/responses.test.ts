import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHTTPServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';

import { Agent, fetch as undiciFetch } from 'undici';

import { deferred } from '../../support/deferred.ts';
import { API, Operations, startAPI } from '../../support/datasources/api.ts';
import type { OperationSettings } from '../../support/datasources/api.ts';

/** Three ways to read a body, with and without storing it. */
const readers: Readonly<Record<string, OperationSettings>> = {
  'by the data source': {},
  'by parseBody': { parseBody: async (response) => (await response.text()).length },
  'in pieces by didReceiveResponse': {
    async didReceiveResponse(response) {
      let size = 0;
      for await (const chunk of response.body!) size += chunk.byteLength;
      return size;
    },
  },
};
const ways = Object.entries(readers).flatMap(([how, reader]) => ['max-age=60', 'no-store'].map((control) => [`${how}, ${control}`, reader, control] as const)); // oxfmt-ignore

/** Starts a server for one test, and returns its port. */
async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    (server as Partial<ReturnType<typeof createHTTPServer>>).closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

interface Drip {
  readonly url: string;
  /** Fulfilled when the API has received a request, and when the connection of a response is closed. */
  readonly asked: Promise<void>;
  readonly closed: Promise<void>;
}

/** Starts an API that sends header fields and part of a body, and never ends the body. */
async function startDrip(t: TestContext, headers: Record<string, string>): Promise<Drip> {
  const [asked, closed] = [deferred(), deferred()];
  const server = createHTTPServer((_request, response) => {
    asked.resolve();
    response.writeHead(200, headers).write('x');
    response.on('close', () => closed.resolve());
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}`, asked: asked.promise, closed: closed.promise };
}

/** Makes timers of a time start otherwise. Other timers are unchanged, because the platform sets some too. */
function replaceTimers(t: TestContext, replaced: number, start: (callback: () => void) => unknown): void {
  const real = globalThis.setTimeout;
  const instead = (callback: () => void, time?: number, ...rest: []): unknown => (time === replaced ? start(callback) : real(callback, time, ...rest)); // oxfmt-ignore
  t.mock.method(globalThis, 'setTimeout', instead as typeof real);
}

const makeMinutesShort = (t: TestContext): void => {
  const real = globalThis.setTimeout;
  replaceTimers(t, 60_000, (callback) => real(callback, 1));
};

describe('maxResponseBytes', () => {
  for (const [how, reader, control] of ways) {
    it(`aborts a larger body, and accepts one of exactly that size (read ${how})`, async (t) => {
      const { begin } = await startAPI(t, ({ url }) => ({ headers: { 'cache-control': control }, body: 'x'.repeat(Number(url.slice(1))) }));

      const result = await begin(reader).read('1000', undefined, { maxResponseBytes: 1000 });
      assert.equal(typeof result === 'string' ? result.length : result, 1000);
      await assert.rejects(begin({ ...reader, maxResponseBytes: 1000 }).read('1001'), {
        name: 'ResponseTooLargeError',
        message: 'GET answered with a body of more than 1000 bytes. Set maxResponseBytes to allow more',
      });
    });

    it(`counts decompressed bytes (read ${how})`, async (t) => {
      const body = gzipSync('x'.repeat(2 ** 20));
      const { begin } = await startAPI(t, () => ({ headers: { 'cache-control': control, 'content-encoding': 'gzip' }, body }));

      await assert.rejects(begin({ ...reader, maxResponseBytes: 2 ** 19 }).read('x'), { name: 'ResponseTooLargeError' });
    });
  }

  it('is 32 MiB by default, and Infinity means no limit', async (t) => {
    const body = gzipSync(Buffer.alloc(32 * 2 ** 20 + 1));
    const { begin } = await startAPI(t, () => ({ headers: { 'content-encoding': 'gzip' }, body }));

    await assert.rejects(begin().read('x'), { name: 'ResponseTooLargeError' });
    assert.equal((await begin().read('x', {}, { maxResponseBytes: Infinity })).length, 32 * 2 ** 20 + 1);
  });

  it('leaves an error response with a larger body its status', async (t) => {
    const { begin } = await startAPI(t, () => ({ status: 503, body: 'x'.repeat(1001) }));

    await assert.rejects(begin({ maxResponseBytes: 1000 }).read('x'), { message: '503: Service Unavailable (GET)' });
  });
});

describe('a body that never ends', () => {
  for (const [how, reader, control] of ways)
    it(`is aborted after a minute, and its connection closed (read ${how})`, async (t) => {
      const { url, closed } = await startDrip(t, { 'cache-control': control });
      makeMinutesShort(t);

      await assert.rejects(new Operations(url).begin(reader).read('x'), {
        name: 'TimeoutError',
        message: /^GET answered with a body that did not end within 60000 ms/,
      });
      await closed;
    });

  it('is aborted after the timeout, if set', async (t) => {
    const { url, asked, closed } = await startDrip(t, { 'cache-control': 'no-store' });
    // Before the API has the request, there is no connection to close.
    replaceTimers(t, 20, async (callback) => {
      await asked;
      callback();
    });

    await assert.rejects(new API(url).read('x', {}, { timeout: 20 }), { name: 'TimeoutError', message: 'GET got no answer within 20 ms' });
    await closed;
  });

  const refuse = (): never => {
    throw new Error('refused');
  };
  for (const [what, settings] of [
    ['stops reading', { didReceiveResponse: async ({ body }) => { const reader = body!.getReader(); await reader.read(); await reader.cancel(); } }], // oxfmt-ignore
    ['leaves it unread', { didReceiveResponse: async ({ status }) => status }],
    ['throws', { didReceiveResponse: refuse }],
    ['throws in cacheOptionsFor', { cacheOptionsFor: refuse }],
  ] as [string, OperationSettings][])
    it(`is closed with its connection when a hook ${what}`, async (t) => {
      const { url, closed } = await startDrip(t, { 'content-length': '9' });

      await new Operations(url).begin(settings).read('x').catch(() => {}); // oxfmt-ignore

      await closed;
    });

  it('but not one that a hook returns', async (t) => {
    const { begin } = await startAPI(t, () => ({ body: 'ok' }));
    const { stream } = await begin({ didReceiveResponse: async ({ body }) => ({ stream: body }) }).read('a', {}, { cache: 'no-store' });

    assert.equal(await new Response(stream).text(), 'ok');
  });
});

describe('a response of httpFetch whose body is no web stream', () => {
  const responding = (arrayBuffer: () => Promise<ArrayBuffer>): API => {
    const response = { ok: true, status: 200, headers: new Headers({ 'content-type': 'application/json' }), body: {}, arrayBuffer };
    return new API('http://a.test', { httpFetch: async () => response as unknown as Response });
  };

  it('is read by arrayBuffer()', async () => {
    assert.deepEqual(await responding(async () => new TextEncoder().encode('[1]').buffer).read('x'), [1]);
  });

  for (const timeout of [20, undefined])
    it(`fails after ${timeout ?? 'a minute'} if it does not end`, async (t) => {
      makeMinutesShort(t);

      await assert.rejects(responding(() => new Promise(() => {})).read('x', {}, timeout === undefined ? {} : { timeout }), {
        name: 'TimeoutError',
      });
    });
});

describe('a body is complete', () => {
  it('whatever its size, and its connection is used again', async (t) => {
    let connections = 0;
    const server = createHTTPServer((request, response) => {
      response.setHeader('cache-control', 'max-age=60').end('x'.repeat(Number(request.url!.slice(1))));
    }).on('connection', () => connections++);
    const { begin } = new Operations(`http://127.0.0.1:${await listen(t, server)}`);
    const sizes = [0, 1, 100, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000];

    for (const reader of Object.values(readers)) {
      const api = begin({ ...reader, memoizeGetRequests: false });
      for (const size of sizes) {
        const result: unknown = await api.read(String(size), undefined, { cache: 'reload' });
        assert.equal(typeof result === 'string' ? result.length : result, size);
      }
    }

    // Node's fetch opens a second connection for a call that starts before the first connection is back in the pool.
    assert.ok(connections <= 2, `${connections} connections`);
  });

  it('even if its first chunk is as long as Content-Length, which counts compressed bytes', async () => {
    const pieces = ['{"title":', '"Emma"}'];
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': String(pieces[0]?.length) };
    const body = (): ReadableStream => ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));

    const book = await new API('http://a.test', { httpFetch: async () => new Response(body(), { headers }) }).read('books/1');

    assert.deepEqual(book, { title: 'Emma' });
  });

  it('or it is an error, and not stored: one that is shorter than its Content-Length', async () => {
    const bodies = ['all', 'all of it'];
    const headers = { 'content-length': '9', 'content-type': 'text/plain', 'cache-control': 'max-age=60' };
    const { begin } = new Operations('https://api.example');
    const read = (): Promise<string> =>
      begin({ cacheIdentity: '', httpFetch: async () => new Response(bodies.shift(), { headers }) }).read('x');

    await assert.rejects(read(), {
      name: 'NetworkError',
      message: 'GET got no answer',
      cause: new Error('The body ended after 3 of 9 bytes.'),
    });
    assert.equal(await read(), 'all of it');
  });

  const tls = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../../fixtures/tls', name));
  /** Starts an API that breaks off its first response in the middle of the body. It uses HTTP/2 if the client offers it. */
  const startBreaking = async (t: TestContext, allowH2: boolean): Promise<{ read(): Promise<string>; protocols: string[] }> => {
    const protocols: string[] = [];
    const server = createSecureServer({ key: tls('localhost.key.pem'), cert: tls('localhost.pem'), allowHTTP1: true });
    server.on('request', (request, response) => {
      protocols.push(request.httpVersion);
      response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=60' });
      if (protocols.length > 1) response.end('all of it');
      // CANCEL, which undici 8 treats as the end of the body.
      else response.write('all', () => (request.httpVersion === '2.0' ? response.stream.close(8) : request.socket.destroy()));
    });
    const dispatcher = new Agent({ connect: { ca: tls('localhost.pem') }, allowH2 });
    t.after(() => dispatcher.destroy());
    const { begin } = new Operations(`https://localhost:${await listen(t, server)}`);
    // The httpFetch of docs/data-sources.md.
    const httpFetch = ({ url, method, headers, body, signal, redirect }: Request): Promise<Response> =>
      undiciFetch(url, { method, headers: [...headers], body, duplex: 'half', signal, redirect, dispatcher });
    return { protocols, read: () => begin({ httpFetch, cacheIdentity: '' }).read('x') };
  };

  it('or it is an error, and not stored: one over HTTP/1.1 that breaks off', async (t) => {
    const { read, protocols } = await startBreaking(t, false);

    await assert.rejects(read(), { name: 'NetworkError' });
    assert.deepEqual([await read(), await read()], ['all of it', 'all of it']);
    assert.deepEqual(protocols, ['1.1', '1.1']);
  });

  it('or it is not stored: one over HTTP/2 without a length, because one that breaks off looks complete', async (t) => {
    const { read, protocols } = await startBreaking(t, true);
    await read().catch(() => undefined);

    assert.equal(await read(), 'all of it');
    assert.deepEqual(protocols, ['2.0', '2.0']);
  });

  it('on a Node whose fetch uses HTTP/2, the first call over HTTPS without httpFetch warns once', async (t) => {
    const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
    t.after(() => Object.defineProperty(process, 'versions', versions));
    Object.defineProperty(process, 'versions', { ...versions, value: { ...process.versions, node: '26.0.0', undici: '8.0.0' } });
    t.mock.method(globalThis, 'fetch', async () => new Response('a'));
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);

    await new Operations('https://api.example').begin({ warn, httpFetch: async () => new Response('a') }).read('x');
    for (const url of ['http://api.example', 'https://api.example', 'https://api.example'])
      await new Operations(url).begin({ warn }).read('x');

    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /Node 26\.0\.0 uses HTTP\/2.*allowH2: false.*install\(\)/);
  });
});

/** Starts a server that sends these bytes for each request line. */
async function startRaw(t: TestContext, answer: (line: string) => string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => void socket.write(answer(bytes.toString('latin1').split('\r\n')[0]!)));
    t.after(() => socket.destroy());
  });
  return `http://127.0.0.1:${await listen(t, server)}/`;
}

describe('an unusual status line keeps its code and status', () => {
  for (const [line, name, code, status] of [
    ['401 Nicht erlaubt \u2713', 'AuthenticationError', 'UNAUTHENTICATED', 401],
    ['403 \u7981\u6b62', 'ForbiddenError', 'FORBIDDEN', 403],
    ['600 Beyond', 'GraphQLError', 'INTERNAL_SERVER_ERROR', 600],
    ['999 Request Denied', 'GraphQLError', 'INTERNAL_SERVER_ERROR', 999],
  ] as const)
    it(line, async (t) => {
      const url = await startRaw(t, () => `HTTP/1.1 ${line}\r\nContent-Length: 2\r\n\r\nno`);

      await assert.rejects(new API(url).read('a'), (error: Error & { extensions: { code: string; response: { status: number; body: unknown } } }) => {
        const { response, ...rest } = error.extensions;
        assert.deepEqual([error.name, rest.code, response.status, response.body], [name, code, status, 'no']);
        return true;
      }); // oxfmt-ignore
    });

  it('for a hook, and in a clone', async (t) => {
    const url = await startRaw(t, () => 'HTTP/1.1 799 \u2713\r\nContent-Length: 2\r\n\r\nno');
    const didReceiveResponse: OperationSettings['didReceiveResponse'] = async (response) => {
      const { status, statusText, ok } = response.clone();
      return [status, statusText, ok, response.status, await response.text()];
    };

    assert.deepEqual(await new API(url, { didReceiveResponse }).read('a'), [799, '\u2713', false, 799, 'no']);
  });
});

describe('a Location in UTF-8', () => {
  for (const [kind, headers] of [
    ['fetch', {}],
    ['the data source', { authorization: 'Bearer x' }],
  ] as const)
    it(`is followed by ${kind} to the same URL`, async (t) => {
      const url = await startRaw(t, (line) =>
        line.startsWith('GET /a ')
          ? 'HTTP/1.1 302 Found\r\nLocation: /b\u00fc\u2713\r\nContent-Length: 0\r\n\r\n'
          : `HTTP/1.1 200 OK\r\nContent-Length: ${line.length}\r\n\r\n${line}`,
      );

      assert.equal(await new API(url).read('a', {}, { headers }), 'GET /b%C3%BC%E2%9C%93 HTTP/1.1');
    });
});
