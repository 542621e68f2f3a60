import { deepEqual, equal, match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';

import { InMemoryLRUCache } from '../../src/datasources/index.ts';
import { RESTDataSource } from '../../src/datasources/rest-data-source.ts';
import type { HTTPFetch } from '../../src/datasources/send.ts';
import { undiciFetch } from '../../src/datasources/undici.ts';

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

test('a body over HTTP/2 without a length is not stored, because one that breaks off looks complete', async (t) => {
  const { url, protocols } = await startOrigin(t);
  const dispatcher = new Agent({ connect: { ca: tls('localhost.pem') }, allowH2: true });
  t.after(() => dispatcher.destroy());
  const cache = new InMemoryLRUCache();

  await open(undiciFetch({ dispatcher }), cache)
    .read(url)
    .catch(() => undefined);
  const second = await open(undiciFetch({ dispatcher }), cache).read(url);

  equal(second, 'all of it');
  deepEqual(protocols, ['2.0', '2.0']);
});

for (const order of [
  ['fetch', 'undiciFetch'],
  ['undiciFetch', 'fetch'],
]) {
  test(`undiciFetch without a dispatcher sends over HTTP/1.1, in the order ${order.join(', ')}`, async (t) => {
    const { url, protocols } = await startOrigin(t);
    protocols.push('the next answers are whole');

    const results = await callInOrder(order, url, '');

    deepEqual(results, { fetch: 'all of it', undiciFetch: 'all of it' });
    equal(protocols[1 + order.indexOf('undiciFetch')], '1.1');
  });

  test(`undiciFetch uses the global dispatcher that is set before its call, in the order ${order.join(', ')}`, async (t) => {
    const { url } = await startOrigin(t);
    const mock = `
      const agent = new undici.MockAgent();
      agent.disableNetConnect();
      agent.get(new URL(url).origin).intercept({ path: '/' }).reply(200, 'mocked').persist();
      undici.setGlobalDispatcher(agent);`;

    const { undiciFetch: result } = await callInOrder(order, url, mock);

    equal(result, 'mocked');
  });
}

/** Returns the results of `fetch` and `undiciFetch` in a new process, where the first call loads each of them. `setUp` runs before `undiciFetch` is called. */
async function callInOrder(order: readonly string[], url: string, setUp: string): Promise<Record<string, string>> {
  const script = `
    const url = ${JSON.stringify(url)};
    const calls = {
      fetch: async () => (await fetch(url)).text(),
      undiciFetch: async () => {
        const { undiciFetch } = await import(${JSON.stringify(new URL('../../src/datasources/undici.ts', import.meta.url).href)});
        const undici = await import('undici');
        ${setUp}
        return (await undiciFetch()(new Request(url))).text();
      },
    };
    const results = {};
    for (const name of ${JSON.stringify(order)}) results[name] = await calls[name]().catch(String);
    process.stdout.write(JSON.stringify(results), () => process.exit());`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '../fixtures/tls/localhost.pem') };
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Record<string, string>;
}

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
  match(warnings[0]!, /Node 26\.0\.0 uses HTTP\/2.*undiciFetch\(\)/);
});
