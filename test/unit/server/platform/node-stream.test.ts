import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createListener, serve } from '../../../../src/entries/node.ts';
import type { RunningServer } from '../../../../src/entries/node.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { deferred } from '../../../support/deferred.ts';
import { createEventSource } from '../../../support/event-source.ts';
import type { EventSource } from '../../../support/event-source.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { parseEvents } from '../../../support/sse.ts';

const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
const body = JSON.stringify({ query: 'subscription { text }' });

interface Streaming {
  readonly source: EventSource<{ text: string }>;
  readonly options: ServerOptions<object, object, any>;
}

let servers = 0;

function streaming(own: Partial<Streaming['options']> = {}): Streaming {
  const source = createEventSource<{ text: string }>();
  const options: Streaming['options'] = {
    logger: recordingLogger()[0],
    typeDefs: `type Query { hello: String } type Subscription { text: String } # node ${++servers}`,
    resolvers: { Subscription: { text: { subscribe: () => source } } },
    ...own,
  };
  return { source, options };
}

async function listening(t: TestContext, own: Partial<Streaming['options']> = {}): Promise<Streaming & { server: RunningServer }> {
  const made = streaming(own);
  const server = await serve(made.options, { port: 0, host: '127.0.0.1', signals: false });
  t.after(() => server.close());
  return { ...made, server };
}

/** A server that stopped: its stream has one error, which says so, and its end. */
function assertStopped(text: string, source: EventSource<unknown>): void {
  const [first, ...others] = parseEvents(text).filter(({ event }) => event !== undefined);
  assert.equal(first?.data.errors[0].extensions.code, 'SERVICE_UNAVAILABLE');
  assert.deepEqual(others, [{ event: 'complete', data: '' }]);
  assert.equal(source.isClosed(), true);
}

/** Sends the subscription, and resolves when its headers have arrived, before any of its body is read. */
async function subscribe(url: string): Promise<IncomingMessage> {
  const client = send(url, { method: 'POST', headers }).on('error', () => {});
  client.end(body);
  const [incoming] = (await once(client, 'response')) as [IncomingMessage];
  return incoming.setEncoding('utf8');
}

test('each event reaches the client of a node:http server immediately', async (t) => {
  const { server, source } = await listening(t);
  const incoming = await subscribe(server.url);
  let received = '';
  const seen = async (text: string): Promise<void> => {
    while (!received.includes(text)) received += ((await once(incoming, 'data')) as [string])[0];
  };

  source.push({ text: 'one' });
  await seen('one');
  assert.doesNotMatch(received, /two/);
  source.push({ text: 'two' });
  await seen('two');
  source.complete();
  await seen('complete');

  assert.equal(incoming.statusCode, 200);
  assert.equal(incoming.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(incoming.headers['content-length'], undefined);
});

test('a socket that is not read pauses the source', async (t) => {
  const { options, source } = streaming();
  const listener = createListener(options);
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  for (let number = 0; number < 200; number++) source.push({ text: 'x'.repeat(1024 * 1024) });

  const asking = once(server, 'request');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const lines = ['POST / HTTP/1.1', 'Host: a', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const [, response] = (await asking) as [unknown, ServerResponse];
  // The buffers of both sockets hold some megabytes, then sending stops.
  for (let still = 0; still < 200; still = response.writableNeedDrain ? still + 1 : 0)
    await new Promise((resolve) => setImmediate(resolve));

  const taken = source.pulls();
  assert.ok(taken > 0 && taken < 50, `${taken} of 200 events were taken`);
  socket.destroy();
  await source.closed;
});

test('a server that stops ends its streams with an error that says so', async (t) => {
  const { server, source } = await listening(t);
  const text = (await subscribe(server.url)).toArray();

  await server.close();

  assertStopped((await text).join(''), source);
});

test('a stream that opens while the server stops ends immediately', async (t) => {
  const [asked, gate] = [deferred(), deferred()];
  const { server, source } = await listening(t, { context: () => (asked.resolve(), gate.promise.then(() => ({}))) });
  const subscribing = subscribe(server.url);
  await asked.promise;

  const closing = server.close();
  gate.resolve();
  const text = (await (await subscribing).toArray()).join('');
  await closing;

  assertStopped(text, source);
});
