import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { exportJWK, generateKeyPair, SignJWT } from 'jose';

import type { Handler } from '../../../src/entries/index.ts';
import { codeBlocks } from '../../support/markdown.ts';
import { importCode, root } from '../../support/pages.ts';

test('the sample with a key server tells an invalid token (401) from a key server that does not answer (503)', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  let status = 500;
  const server = createServer((_request, response) => response.writeHead(status).end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
  t.after(() => server.close());
  const logged = t.mock.method(console, 'error', () => {});
  const handler = await loadSample(t, `http://localhost:${(server.address() as AddressInfo).port}`);
  const sign = (audience: string): Promise<string> =>
    new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer('https://login.example.com/')
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(privateKey);
  const valid = await sign('https://api.example.com/');
  const foreign = await sign('https://other.example.com/');

  const down = await send(handler, valid);
  status = 200;
  const answers = [await send(handler, valid), await send(handler, foreign), await send(handler, 'x.y.z'), await send(handler)];

  assert.deepEqual([down.status, down.headers.get('retry-after'), logged.mock.callCount()], [503, '5', 1]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 401, 401, 200],
  );
  assert.deepEqual(await answers[0]!.json(), { data: { me: 'ada' } });
});

/** The handler of the first block of the page that reads keys from a server, with another address. */
async function loadSample(t: TestContext, address: string): Promise<Handler> {
  const page = await readFile(join(root, 'docs/authentication.md'), 'utf8');
  const { text } = codeBlocks(page).find((block) => block.text.includes('createRemoteJWKSet'))!;
  const load = await importCode(t, { 'graphql.ts': text.replace('https://login.example.com/.well-known', address) });
  return ((await load('graphql.ts')) as { default: Handler }).default;
}

function send(handler: Handler, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  return handler.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body: '{"query":"{ me }"}' }));
}
