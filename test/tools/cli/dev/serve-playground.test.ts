import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { playgroundNames, servePlayground } from '../../../../src/tools/cli/dev/serve-playground.ts';

const [script = ''] = playgroundNames;
const path = `/.graphql-functions/playground/${script}`;
const server = createServer(async (incoming, outgoing) => {
  if (!(await servePlayground(incoming, outgoing))) outgoing.writeHead(404).end();
});

before(async () => {
  server.listen(0, 'localhost');
  await once(server, 'listening');
});
after(() => server.close());

/** Sends with node:http, which does not decode the body. */
async function get(url: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(request({ port, path: url, headers, agent: false }).end(), 'response')) as [IncomingMessage];
  return response;
}

test('a playground file is compressed for clients that accept gzip', async () => {
  const packed = await get(path, { 'accept-encoding': 'br, gzip' });
  const plain = await get(path, { 'accept-encoding': 'gzip;q=0, br' });

  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(packed.headers['vary'], 'accept-encoding');
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(gunzipSync(await buffer(packed)).toString(), await text(plain));
});

test('a playground file is immutable, and revalidation does not send it again', async () => {
  const first = await get(path, {});
  first.resume();
  const second = await get(path, { 'if-none-match': first.headers.etag });
  second.resume();

  assert.match(first.headers['cache-control'] ?? '', /immutable/);
  assert.equal(second.statusCode, 304);
});

test('nothing else is served from the folder', async () => {
  for (const other of [path.replace('main', 'other'), `${path}.gz`, '/.graphql-functions/playground/../../package.json', '/graphql']) {
    const response = await get(other, {});
    response.resume();

    assert.equal(response.statusCode, 404, other);
  }
});
