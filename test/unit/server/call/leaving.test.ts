import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { createListener, serve } from '../../../../src/entries/node.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { deferred } from '../../../support/deferred.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { after } from '../../../support/stages.ts';

const body = JSON.stringify({ query: '{ slow }' });
const headers = { 'content-type': 'application/json' };

/** A request of a client that can leave. */
function requestBy({ signal }: AbortController, query = '{ slow }'): Request {
  return new Request('https://example.com/graphql', { method: 'POST', headers, body: JSON.stringify({ query }), signal });
}

/** A server whose only resolver waits until the test releases it, or the client leaves. */
function slowServer(): {
  options: ServerOptions<{ signal: AbortSignal }>;
  started: Promise<void>;
  finish: () => void;
  left: Promise<unknown>;
  signal: () => AbortSignal;
} {
  const started = deferred<void>();
  const gate = deferred<string>();
  const left = deferred<unknown>();
  let seen: AbortSignal | undefined;
  return {
    options: {
      logger: recordingLogger()[0],
      typeDefs: 'type Query { slow: String }',
      context: ({ signal }) => ({ signal }),
      resolvers: {
        Query: {
          slow(_, _arguments, { signal }) {
            seen = signal;
            signal.addEventListener('abort', () => {
              left.resolve(signal.reason);
              gate.resolve('nobody waits');
            });
            started.resolve();
            return gate.promise;
          },
        },
      },
    },
    started: started.promise,
    finish: () => gate.resolve('done'),
    left: left.promise,
    signal: () => seen!,
  };
}

test('the signal of an operation fires when the Request is aborted', async () => {
  const { options, started, left } = slowServer();
  const client = new AbortController();

  const answer = createHandler(options)(requestBy(client));
  await started;
  client.abort();

  assert.match(String(await left), /The client disconnected before the answer was sent/);
  assert.equal((await answer).status, 200);
});

test('the signal of an operation does not fire when the Request is aborted after its answer, as Deno always does', async () => {
  const { options, started, finish, signal } = slowServer();
  const client = new AbortController();

  const answer = createHandler(options)(requestBy(client));
  await started;
  finish();
  const response = await answer;
  client.abort();

  assert.equal(response.status, 200);
  assert.equal(signal().aborted, false);
});

test('the signal of an operation fires when the client of a node:http server closes its connection', async () => {
  const { options, started, left } = slowServer();
  const server = await serve(options, { port: 0, host: '127.0.0.1', signals: false });

  const client = send(server.url, { method: 'POST', headers }).on('error', () => {});
  client.end(body);
  await started;
  client.destroy();

  assert.match(String(await left), /The client disconnected before the answer was sent/);
  await server.close();
});

test('the signal of an operation that answered on a node:http server never fires', async () => {
  const { options, started, finish, signal } = slowServer();
  const server = await serve(options, { port: 0, host: '127.0.0.1', signals: false });

  const answer = fetch(server.url, { method: 'POST', headers, body });
  await started;
  finish();
  const response = await answer;
  await response.text();
  await server.close();

  assert.equal(response.status, 200);
  assert.equal(signal().aborted, false);
});

test('no resolver starts when the client has left, and plugins get the reason', async () => {
  const started = deferred<void>();
  const gate = deferred<object>();
  const told = deferred<unknown>();
  let began = false;
  const client = new AbortController();
  const handler = createHandler({
    logger: recordingLogger()[0],
    typeDefs: 'type Query { slow: Thing } type Thing { name: String } # no resolver is begun',
    resolvers: {
      Query: {
        slow: () => {
          started.resolve();
          return gate.promise;
        },
      },
      Thing: { name: () => ((began = true), 'x') },
    },
    plugins: [{ requestDidStart: () => ({ didEncounterErrors: ({ errors }) => told.resolve(errors[0]!.extensions['code']) }) }],
  });

  const answer = handler(requestBy(client, '{ slow { name } }'));
  await started.promise;
  client.abort();
  await answer;
  gate.resolve({});
  await new Promise((resolve) => setImmediate(resolve));

  assert.equal(await told.promise, 'CLIENT_LEFT');
  assert.equal(began, false);
});

/** Options whose context function is slow, and only reads the signal after the client has left. */
function slowContext(): {
  options: ServerOptions;
  making: Promise<void>;
  goOn: () => void;
  seen: Promise<boolean>;
} {
  const making = deferred<void>();
  const gate = deferred<void>();
  const seen = deferred<boolean>();
  return {
    options: {
      logger: recordingLogger()[0],
      typeDefs: 'type Query { slow: Boolean } # slow context',
      async context(argument) {
        making.resolve();
        await gate.promise;
        seen.resolve(argument.signal.aborted);
        return {};
      },
    },
    making: making.promise,
    goOn: () => gate.resolve(),
    seen: seen.promise,
  };
}

test('a signal that is first read when the Request has been aborted has fired', async () => {
  const { options, making, goOn, seen } = slowContext();
  const client = new AbortController();

  const answer = createHandler(options)(requestBy(client));
  await making;
  client.abort();
  goOn();

  assert.equal(await seen, true);
  await answer;
});

test('a signal that is first read when the client of a node:http server has closed its connection has fired', async () => {
  const { options, making, goOn, seen } = slowContext();
  const closed = deferred<void>();
  const listener = createListener(options);
  const server = createServer((request, response) => {
    response.once('close', () => closed.resolve());
    void listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const client = send({ port, host: '127.0.0.1', method: 'POST', headers }).on('error', () => {});
  client.end(body);
  await making;
  client.destroy();
  await closed.promise;
  goOn();

  assert.equal(await seen, true);
  await new Promise((resolve) => server.close(resolve));
});

for (const [where, hasImmediates] of [
  ['', true],
  [', on Workers, which have no immediates, either', false],
] as const) {
  test(`a synchronous answer adds no listener to the signal of its Request${where}`, async (t) => {
    const { setImmediate: original } = globalThis;
    if (!hasImmediates) Reflect.deleteProperty(globalThis, 'setImmediate');
    t.after(() => (globalThis.setImmediate = original));
    const request = new Request('https://example.com/graphql', { method: 'POST', headers, body: JSON.stringify({ query: '{ quick }' }) });
    const listened: string[] = [];
    request.signal.addEventListener = (name: string) => void listened.push(name);

    const answer = await createHandler({ typeDefs: 'type Query { quick: String }', resolvers: { Query: { quick: () => 'now' } } })(request);

    assert.deepEqual(await answer.json(), { data: { quick: 'now' } });
    assert.deepEqual(listened, []);
  });
}

test('a client that leaves while its body is still coming ends the operation', async () => {
  const client = new AbortController();
  const [logger] = recordingLogger();
  let write: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (write = controller) });
  const began: string[] = [];
  const handler = createHandler({
    logger,
    typeDefs: 'type Query { quick: String }',
    context: ({ signal }) => {
      began.push(signal.aborted ? 'aborted' : 'open');
      return {};
    },
    resolvers: { Query: { quick: () => 'now' } },
  });
  const init = { method: 'POST', headers, body: stream, signal: client.signal, duplex: 'half' } as RequestInit;

  const answer = handler(new Request('https://example.com/graphql', init));
  await new Promise((resolve) => setImmediate(resolve));
  client.abort();
  write!.enqueue(new TextEncoder().encode(JSON.stringify({ query: '{ quick }' })));
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
  const started = deferred<void>();
  const ended = deferred<void>();
  const handler = createHandler({
    typeDefs: 'type Query { slow: String }',
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
  const leaving = new AbortController();
  void handler.fetch(requestBy(leaving));

  await started.promise;
  leaving.abort();
  await ended.promise;

  assert.deepEqual(calls, [499]);
});
