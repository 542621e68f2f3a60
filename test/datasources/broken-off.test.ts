import { deepEqual, equal, match } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

import { InMemoryLRUCache } from '../../src/datasources/index.ts';
import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import type { HTTPFetch } from '../../src/datasources/send.ts';
import { undiciFetch } from '../../src/datasources/undici.ts';

const tls = (name: string): Buffer => readFileSync(join(import.meta.dirname, '../fixtures/tls', name));

/** Answers with half of a body, over HTTP/2 where the client offers it, then ends the stream or connection. The second answer is whole. */
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
      if (request.httpVersion === '2.0') response.stream.close(2);
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
  read(url: string): Promise<string> {
    return this.get(url);
  }
}

function open(httpFetch: HTTPFetch, cache: InMemoryLRUCache): API {
  const api = new API(httpFetch);
  void api.initialize({ context: {}, cache } as never);
  return api;
}

test('a body over HTTPS that breaks off is an error, and is not stored: undiciFetch with the global dispatcher', async (t) => {
  const { url, protocols } = await startOrigin(t);
  const before = getGlobalDispatcher();
  const agent = new Agent({ connect: { ca: tls('localhost.pem') } });
  setGlobalDispatcher(agent);
  t.after(async () => {
    setGlobalDispatcher(before);
    await agent.destroy();
  });
  const cache = new InMemoryLRUCache();

  const first = await open(undiciFetch(), cache)
    .read(url)
    .catch((error: Error) => error);
  const second = await open(undiciFetch(), cache).read(url);

  match(String(first), /got no answer|broke off|NetworkError/);
  equal(second, 'all of it');
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
