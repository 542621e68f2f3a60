import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { Agent, fetch as undiciFetch } from 'undici';

import { InMemoryLRUCache } from '../../src/datasources/index.ts';
import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import type { HTTPFetch } from '../../src/datasources/send.ts';

const tls = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));

/** Starts an origin that breaks off its first response in the middle of the body, and completes later ones. It uses HTTP/2 if the client offers it. */
async function startOrigin(t: TestContext): Promise<{ readonly url: string; readonly protocols: string[] }> {
  const protocols: string[] = [];
  const server = createSecureServer({ key: tls('localhost.key.pem'), cert: tls('localhost.pem'), allowHTTP1: true });
  server.on('request', (request, response) => {
    protocols.push(request.httpVersion);
    response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'max-age=60' });
    if (protocols.length > 1) {
      response.end('all of it');
      return;
    }
    const breakOff = (): void => {
      // CANCEL, which undici 8 treats as the end of the body.
      if (request.httpVersion === '2.0') response.stream.close(8);
      else request.socket.destroy();
    };
    response.write('all', breakOff);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, protocols };
}

class API extends RESTDataSource {
  override cacheIdentity = '';
  read(url: string): Promise<string> {
    return this.get(url);
  }
}

function open(httpFetch: HTTPFetch | undefined, cache: InMemoryLRUCache, warn?: (message: string) => void): API {
  const api = new API({ httpFetch });
  void api.initialize({ context: {}, cache, warn } as never);
  return api;
}

/** The httpFetch of docs/data-sources.md. */
function fetchOver(t: TestContext, { allowH2 }: { allowH2: boolean }): HTTPFetch {
  const dispatcher = new Agent({ connect: { ca: tls('localhost.pem') }, allowH2 });
  t.after(() => dispatcher.destroy());
  return ({ url, method, headers, body, signal, redirect }) =>
    undiciFetch(url, { method, headers: [...headers], body, duplex: 'half', signal, redirect, dispatcher });
}

test('a body over HTTP/1.1 that breaks off is an error, and is not stored', async (t) => {
  const { url, protocols } = await startOrigin(t);
  const httpFetch = fetchOver(t, { allowH2: false });
  const cache = new InMemoryLRUCache();

  const first = await open(httpFetch, cache)
    .read(url)
    .catch((error: Error) => error);
  const second = await open(httpFetch, cache).read(url);
  const third = await open(httpFetch, cache).read(url);

  match(String(first), /got no answer|broke off|NetworkError/);
  deepEqual([second, third], ['all of it', 'all of it']);
  deepEqual(protocols, ['1.1', '1.1']);
});

test('a body that is shorter than its Content-Length is an error, and is not stored, whatever sends the request', async () => {
  const bodies = ['all', 'all of it'];
  const httpFetch: HTTPFetch = async () =>
    new Response(bodies.shift(), { headers: { 'content-length': '9', 'content-type': 'text/plain', 'cache-control': 'max-age=60' } });
  const cache = new InMemoryLRUCache();

  const first = await open(httpFetch, cache)
    .read('https://api.example/text')
    .catch((error: Error) => error);
  const second = await open(httpFetch, cache).read('https://api.example/text');

  match(String(first), /got no answer/);
  match(String((first as Error).cause), /3 of 9 bytes/);
  equal(second, 'all of it');
});

test('a body over HTTP/2 without a length is not stored, because one that breaks off looks complete', async (t) => {
  const { url, protocols } = await startOrigin(t);
  const httpFetch = fetchOver(t, { allowH2: true });
  const cache = new InMemoryLRUCache();

  await open(httpFetch, cache)
    .read(url)
    .catch(() => undefined);
  const second = await open(httpFetch, cache).read(url);

  equal(second, 'all of it');
  deepEqual(protocols, ['2.0', '2.0']);
});

test('on a Node whose fetch uses HTTP/2, the first call over HTTPS without httpFetch warns once', async (t) => {
  const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
  t.after(() => Object.defineProperty(process, 'versions', versions));
  Object.defineProperty(process, 'versions', { ...versions, value: { ...process.versions, node: '26.0.0', undici: '8.0.0' } });
  t.mock.method(globalThis, 'fetch', async () => new Response('a'));
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const cache = new InMemoryLRUCache();

  await open(async () => new Response('a'), cache, warn).read('https://api.example/own');
  await open(undefined, cache, warn).read('http://api.example/plain');
  await open(undefined, cache, warn).read('https://api.example/a');
  await open(undefined, cache, warn).read('https://api.example/b');

  equal(warnings.length, 1);
  match(warnings[0]!, /Node 26\.0\.0 uses HTTP\/2.*allowH2: false.*install\(\)/);
});
