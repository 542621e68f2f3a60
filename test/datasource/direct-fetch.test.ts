// On Node most calls go straight to the dispatcher behind fetch. Nobody may see a difference: each case here is sent both ways.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import { InMemoryLRUCache } from '../../src/cache/in-memory.ts';
import { dispatcherOfFetch } from '../../src/datasource/origin/direct-fetch.ts';
import type { FetchInit } from '../../src/datasource/request.ts';
import { RESTDataSource } from '../../src/datasource/rest-data-source.ts';
import { deferred } from '../support/deferred.ts';

const slot = Symbol.for('undici.globalDispatcher.1');

class Books extends RESTDataSource {
  override baseURL: string;
  seen: Promise<object> | undefined;

  constructor(baseURL: string) {
    super();
    this.baseURL = baseURL;
  }

  ask(path: string, init: FetchInit = {}): Promise<unknown> {
    return super.fetch(path, init);
  }
}

/** A hook that reads the response by itself. */
class Hooked extends Books {
  protected override async didReceiveResponse<T>(response: Response): Promise<T> {
    const { url, status, statusText, redirected, headers } = response;
    return { url, status, statusText, redirected, headers: fieldsOf(headers), text: await response.text() } as T;
  }
}

/** A hook that is shown the response before it is stored. */
class Judging extends Books {
  protected override async cacheOptionsFor(response: Response): Promise<{ ttl: number }> {
    return { ttl: response instanceof Response && response.ok ? 60 : 0 };
  }
}

const kinds = { plain: Books, hooked: Hooked, judging: Judging };

function fieldsOf(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name !== 'date');
}

/** Everything that a caller sees of a call. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    const { body, response } = (await call) as { body: unknown; response: Response };
    const { url, status, statusText, ok } = response;
    return { body, url, status, statusText, ok, headers: fieldsOf(response.headers) };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause, code, extensions } = error as Error & { code?: unknown; extensions?: unknown };
  return { name, message, code, extensions, cause: cause instanceof Error ? failureOf(cause) : cause };
}

/** The same work with fetch, replaced by a function that calls it. */
async function byFetch<T>(work: () => Promise<T>): Promise<T> {
  const own = globalThis.fetch;
  globalThis.fetch = (...args) => own(...args);
  try {
    return await work();
  } finally {
    globalThis.fetch = own;
  }
}

async function bothWays(work: () => Promise<unknown>): Promise<[direct: unknown, byFetch: unknown]> {
  assert.notEqual(dispatcherOfFetch(), undefined);
  const direct = await outcomeOf(work() as Promise<unknown>);
  return [direct, await byFetch(() => outcomeOf(work() as Promise<unknown>))];
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const text = JSON.stringify({ title: 'Emma', pages: Array.from({ length: 400 }, (_, at) => `page ${at}`) });
const codings: Record<string, Uint8Array> = {
  none: Buffer.from(text),
  gzip: gzipSync(text),
  'x-gzip': gzipSync(text),
  deflate: deflateSync(text),
  br: brotliCompressSync(text),
  GZIP: gzipSync(text),
  'gzip, br': brotliCompressSync(gzipSync(text)),
  rot13: Buffer.from(text),
};

describe('a call that goes straight to the dispatcher is like one by fetch', () => {
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  before(async () => {
    server = createServer((request, response) => answer(request, response));
    url = await listen(server);
  });
  after(() => {
    (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  });

  const requests: Record<string, [path: string, init?: FetchInit]> = {
    'without anything': ['a'],
    'with an empty query': ['a?'],
    'with a query': ['a?b=ü&c=%20'],
    'with a token': ['a', { headers: { Authorization: 'Bearer x', 'X-Key': 'é' } }],
    'with fields of its own for those of fetch': [
      'a',
      { headers: { accept: 'text/*', 'user-agent': 'me', 'accept-encoding': 'br', 'accept-language': 'de', 'sec-fetch-mode': 'x' } },
    ],
    'that asks for a newer version': ['a', { headers: { 'if-none-match': '"1"' } }],
    'with a cache-control of its own': ['a', { headers: { 'if-none-match': '"1"', 'cache-control': 'max-age=1', pragma: 'x' } }],
    'for a part': ['a', { headers: { range: 'bytes=0-1' } }],
    'with a host': ['a', { headers: { host: 'example.com' } }],
    'with an odd name of a field': ['a', { headers: { constructor: 'x', tostring: 'y' } }],
    'with JSON': ['a', { method: 'POST', body: { title: 'Émile' } }],
    'with text': ['a', { method: 'PUT', body: 'Émile' }],
    'with a body that is empty': ['a', { method: 'PATCH', body: '' }],
    'that writes nothing': ['a', { method: 'POST' }],
    'that deletes': ['a', { method: 'DELETE' }],
    'with bytes': ['a', { method: 'POST', body: Buffer.from('bytes') }],
    'that stores nothing': ['a', { cache: 'no-store' }],
    'with options of fetch': ['a', { referrerPolicy: 'no-referrer' }],
  };
  for (const [name, [path, init]] of Object.entries(requests)) {
    it(`the request ${name}`, async () => {
      const got: unknown[] = [];
      answer = (request, response) => {
        const body: string[] = [];
        request.setEncoding('utf8').on('data', (piece: string) => body.push(piece));
        request.on('end', () => {
          got.push([request.method, request.url, request.headersDistinct, body.join('')]);
          response.end('ok');
        });
      };

      await bothWays(() => new Books(url).ask(path, init));

      assert.equal(got.length, 2);
      assert.deepEqual(got[0], got[1]);
    });
  }

  const statuses = [200, 201, 203, 204, 205, 206, 300, 304, 400, 401, 403, 404, 410, 429, 500, 503];
  for (const [kind, Source] of Object.entries(kinds)) {
    for (const status of statuses) {
      it(`a ${status}, ${kind}`, async () => {
        answer = (_, response) => {
          response.setHeader('x-twice', ['a', 'b']).setHeader('set-cookie', ['c=1', 'd=2']).setHeader('content-type', 'application/json');
          response.writeHead(status, 'As It Likes').end(status === 204 || status === 205 || status === 304 ? undefined : text);
        };

        const [direct, fetched] = await bothWays(() => new Source(url).ask('a'));

        assert.deepEqual(direct, fetched);
      });
    }

    for (const [coding, bytes] of Object.entries(codings)) {
      for (const framing of ['length', 'chunks', 'pieces', 'cut off']) {
        it(`a body in ${coding}, ${framing}, ${kind}`, async () => {
          answer = (_, response) => {
            response.setHeader('content-type', 'application/json');
            if (coding !== 'none') response.setHeader('content-encoding', coding);
            if (framing === 'length') response.setHeader('content-length', bytes.length);
            if (framing === 'pieces') for (const byte of bytes.subarray(0, 20)) response.write(Uint8Array.of(byte));
            const rest = framing === 'pieces' ? bytes.subarray(20) : bytes;
            if (framing === 'cut off') response.write(bytes.subarray(0, 40), () => response.destroy());
            else response.end(rest);
          };

          const [direct, fetched] = await bothWays(() => new Source(url).ask('a'));

          assert.deepEqual(direct, fetched);
        });
      }
    }

    for (const [status, path] of [
      [301, 'b'],
      [302, '/b'],
      [303, 'b?c'],
      [307, 'b#d'],
      [308, 'loop'],
      [302, 'ftp://x/'],
      [302, 'http://['],
    ] as const) {
      it(`a redirect by ${status} to ${path}, ${kind}`, async () => {
        answer = (request, response) => {
          if (request.url === '/a' || request.url === '/loop') response.writeHead(status, { location: path }).end('moved');
          else response.setHeader('content-type', 'application/json').end(JSON.stringify(request.url));
        };

        const [direct, fetched] = await bothWays(() => new Source(url).ask('a'));

        assert.deepEqual(withoutReason(direct), withoutReason(fetched));
      });
    }
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`a write that is redirected by ${status}`, async () => {
      const got: unknown[] = [];
      answer = (request, response) => {
        got.push([request.method, request.url, request.headersDistinct]);
        if (request.url === '/a') response.writeHead(status, { location: '/b' }).end();
        else request.pipe(response);
      };

      const [direct, fetched] = await bothWays(() => new Books(url).ask('a', { method: 'POST', body: { title: 'Emma' } }));

      assert.deepEqual(direct, fetched);
      assert.deepEqual(got.slice(0, 2), got.slice(2));
    });
  }

  it('raw deflate', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'deflate', 'content-type': 'application/json' }).end(deflateRawSync(text));
    };

    const [direct, fetched] = await bothWays(() => new Books(url).ask('a'));

    assert.deepEqual(direct, fetched);
    assert.deepEqual((direct as { body: unknown }).body, JSON.parse(text));
  });

  for (const status of [407, 421]) {
    it(`a ${status}, which fetch treats in a way of its own`, async () => {
      let count = 0;
      answer = (_, response) => response.writeHead(count++ === 0 ? status : 200).end('x');

      const [direct, fetched] = await bothWays(() => {
        count = 0;
        return new Books(url).ask('a');
      });

      assert.deepEqual(withoutReason(direct), withoutReason(fetched));
    });
  }

  it('news on the way, which are no answer', async () => {
    answer = (_, response) => response.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => response.end('whole'));

    const [direct, fetched] = await bothWays(() => new Books(url).ask('a'));

    assert.deepEqual(direct, fetched);
    assert.equal((direct as { body: unknown }).body, 'whole');
  });

  it('a large body in many pieces', async () => {
    const large = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => at));
    answer = (_, response) => response.setHeader('content-type', 'application/json').end(large);

    const [direct, fetched] = await bothWays(() => new Books(url).ask('a'));

    assert.deepEqual(direct, fetched);
  });

  it('a body beyond its limit, and one that would be when it is unpacked', async () => {
    for (const coding of [undefined, 'gzip'] as const) {
      const zeros = Buffer.alloc(8_000_000);
      answer = (_, response) => {
        if (coding !== undefined) response.setHeader('content-encoding', coding);
        response.end(coding === undefined ? zeros : gzipSync(zeros));
      };

      const [direct, fetched] = await bothWays(() => new Books(url).ask('a', { maxResponseBytes: 100_000 }));

      assert.deepEqual(direct, fetched);
      assert.equal((direct as { name: string }).name, 'ResponseTooLargeError');
    }
  });

  it('an origin that is told to wait while nobody reads', async () => {
    const sent = deferred<number>();
    answer = (_, response) => {
      let count = 0;
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536))) count++;
        if (count < 5000) response.once('drain', more);
        // Nothing has been drained for a while: the other side does not take any more.
        timer.refresh();
      };
      const timer = setTimeout(() => sent.resolve(count), 300);
      more();
    };
    class Idle extends Books {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        const count = await sent.promise;
        await response.body!.cancel();
        return count as T;
      }
    }

    const { body } = (await new Idle(url).ask('a')) as { body: number };

    assert.ok(body < 5000, `${body} pieces were taken`);
  });

  for (const [when, respond] of [
    ['before there is an answer', () => {}],
    ['while its body comes', (response: ServerResponse) => void response.write('{"a":')],
  ] as const) {
    it(`a call that is given up ${when}`, async () => {
      const work = (): Promise<unknown> => {
        const leaving = new AbortController();
        answer = (_, response) => {
          respond(response);
          setImmediate(() => leaving.abort(new Error('gone')));
        };
        return new Books(url).ask('a', { signal: leaving.signal });
      };

      const [direct, fetched] = await bothWays(work);

      assert.deepEqual(direct, fetched);
      assert.equal((direct as Error).message, 'gone');
    });

    it(`the connection of one that is given up ${when} is closed`, async () => {
      const closed = deferred();
      const leaving = new AbortController();
      answer = (request, response) => {
        request.socket.on('close', () => closed.resolve());
        respond(response);
        setImmediate(() => leaving.abort(new Error('gone')));
      };

      await assert.rejects(new Books(url).ask('a', { signal: leaving.signal }), { message: 'gone' });

      await closed.promise;
    });
  }

  it('a response that is stored, asked for again, and not sent twice', async () => {
    let count = 0;
    answer = (request, response) => {
      count++;
      response.setHeader('etag', '"1"').setHeader('cache-control', 'no-cache').setHeader('content-type', 'application/json');
      response.writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200).end(request.headers['if-none-match'] ? '' : text);
    };
    const work = async (): Promise<unknown> => {
      const cache = new InMemoryLRUCache();
      const ask = (): Promise<unknown> => {
        const books = new Books(url);
        void books.initialize({ context: {}, cache });
        return books.ask('a');
      };
      await ask();
      return ask();
    };

    const [direct, fetched] = await bothWays(work);

    assert.deepEqual(direct, fetched);
    assert.deepEqual((direct as { body: unknown }).body, JSON.parse(text));
    assert.equal(count, 4);
  });

  it('the diagnostics channels are told', async () => {
    answer = (_, response) => response.end('ok');
    const paths: string[] = [];
    const note = (message: unknown): void => void paths.push((message as { request: { path: string } }).request.path);
    subscribe('undici:request:create', note);
    try {
      await new Books(url).ask('told');
    } finally {
      unsubscribe('undici:request:create', note);
    }

    assert.deepEqual(paths, ['/told']);
  });

  it('a dispatcher that was set for fetch is asked', async () => {
    answer = (_, response) => response.end('real');
    const world = globalThis as unknown as Record<symbol, { dispatch(options: { path: string }, handler: object): boolean }>;
    const own = world[slot]!;
    const paths: string[] = [];
    world[slot] = {
      dispatch: (options, handler) => {
        paths.push(options.path);
        return own.dispatch(options, handler);
      },
    };
    try {
      await new Books(url).ask('set');
    } finally {
      world[slot] = own;
    }

    assert.deepEqual(paths, ['/set']);
  });

  it('a fetch that has been replaced is called', async (t) => {
    const mock = t.mock.method(globalThis, 'fetch', () => Promise.resolve(new Response('mocked')));

    const { body } = (await new Books(url).ask('a')) as { body: unknown };

    assert.equal(body, 'mocked');
    assert.equal(mock.mock.callCount(), 1);
  });
});

describe('what is no proper answer is the same error both ways', () => {
  const answers: Record<string, (socket: Socket) => void> = {
    'a connection that ends': (socket) => socket.destroy(),
    'no HTTP': (socket) => socket.end('hello\r\n\r\n'),
    'a header field that is none': (socket) => socket.end('HTTP/1.1 200 OK\r\nbad header\r\n\r\n'),
    'a body that is too short': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    'a body that is too long': (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc'),
    'a body that ends with the connection': (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nabc'),
    'fields with odd names and bytes': (socket) =>
      socket.end(Buffer.from('HTTP/1.1 200 OK\r\nConstructor: \xe9\r\nX-A: 1\r\nx-a: 2\r\nContent-Length: 2\r\n\r\nok', 'latin1')),
  };
  for (const [name, respond] of Object.entries(answers)) {
    it(name, async (t) => {
      const url = await listenFor(t, respond);

      const [direct, fetched] = await bothWays(() => new Books(url).ask('a'));

      assert.deepEqual(withoutPorts(direct), withoutPorts(fetched));
    });
  }

  it('an origin that is not there', async () => {
    const server = createSocketServer();
    const url = await listen(server);
    server.close();
    await once(server, 'close');

    const [direct, fetched] = await bothWays(() => new Books(url).ask('a'));

    assert.deepEqual(withoutPorts(direct), withoutPorts(fetched));
    assert.equal((direct as { code: string }).code, 'ECONNREFUSED');
  });

  for (const url of ['http://127.0.0.1:25/', 'http://127.0.0.1:6000/', 'http://user:word@127.0.0.1:1/', 'ftp://127.0.0.1/', 'http://[']) {
    it(`${url} is not asked`, async () => {
      class Elsewhere extends Books {
        override resolveURL(): URL {
          return url as unknown as URL;
        }
      }

      const [direct, fetched] = await bothWays(() => new Elsewhere('http://127.0.0.1/').ask('a'));

      assert.deepEqual(direct, fetched);
      assert.equal((direct as { name: string }).name, 'NetworkError');
    });
  }
});

async function listenFor(t: TestContext, respond: (socket: Socket) => void): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
  t.after(() => server.close());
  return listen(server);
}

/** Why a redirect was not followed is said only where the data source follows it itself. */
function withoutReason(outcome: unknown): unknown {
  const { cause: _cause, message, ...rest } = outcome as { cause?: unknown; message?: string };
  return { ...rest, message: message?.replace(/: redirected.*/, '') };
}

/** Of the system's errors; a port of this side is another one for each connection. */
function withoutPorts(outcome: unknown): unknown {
  return JSON.parse(JSON.stringify(outcome).replaceAll(/127\.0\.0\.1:\d+/g, 'there')) as unknown;
}
