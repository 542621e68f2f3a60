import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { createListener, serve } from '../../../../src/entries/node.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = 'type Query { a: Int }';

test('after a body parser, the error names the cause', async (context) => {
  const [logger, log] = recordingLogger();
  const listener = createListener({ csrfPrevention: true, logger, typeDefs });
  const server = createServer((request, response) => {
    // Does what express.json() does: reads the body, and calls the next handler.
    request.resume().once('end', () => setImmediate(() => void listener(request, response)));
  }).listen(0, 'localhost');
  context.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const response = await fetch(`http://localhost:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ a }"}',
  });

  assert.equal(response.status, 500);
  const { errors } = (await response.json()) as { errors: { message: string }[] };
  const cause = /before middleware that reads bodies, such as express\.json\(\)/;
  assert.match(errors[0]?.message ?? '', cause);
  assert.match(log[0]?.message ?? '', cause);
});

for (const host of ['0.0.0.0', '::1']) {
  test(`the address that serve names can be opened, listening on ${host}`, async (context) => {
    const server = await serve({ csrfPrevention: true, typeDefs }, { port: 0, host, signals: false });
    context.after(() => server.close());

    const response = await fetch(`${server.url}health`);

    assert.equal(response.status, 200);
    assert.match(server.url, host === '::1' ? /^http:\/\/\[::1\]:/ : /^http:\/\/localhost:/);
  });
}
