import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createListener, serve } from '../../../../src/entries/node.ts';
import { echoServer } from '../../../support/echo-server.ts';
import type { EchoServer } from '../../../support/echo-server.ts';

interface Listening extends EchoServer {
  readonly server: Server;
  readonly connect: () => Socket;
}

/** A server on a free port, until the test ends. */
async function listening(t: TestContext, before: (response: ServerResponse) => unknown = () => {}): Promise<Listening> {
  const echo = echoServer();
  const listener = createListener(echo.options);
  const server = createServer((request, response) => {
    before(response);
    void listener(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { ...echo, server, connect: () => connect((server.address() as AddressInfo).port, '127.0.0.1') };
}

/** Sends raw text, and resolves to everything received until the server closes the connection. */
function exchange(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket
      .on('data', (chunk: Buffer) => (received += chunk.toString()))
      .once('close', () => resolve(received))
      .once('error', reject);
    socket.write(text);
  });
}

const rawPost = (body: string): string =>
  ['POST / HTTP/1.1', 'Host: a', 'Connection: close', 'Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join(
    '\r\n',
  );

describe('a request line or Host that is invalid in a URL', () => {
  for (const [line, status] of [
    ['GET http://elsewhere/graphql?query=%7B__typename%7D HTTP/1.1', 200],
    ['GET //?query=%7B__typename%7D HTTP/1.1', 200],
    ['OPTIONS * HTTP/1.1', 204],
  ] as const) {
    test(`is answered with ${status}: ${line}`, async (t) => {
      const { connect: open } = await listening(t);

      const answer = await exchange(open(), `${line}\r\nHost: a b:99999\r\nVendor-Require-Preflight: 1\r\nConnection: close\r\n\r\n`);

      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    });
  }
});

test('a client that disconnects while sending its body affects no other client and logs no error', async (t) => {
  const { connect: open, log, server } = await listening(t);
  const gone = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)));
  const leaving = open();
  server.once('request', () => leaving.destroy());
  leaving.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"query"');
  await gone;

  const answer = await exchange(open(), rawPost('{"query":"{ __typename }"}'));

  assert.match(answer, /\{"data":\{"__typename":"Query"\}\}$/);
  assert.deepEqual(log, []);
});

test('a response already started by other code is closed and logged, and does not end the process', async (t) => {
  const { connect: open, log } = await listening(t, (response) => response.writeHead(200));

  await exchange(open(), rawPost('{"query":"{ __typename }"}'));

  assert.equal(log[0]?.message, 'A response could not be sent. Its connection is closed.');
});

for (const hook of ['drainServer', 'serverWillStop']) {
  test(`serve stops though ${hook} of a plugin hangs, and says so`, async (t) => {
    const plugins = [{ serverWillStart: () => ({ [hook]: () => new Promise<void>(() => {}) }) }];
    const { options, log } = echoServer({ plugins });
    const server = await serve(options, { port: 0, host: '127.0.0.1', signals: false, shutdownTimeout: 3000 });
    t.mock.timers.enable({ apis: ['setTimeout'] });

    const closed = server.close();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(3000);
    await closed;

    assert.match(log.at(-1)?.message ?? '', new RegExp(`^${hook} of a plugin did not finish within \\d+ ms`));
  });
}

test('serve refuses an invalid schema immediately in tests', async (t) => {
  // Options that come later bring their logger with them: until then, problems go to the console.
  const printed = t.mock.method(console, 'error', () => {});
  const options = { nodeEnv: 'test', logger: echoServer().options.logger!, typeDefs: 'type Query { book: Bok }' };

  await assert.rejects(serve(options, { port: 0, signals: false }), /Bok/);
  await assert.rejects(
    serve(async () => options, { port: 0, signals: false }),
    /Internal server error/,
  );
  assert.match(String(printed.mock.calls[0]?.arguments), /Bok/);
});

const wrongListenOptions: readonly (readonly [options: unknown, message: RegExp])[] = [
  [{ prot: 4000 }, /Unknown option "prot" of serve\. Did you mean "port"\?$/],
  [{ port: '80a' }, /Expected the option port of serve to be a number from 0 to 65535, got "80a"/],
  [{ signals: 'SIGTERM' }, /Expected the option signals of serve to be true or false, got "SIGTERM"/],
  [4000, /like \{ port: 4000 \}, got 4000/],
];
for (const [options, message] of wrongListenOptions) {
  test(`serve refuses ${JSON.stringify(options)} as its second argument`, async () => {
    await assert.rejects(serve({ typeDefs: 'type Query { a: Int }' }, options as object), message);
  });
}

test('serve names the option to change when its port is in use or its host is not on this machine', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const typeDefs = 'type Query { a: Int }';

  await assert.rejects(serve({ typeDefs }, { port, host: '127.0.0.1', signals: false }), {
    code: 'EADDRINUSE',
    message: `serve cannot listen on port ${port}: it is in use. Stop the process that listens on it, or choose another with serve(options, { port }); 0 takes any free port.`,
  });
  await assert.rejects(serve({ typeDefs }, { port: 0, host: '192.0.2.1', signals: false }), {
    code: 'EADDRNOTAVAIL',
    message: /the option host is not an address of this machine/,
  });
});

for (const host of ['0.0.0.0', '::1']) {
  test(`the address that serve names can be opened, listening on ${host}`, async (t) => {
    const server = await serve({ csrfPrevention: true, typeDefs: 'type Query { a: Int }' }, { port: 0, host, signals: false });
    t.after(() => server.close());

    assert.equal((await fetch(`${server.url}health`)).status, 200);
    assert.match(server.url, host === '::1' ? /^http:\/\/\[::1\]:/ : /^http:\/\/localhost:/);
  });
}
