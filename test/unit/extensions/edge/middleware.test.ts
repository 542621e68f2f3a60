import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';

import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { CDN } from '../../../../src/entries/edge.ts';
import { createListener } from '../../../../src/entries/node.ts';
import type { NodeListener } from '../../../../src/entries/node.ts';

type Middleware = (response: ServerResponse) => void;

/** Calls `act` before the head is written, as the package on-headers does for the sessions of Express. */
function onHead(response: ServerResponse, act: () => void): void {
  const { writeHead } = response;
  response.writeHead = ((...given: [number]) => {
    act();
    return writeHead.apply(response, given);
  }) as ServerResponse['writeHead'];
}

/** Each middleware before the handler, and the Cache-Control of the answer. */
const [shared, none] = ['public, max-age=0, s-maxage=60', 'private, no-store'];
const setting =
  (name: string, value: string | string[]): Middleware =>
  (response) =>
    void response.setHeader(name, value);
const middlewares: Readonly<Record<string, readonly [act: Middleware, cacheControl: string, cdn?: CDN]>> = {
  'does nothing': [() => undefined, shared],
  'sets a field that is the same for everybody': [setting('x-powered-by', 'us'), shared],
  'sets a cookie': [setting('set-cookie', 'session=anna'), none],
  'adds a cookie': [(response) => response.appendHeader('Set-Cookie', 'session=anna'), none],
  'sets a cookie when the head is written': [(response) => onHead(response, () => setting('Set-Cookie', ['session=anna'])(response)), none],
  'might set a cookie when the head is written': [(response) => onHead(response, () => undefined), none],
  'forbids caching': [setting('cache-control', 'no-store'), none],
  'sets Expires to the past': [setting('expires', '0'), none],
  'varies by cookies': [setting('vary', 'Cookie'), none],
  'varies by a field that the CDN honours': [setting('vary', 'Origin'), shared],
  'varies by a field that is not in the key of the CDN': [setting('vary', ['Origin']), none, 'cloudfront'],
};

describe('middleware before the handler, on node:http', () => {
  let server: Server;
  let url: string;
  let served: (request: IncomingMessage, response: ServerResponse) => void;

  const listenerFor = (cdn: CDN): NodeListener =>
    createListener({
      typeDefs: [cacheControlDefinitions, 'type Query { hello: String @cacheControl(maxAge: 60) }'],
      resolvers: { Query: { hello: () => 'world' } },
      plugins: [edge({ cdn })],
      nodeEnv: 'production',
    });

  before(async () => {
    server = createServer((request, response) => served(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?query={hello}`;
  });

  after(() => {
    server.closeAllConnections();
    server.close();
  });

  for (const [name, [act, cacheControl, cdn = 'varnish']] of Object.entries(middlewares))
    test(`that ${name}: ${cacheControl}`, async () => {
      const listener = listenerFor(cdn);
      served = (request, response) => {
        act(response);
        void listener(request, response);
      };

      const response = await fetch(url, { headers: { connection: 'close' } });

      assert.deepEqual(await response.json(), { data: { hello: 'world' } });
      assert.equal(response.headers.get('cache-control'), cacheControl);
      assert.equal(response.headers.has('xkey') || response.headers.has('cache-tag'), cacheControl !== 'private, no-store');
    });
});
