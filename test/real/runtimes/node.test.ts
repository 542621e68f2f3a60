import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { assertStatuses, editionStatuses } from '../../support/edition-statuses.ts';
import { sendTo } from '../../support/real/answers.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { needsProgram } from '../../support/real/parts.ts';
import { startProgram } from '../../support/real/program.ts';
import type { Program, ProgramExit } from '../../support/real/program.ts';

describe('serve() in a separate process', () => {
  let folder: Folder;

  before(async () => {
    folder = await createFolder();
    await bundle('test/support/real/functions/node.ts', `${folder.path}/server.mjs`, 'lambda-esm');
  });
  after(() => folder.remove());

  describe('answered by curl and fetch', () => {
    let server: Server;

    before(async () => {
      server = await startServer(folder);
    });
    after(() => server.program.end());

    test('curl posts JSON', needsProgram('curl'), async () => {
      const answer = await curl('-H', 'content-type: application/json', '-d', '{"query":"{ hello(name: \\"curl\\") }"}', server.url);

      assert.deepEqual(answer, { status: 200, body: { data: { hello: 'Hello, curl!' } } });
    });

    for (const one of editionStatuses({ nullable: 'fails', nonNull: 'failsHard' }))
      test(`${one.name} has the status and the label of GraphQL over HTTP, September 2026`, async () => {
        await assertStatuses(one, (request) => sendTo(server.url, request));
      });

    test('curl sends chunks of unknown length, and waits for "100 Continue" before them', needsProgram('curl'), async () => {
      const flags = ['-H', 'content-type: application/json', '-H', 'transfer-encoding: chunked', '-H', 'expect: 100-continue'];

      assert.deepEqual(await curl(...flags, '-d', '{"query":"{ hello }"}', server.url), {
        status: 200,
        body: { data: { hello: 'Hello, world!' } },
      });
    });

    test('curl gets the response to a body refused midway', needsProgram('curl'), async () => {
      await folder.write('large.json', JSON.stringify({ query: '{ hello }', padding: 'x'.repeat(8 * 2 ** 20) }));

      const { status } = await curl('-H', 'content-type: application/json', '-d', `@${folder.path}/large.json`, server.url);

      assert.equal(status, 413);
    });

    test('curl, which sends a form by default, gets an error that says what to send instead', async () => {
      const { status, body } = await curl('-d', '{"query":"{ hello }"}', server.url);

      assert.equal(status, 400);
      assert.match(JSON.stringify(body), /content-type/i);
    });

    test('fetch gets a batch, and two cookies as two', async () => {
      const cookies = ['a=1; Path=/; HttpOnly', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'];
      const query = 'query ($values: [String!]!) { cookies(values: $values) }';
      const response = await postTo(server.url, [{ query: '{ hello }' }, { query, variables: { values: cookies } }]);

      assert.deepEqual(await response.json(), [{ data: { hello: 'Hello, world!' } }, { data: { cookies: true } }]);
      assert.deepEqual(response.headers.getSetCookie(), cookies);
    });

    test('64 concurrent requests each get their own response', async () => {
      const names = Array.from({ length: 64 }, (_, index) => `name ${index}`);
      const query = 'query ($name: String!) { header(name: $name) }';
      const answers = await Promise.all(
        names.map(async (name) => (await postTo(server.url, { query, variables: { name: 'x-name' } }, { 'x-name': name })).json()),
      );

      assert.deepEqual(
        answers,
        names.map((name) => ({ data: { header: name } })),
      );
    });
  });

  describe('ended by SIGTERM', () => {
    test('finishes requests in flight, then ends with that signal', async (t) => {
      const { url, program } = await startServerForTest(t, folder);
      const answer = postTo(url, { query: '{ held }' });
      await program.printed(/holding/);

      program.signal('SIGTERM');
      await program.printed(/draining/);
      program.signal('SIGUSR2');

      assert.deepEqual(await (await answer).json(), { data: { held: 'released' } });
      assert.deepEqual(await program.exited, bySignal('SIGTERM'));
      assert.match(program.output(), /draining\nstopped\n$/);
    });

    test('accepts no new connections', async (t) => {
      const { url, program } = await startServerForTest(t, folder);
      const answer = postTo(url, { query: '{ held }' });
      await program.printed(/holding/);

      program.signal('SIGTERM');
      await program.printed(/draining/);

      await assert.rejects(
        postTo(url, { query: '{ hello }' }),
        ({ cause }: Error) => (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED',
      );
      program.signal('SIGUSR2');
      assert.equal((await answer).status, 200);
    });

    test('sends Connection: close with the last response on a connection', async (t) => {
      const { url, program } = await startServerForTest(t, folder);
      const connection = openConnection(t, url);
      connection.write(requestOf('{ held }'));
      await program.printed(/holding/);

      program.signal('SIGTERM');
      await program.printed(/draining/);
      program.signal('SIGUSR2');

      const received = await connection.received;
      assert.match(received, /\r\nconnection: close\r\n/);
      assert.match(received, /\{"data":\{"held":"released"\}\}$/);
    });

    test('refuses a request that has only started to arrive', async (t) => {
      const { url, program } = await startServerForTest(t, folder);
      const connection = openConnection(t, url);
      const [start, end] = halvesOf(requestOf('{ hello }'));
      connection.write(start);
      // This request is answered after the first half has arrived, and keeps the server from ending until then.
      const answer = postTo(url, { query: '{ held }' });
      await program.printed(/holding/);

      program.signal('SIGTERM');
      await program.printed(/draining/);
      connection.write(end);

      assert.match(await connection.received, /^HTTP\/1.1 503 Service Unavailable\r\n[^]*connection: close\r\n[^]*SERVICE_UNAVAILABLE/);
      program.signal('SIGUSR2');
      assert.equal((await answer).status, 200);
    });

    test('aborts a request that does not end in time', async (t) => {
      const { url, program } = await startServerForTest(t, folder, { SHUTDOWN_TIMEOUT: '50' });
      const answer = postTo(url, { query: '{ held }' });
      await program.printed(/holding/);

      program.signal('SIGTERM');

      await assert.rejects(answer);
      assert.deepEqual(await program.exited, bySignal('SIGTERM'));
    });

    test('ends immediately after a second signal', async (t) => {
      const { url, program } = await startServerForTest(t, folder);
      const answer = postTo(url, { query: '{ held }' });
      await program.printed(/holding/);

      program.signal('SIGTERM');
      await program.printed(/draining/);
      program.signal('SIGTERM');

      await assert.rejects(answer);
      assert.deepEqual(await program.exited, bySignal('SIGTERM'));
      assert.doesNotMatch(program.output(), /stopped/);
    });
  });
});

interface Server {
  readonly url: string;
  readonly program: Program;
}

async function startServer({ path }: Folder, environment: Record<string, string> = {}): Promise<Server> {
  const program = startProgram(process.execPath, [`${path}/server.mjs`], { env: { NODE_ENV: 'production', ...environment } });
  const [, url = ''] = await program.printed(/listening on (\S+)/);
  return { url, program };
}

async function startServerForTest(t: TestContext, folder: Folder, environment?: Record<string, string>): Promise<Server> {
  const server = await startServer(folder, environment);
  t.after(() => server.program.end());
  return server;
}

function bySignal(signal: NodeJS.Signals): ProgramExit {
  return { code: null, signal };
}

async function curl(...args: string[]): Promise<{ status: number; body: unknown }> {
  const program = startProgram('curl', ['--silent', '--show-error', '--max-time', '20', '--write-out', '\n%{http_code}', ...args]);
  const { code } = await program.exited;
  assert.equal(code, 0, program.output());
  const lines = program.output().split('\n');
  const status = Number(lines.pop());
  return { status, body: JSON.parse(lines.join('\n')) };
}

function postTo(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
}

/** A connection on which the test controls what is sent and when. `received`: all data until the server closed the connection. */
function openConnection(t: TestContext, url: string): { write: (text: string) => void; received: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    write: (sent) => void socket.write(sent),
    received: new Promise((resolve, reject) => {
      socket.once('close', () => resolve(text)).once('error', reject);
    }),
  };
}

function requestOf(query: string): string {
  const body = JSON.stringify({ query });
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Splits a request in the middle of its header fields. */
function halvesOf(request: string): [start: string, end: string] {
  const middle = request.indexOf('content-type');
  return [request.slice(0, middle), request.slice(middle)];
}
