import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';

import { createHandler } from '../../../src/entries/fetch.ts';
import { createListener } from '../../../src/entries/node.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { quiet } from '../../support/clock.ts';
import { deferred } from '../../support/deferred.ts';
import { webRequest } from '../../support/events.ts';
import { post } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { after } from '../../support/stages.ts';

const query = '{ slow { name } }';
const headers = { 'content-type': 'application/json' };

/** A request of a client that can leave. */
const requestBy = ({ signal }: AbortController): Request => webRequest(post({ query }), { signal });

interface Client {
  leave(): Promise<void>;
  /** Resolves with the status of the response, when it has been read. */
  readonly answered: Promise<number | undefined>;
}

/** Sends a request with each kind of platform. */
const clients: Readonly<Record<string, (options: ServerOptions<any>) => Promise<Client>>> = {
  'a web Request that is aborted, as Deno does after each answer': async (options) => {
    const client = new AbortController();
    const answered = createHandler(options)(requestBy(client)).then(({ status }) => status);
    return { answered, leave: async () => client.abort() };
  },
  'a connection to node:http that is closed': async (options) => {
    const closed = deferred();
    const listener = createListener(options);
    const server = createServer((request, response) => {
      response.once('close', () => closed.resolve());
      void listener(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = send({ port, host: '127.0.0.1', method: 'POST', headers });
    const answered = new Promise<number | undefined>((resolve) => {
      client.on('error', () => resolve(undefined));
      client.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)));
    });
    client.end(JSON.stringify({ query }));
    const leave = async (): Promise<void> => {
      client.destroy();
      await closed.promise;
      server.close();
    };
    return { answered, leave };
  },
};

/** A server whose first resolver waits until the test releases it. */
function slowServer(plugins: ServerOptions['plugins'] = []) {
  const [started, gate] = [deferred(), deferred<object>()];
  const began: string[] = [];
  let seen: AbortSignal | undefined;
  const options: ServerOptions<{ signal: AbortSignal }> = {
    logger: recordingLogger()[0],
    typeDefs: quick.typeDefs,
    context: ({ signal }) => ({ signal }),
    plugins,
    resolvers: {
      Query: { slow: (_, __, { signal }) => ((seen = signal), started.resolve(), gate.promise) },
      Thing: { name: () => began.push('name') },
    },
  };
  return { options, started: started.promise, began, finish: () => gate.resolve({}), signal: () => seen! };
}

for (const [what, connect] of Object.entries(clients))
  describe(`the signal of an operation, with ${what}`, () => {
    test('fires when the client leaves, no further resolver starts, and plugins get the reason', async () => {
      const told = deferred<unknown>();
      const { options, started, finish, signal, began } = slowServer([
        { requestDidStart: () => ({ didEncounterErrors: ({ errors }) => told.resolve(errors[0]!.extensions['code']) }) },
      ]);

      const { leave } = await connect(options);
      await started;
      await leave();
      const code = await told.promise;
      finish();
      await quiet();

      assert.equal(code, 'CLIENT_LEFT');
      assert.match(String(signal().reason), /The client disconnected before the answer was sent/);
      assert.deepEqual(began, []);
    });

    test('does not fire when the client leaves after the answer', async () => {
      const { options, started, finish, signal } = slowServer();

      const { leave, answered } = await connect(options);
      await started;
      finish();
      const status = await answered;
      await leave();

      assert.deepEqual([status, signal().aborted], [200, false]);
    });

    test('has fired if it is first read when the client has left', async () => {
      const [making, gate, seen] = [deferred(), deferred(), deferred<boolean>()];
      const { leave } = await connect({
        ...slowServer().options,
        async context(argument) {
          making.resolve();
          await gate.promise;
          seen.resolve(argument.signal.aborted);
          return {};
        },
      });

      await making.promise;
      await leave();
      gate.resolve();

      assert.equal(await seen.promise, true);
    });
  });

const quick = {
  typeDefs: 'type Query { slow: Thing } type Thing { name: String }',
  resolvers: { Query: { slow: () => ({ name: 'now' }) } },
};

for (const hasImmediates of [true, false])
  test(`a synchronous answer adds no listener to the signal of its Request${hasImmediates ? '' : ', on Workers, which have no immediates, either'}`, async (t) => {
    const { setImmediate: original } = globalThis;
    if (!hasImmediates) Reflect.deleteProperty(globalThis, 'setImmediate');
    t.after(() => (globalThis.setImmediate = original));
    const request = requestBy(new AbortController());
    const listened: string[] = [];
    request.signal.addEventListener = (name: string) => void listened.push(name);

    const answer = await createHandler(quick)(request);

    assert.deepEqual(await answer.json(), { data: { slow: { name: 'now' } } });
    assert.deepEqual(listened, []);
  });

test('a client that leaves while its body is still coming ends the operation', async () => {
  const client = new AbortController();
  let write: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (write = controller) });
  const began: string[] = [];
  const context = ({ signal }: { signal: AbortSignal }): object => (began.push(signal.aborted ? 'aborted' : 'open'), {});
  const init = { method: 'POST', headers, body: stream, signal: client.signal, duplex: 'half' } as RequestInit;

  const answer = createHandler({ ...quick, logger: recordingLogger()[0], context })(new Request('https://example.com/graphql', init));
  await new Promise((resolve) => setImmediate(resolve));
  client.abort();
  write!.enqueue(new TextEncoder().encode(JSON.stringify({ query })));
  try {
    write!.close();
  } catch {
    // undici ends the stream itself when the signal of its Request fires.
  }
  await answer;

  assert.ok(!began.includes('open'));
});

test('a client that leaves during `context` is 499 to hooks, and no failure of `context`', async () => {
  const calls: unknown[] = [];
  const [started, ended] = [deferred(), deferred()];
  const client = new AbortController();
  const handler = createHandler({
    ...quick,
    logger: recordingLogger()[0],
    context: () => {
      started.resolve();
      return new Promise<object>(() => {});
    },
    plugins: [
      {
        contextCreationDidFail: () => void calls.push('contextCreationDidFail'),
        request: after((_call, { status }) => {
          calls.push(status);
          ended.resolve();
        }),
      },
    ],
  });
  void handler.fetch(requestBy(client));

  await started.promise;
  client.abort();
  await ended.promise;

  assert.deepEqual(calls, [499]);
});
