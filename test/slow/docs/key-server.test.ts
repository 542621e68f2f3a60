import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exportJWK, generateKeyPair, SignJWT } from 'jose';

import type { Handler } from '../../../src/entries/index.ts';
import { createTester } from '../../../src/entries/testing.ts';
import type { TestResult } from '../../../src/entries/testing.ts';
import { importBlock } from '../../support/pages.ts';
import { serveOnLoopback } from '../../support/real/loopback.ts';

test('the sample with a key server tells an invalid token (401) from a key server that does not answer (503)', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  let status = 500;
  const logged = t.mock.method(console, 'error', () => {});
  const address = await serveOnLoopback(t, (_request, response) => void response.writeHead(status).end(JSON.stringify({ keys: [jwk] })));
  const { default: handler } = await importBlock(t, [
    'authentication.md',
    'createRemoteJWKSet',
    (text) => text.replace('https://login.example.com/.well-known', address),
  ]);
  const { run } = createTester(handler as Handler);
  const send = (token?: string): Promise<TestResult<unknown>> =>
    run('{ me }', {}, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const sign = (audience: string): Promise<string> =>
    new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer('https://login.example.com/')
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(privateKey);
  const valid = await sign('https://api.example.com/');
  const foreign = await sign('https://other.example.com/');

  const down = await send(valid);
  status = 200;
  const answers = [await send(valid), await send(foreign), await send('x.y.z'), await send()];

  assert.deepEqual([down.status, down.headers.get('retry-after'), logged.mock.callCount()], [503, '5', 1]);
  const statuses = answers.map((answer) => answer.status);
  assert.deepEqual(statuses, [200, 401, 401, 200]);
  assert.deepEqual(answers[0]!.data, { me: 'ada' });
});
