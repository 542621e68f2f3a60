import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { InMemoryLRUCache } from '../../src/datasources/cache/in-memory.ts';
import { deferred } from '../support/deferred.ts';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';

class Parsing extends API {
  protected override async parseBody(response: Response): Promise<unknown> {
    return (await response.text()).length;
  }
}
class Streaming extends API {
  protected override async didReceiveResponse<T>(response: Response): Promise<T> {
    let size = 0;
    for await (const chunk of response.body!) size += chunk.byteLength;
    return size as T;
  }
}

const ways = [API, Parsing, Streaming].flatMap((source) => ['max-age=60', 'no-store'].map((control) => [source, control] as const));

function begin(Source: typeof API, url: string): API {
  const api = new Source(url);
  void api.initialize({ context: {}, cache: new InMemoryLRUCache() });
  return api;
}

interface Drip {
  readonly url: string;
  /** Fulfilled when the origin has received a request. */
  readonly asked: Promise<void>;
  /** Fulfilled when the connection of a response is closed. */
  readonly closed: Promise<void>;
}

/** Starts an origin that sends header fields and part of a body, and never ends the body. */
async function startDrip(t: TestContext, control: string): Promise<Drip> {
  const [asked, closed] = [deferred(), deferred()];
  const server = createServer((_request, response) => {
    asked.resolve();
    response.writeHead(200, { 'cache-control': control });
    response.write('x');
    response.on('close', () => closed.resolve());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: asked.promise, closed: closed.promise };
}

/** Makes timers of one minute fire immediately. Other timers are unchanged, because the platform sets some too. */
function makeMinutesShort(t: TestContext): void {
  const real = globalThis.setTimeout;
  const short = ((callback: () => void, time?: number, ...rest: []) => real(callback, time === 60_000 ? 1 : time, ...rest)) as typeof real;
  const { mock } = t.mock.method(globalThis, 'setTimeout', short);
  t.after(() => mock.restore());
}

async function callWhen(event: Promise<void>, callback: () => void): Promise<void> {
  await event;
  callback();
}

/** Makes timers of 20 ms fire when the origin has received the request: before that, there is no connection to close. */
function waitUntilAsked(t: TestContext, asked: Promise<void>): void {
  const real = globalThis.setTimeout;
  const late = ((callback: () => void, time?: number, ...rest: []) => {
    if (time !== 20) return real(callback, time, ...rest);
    void callWhen(asked, callback);
    return real(() => undefined, 0);
  }) as typeof real;
  const { mock } = t.mock.method(globalThis, 'setTimeout', late);
  t.after(() => mock.restore());
}

describe('maxResponseBytes', () => {
  for (const [Source, control] of ways) {
    it(`aborts a larger body (${Source.name}, ${control})`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: { 'cache-control': control }, body: 'x'.repeat(1001) }));
      const api = begin(Source, origin.url);
      api.maxResponseBytes = 1000;

      await assert.rejects(api.read('x'), {
        name: 'ResponseTooLargeError',
        message: 'GET answered with a body of more than 1000 bytes. Set maxResponseBytes to allow more',
      });
    });

    it(`accepts a body of exactly that size (${Source.name}, ${control})`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: { 'cache-control': control }, body: 'x'.repeat(1000) }));
      const api = begin(Source, origin.url);

      const result = await api.read('x', undefined, { maxResponseBytes: 1000 });

      assert.equal(typeof result === 'string' ? result.length : result, 1000);
    });

    it(`counts decompressed bytes (${Source.name}, ${control})`, async (t) => {
      const body = gzipSync('x'.repeat(2 ** 20));
      const origin = await startOrigin(t, () => ({ headers: { 'cache-control': control, 'content-encoding': 'gzip' }, body }));
      const api = begin(Source, origin.url);
      api.maxResponseBytes = 2 ** 19;

      await assert.rejects(api.read('x'), { name: 'ResponseTooLargeError' });
    });
  }

  it('is 32 MiB by default', async (t) => {
    const body = gzipSync(Buffer.alloc(32 * 2 ** 20 + 1));
    const origin = await startOrigin(t, () => ({ headers: { 'content-encoding': 'gzip' }, body }));

    await assert.rejects(new API(origin.url).read('x'), { name: 'ResponseTooLargeError' });
  });

  it('Infinity means no limit', async (t) => {
    const body = gzipSync(Buffer.alloc(32 * 2 ** 20 + 1));
    const origin = await startOrigin(t, () => ({ headers: { 'content-encoding': 'gzip' }, body }));

    assert.equal((await new API(origin.url).read('x', {}, { maxResponseBytes: Infinity })).length, 32 * 2 ** 20 + 1);
  });

  it('an error response with a larger body keeps its status', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 503, body: 'x'.repeat(1001) }));

    await assert.rejects(new API(origin.url).read('x', {}, { maxResponseBytes: 1000 }), { message: '503: Service Unavailable (GET)' });
  });
});

describe('a body that never ends', () => {
  for (const [Source, control] of ways) {
    it(`is aborted after a minute, and its connection closed (${Source.name}, ${control})`, async (t) => {
      const { url, closed } = await startDrip(t, control);
      makeMinutesShort(t);

      await assert.rejects(begin(Source, url).read('x'), {
        name: 'TimeoutError',
        message: /^GET answered with a body that did not end within 60000 ms/,
      });
      await closed;
    });
  }

  it('is closed with its connection when a hook stops reading', async (t) => {
    const { url, closed } = await startDrip(t, 'no-store');
    class Sampling extends API {
      protected override async didReceiveResponse<T>(response: Response): Promise<T> {
        const reader = response.body!.getReader();
        const { value } = await reader.read();
        await reader.cancel();
        return value!.byteLength as T;
      }
    }

    assert.equal(await begin(Sampling, url).read('x'), 1);
    await closed;
  });

  it('is aborted after the timeout, if set', async (t) => {
    const { url, asked, closed } = await startDrip(t, 'no-store');
    waitUntilAsked(t, asked);

    await assert.rejects(new API(url).read('x', {}, { timeout: 20 }), { name: 'TimeoutError', message: 'GET got no answer within 20 ms' });
    await closed;
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

  for (const timeout of [20, undefined]) {
    it(`and does not end fails after ${timeout ?? 'a minute'}`, async (t) => {
      makeMinutesShort(t);
      const api = responding(() => new Promise(() => {}));

      await assert.rejects(api.read('x', {}, timeout === undefined ? {} : { timeout }), { name: 'TimeoutError' });
    });
  }
});

it('bodies of every size are complete, and their connection is reused', async (t) => {
  let connections = 0;
  const server = createServer((request, response) => {
    response.setHeader('cache-control', 'max-age=60');
    response.end('x'.repeat(Number(request.url!.slice(1))));
  }).on('connection', () => connections++);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close().closeAllConnections());
  const sizes = [0, 1, 100, 16_383, 16_384, 16_385, 65_535, 65_536, 65_537, 1_000_000];
  const lengths: number[] = [];
  for (const Source of [API, Parsing, Streaming]) {
    const api = begin(Source, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const size of sizes) {
      const result: unknown = await api.read(String(size));
      lengths.push(typeof result === 'string' ? result.length : (result as number));
    }
  }

  assert.deepEqual(lengths, [...sizes, ...sizes, ...sizes]);
  // Node's fetch opens a second connection for a call that starts before the first connection is back in the pool.
  assert.ok(connections <= 2, `${connections} connections`);
});
