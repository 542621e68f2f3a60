import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { sendTo, testAnswers } from '../../support/real/answers.ts';
import { bundle, createFolder } from '../../support/real/bundle.ts';
import type { Folder } from '../../support/real/bundle.ts';
import { postJSON } from '../../support/plain-http.ts';
import { needsProgram, startProgram } from '../../support/program.ts';
import type { Program } from '../../support/program.ts';

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
      await folder.write('large.json', JSON.stringify({ query: '{ hello }', padding: 'x'.repeat(8 * 2 ** 20) }));
    });
    after(() => server.program.end());

    testAnswers((request) => sendTo(server.url.replace(/\/$/, ''), request));

    const json = ['-H', 'content-type: application/json'];
    for (const [what, status, answer, flags] of [
      ['posts JSON', 200, /^{"data":{"hello":"Hello, curl!"}}$/, [...json, '-d', '{"query":"{ hello(name: \\"curl\\") }"}']],
      [
        'sends chunks of unknown length, and waits for "100 Continue" before them',
        200,
        /^{"data":{"hello":"Hello, world!"}}$/,
        [...json, '-H', 'transfer-encoding: chunked', '-H', 'expect: 100-continue', '-d', '{"query":"{ hello }"}'],
      ],
      ['gets the response to a body refused midway', 413, /errors/, [...json, '-d', '@large.json']],
      ['gets an error that says what to send in place of a form, its default', 400, /content-type/i, ['-d', '{"query":"{ hello }"}']],
    ] as const)
      test(`curl ${what}`, needsProgram('curl'), async () => {
        const args = ['--silent', '--show-error', '--max-time', '20', '--write-out', '\n%{http_code}', ...flags, server.url];
        const program = startProgram('curl', args, { cwd: folder.path });
        assert.equal((await program.exited).code, 0, program.output());

        const [body = '', code] = program.output().split('\n');

        assert.equal(Number(code), status);
        assert.match(body, answer);
      });

    test('64 concurrent requests each get their own response', async () => {
      const names = Array.from({ length: 64 }, (_, index) => `name ${index}`);
      const query = 'query ($name: String!) { header(name: $name) }';
      const answers = await Promise.all(
        names.map(async (name) => (await postJSON(server.url, { query, variables: { name: 'x-name' } }, { 'x-name': name })).json()),
      );

      assert.deepEqual(
        answers,
        names.map((name) => ({ data: { header: name } })),
      );
    });
  });

  describe('ended by SIGTERM while a request is in flight', () => {
    /** A server that gets SIGTERM while it answers `{ held }`, and answers it after SIGUSR2. */
    const drain = async (t: TestContext, environment?: Record<string, string>) => {
      const server = await startServer(folder, environment);
      t.after(() => server.program.end());
      const answer = postJSON(server.url, { query: '{ held }' });
      answer.catch(() => {});
      await server.program.printed(/holding/);
      const terminate = async (): Promise<void> => {
        server.program.signal('SIGTERM');
        await server.program.printed(/draining/);
      };
      return { ...server, answer, terminate };
    };

    test('finishes it, accepts no new connections, then ends with that signal', async (t) => {
      const { url, program, answer, terminate } = await drain(t);
      await terminate();

      await assert.rejects(postJSON(url, { query: '{ hello }' }), ({ cause }: Error) => String(cause).includes('ECONNREFUSED'));
      program.signal('SIGUSR2');

      assert.deepEqual(await (await answer).json(), { data: { held: 'released' } });
      await assertEndedBySIGTERM(program);
      assert.match(program.output(), /draining\nstopped\n$/);
    });

    test('sends Connection: close with the last response on a connection, and refuses a request that has only started to arrive', async (t) => {
      const { url, program, terminate } = await drain(t);
      const [last, started] = [openConnection(t, url), openConnection(t, url)];
      const [start, end] = halvesOf(requestOf('{ hello }'));
      last.write(requestOf('{ held }'));
      started.write(start);
      await program.printed(/holding[^]*holding/);

      await terminate();
      started.write(end);

      assert.match(await started.received, /^HTTP\/1.1 503 Service Unavailable\r\n[^]*connection: close\r\n[^]*SERVICE_UNAVAILABLE/);
      program.signal('SIGUSR2');
      const received = await last.received;
      assert.match(received, /\r\nconnection: close\r\n/);
      assert.match(received, /\{"data":\{"held":"released"\}\}$/);
    });

    test('aborts it if it does not end in time', async (t) => {
      const { program, answer, terminate } = await drain(t, { SHUTDOWN_TIMEOUT: '50' });
      await terminate();

      await assert.rejects(answer);
      await assertEndedBySIGTERM(program);
    });

    test('ends immediately after a second signal', async (t) => {
      const { program, answer, terminate } = await drain(t);
      await terminate();
      program.signal('SIGTERM');

      await assert.rejects(answer);
      await assertEndedBySIGTERM(program);
      assert.doesNotMatch(program.output(), /stopped/);
    });
  });
});

async function assertEndedBySIGTERM({ exited }: Program): Promise<void> {
  assert.equal((await exited).signal, 'SIGTERM');
}

interface Server {
  readonly url: string;
  readonly program: Program;
}

async function startServer({ path }: Folder, environment: Record<string, string> = {}): Promise<Server> {
  const program = startProgram(process.execPath, [`${path}/server.mjs`], { env: { NODE_ENV: 'production', ...environment } });
  const [, url = ''] = await program.printed(/listening on (\S+)/);
  return { url, program };
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
