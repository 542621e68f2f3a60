/** `close` waits for no call whose client has left, wherever the call was when it left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';

import { RESTDataSource } from '../../../../src/entries/datasource.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../../src/entries/index.ts';
import { createListener } from '../../../../src/entries/node.ts';
import { deferred } from '../../../support/deferred.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** Stops at a place until the client has left. */
type Stop = <T>(value: T) => Promise<T>;

// Any: plugins and resolvers of a schema in text.
type Options = Record<string, any>;

const plugin = (members: object): Options => ({ plugins: [members] });
const hook = (name: string, stop: Stop): Options => plugin({ requestDidStart: () => ({ [name]: () => stop(undefined) }) });
const beforeNext = (stage: string, stop: Stop): Options =>
  plugin({ [stage]: async (_subject: unknown, next: () => Promise<unknown>) => (await stop(undefined), next()) });
const afterNext = (stage: string, stop: Stop): Options =>
  plugin({ [stage]: (_subject: unknown, next: () => Promise<unknown>) => next().then(stop) });
const resolving = (name: string, stop: Stop): Options => ({ resolvers: { Query: { [name]: () => stop('x') } } });
const subscribing = (subscribe: () => unknown): Options => ({ resolvers: { Subscription: { ticks: { subscribe } } } });

interface Place {
  readonly options: (stop: Stop) => Options | (() => Promise<Options>);
  readonly query?: string;
  readonly accept?: string;
  /** The part of the body that is sent before the client leaves. */
  readonly share?: number;
  readonly isChunked?: boolean;
}

const places: Readonly<Record<string, Place>> = {
  'while the options load': { options: (stop) => () => stop({}) },
  'while a plugin starts': { options: (stop) => plugin({ start: () => stop(undefined) }) },
  'while a function of cors looks up the origin': { options: (stop) => ({ cors: { origin: () => stop(true) } }) },
  'before its body': { options: (stop) => beforeNext('request', stop), share: 0 },
  'in the middle of its body': { options: (stop) => beforeNext('request', stop), share: 0.5 },
  'in the middle of a body without a length': { options: (stop) => beforeNext('request', stop), share: 0.5, isChunked: true },
  'in a stage request, before next': { options: (stop) => beforeNext('request', stop) },
  'in a stage request, after next': { options: (stop) => afterNext('request', stop) },
  'in a stage operation, before next': { options: (stop) => beforeNext('operation', stop) },
  'in a stage operation, after next': { options: (stop) => afterNext('operation', stop) },
  'in the context': { options: (stop) => ({ context: () => stop({}) }) },
  'in initialize of a data source': {
    options: (stop) => ({ dataSources: () => ({ api: { initialize: () => stop(undefined) } }) }),
  },
  'in a stage document': { options: (stop) => beforeNext('document', stop) },
  'in didResolveOperation': { options: (stop) => hook('didResolveOperation', stop) },
  'in admit': { options: (stop) => plugin({ admit: () => stop(undefined) }) },
  'in a stage execution, before next': { options: (stop) => beforeNext('execution', stop) },
  'in a stage execution, after next': { options: (stop) => afterNext('execution', stop) },
  'in a resolver': { options: (stop) => resolving('a', stop) },
  'in a call of a data source': {
    options: (stop) => ({
      dataSources: () => ({
        api: new (class extends RESTDataSource {
          override baseURL = 'https://api.example/';
          a = (): Promise<string> => this.get('a');
        })({ httpFetch: () => stop(Response.json('x')) }),
      }),
      resolvers: { Query: { a: (_parent: unknown, _args: unknown, { dataSources }: any) => dataSources.api.a() } },
    }),
  },
  'in executionDidEnd': {
    options: (stop) => plugin({ requestDidStart: () => ({ executionDidStart: () => ({ executionDidEnd: () => stop(undefined) }) }) }),
  },
  'in willSendResponse': { options: (stop) => hook('willSendResponse', stop) },
  'in a deferred part': {
    options: (stop) => ({ ...resolving('b', stop), incrementalDelivery: incrementalDelivery() }),
    query: '{ a ... @defer { b } }',
    accept: 'multipart/mixed; deferSpec=20220824',
  },
  'before a subscription has its source': {
    options: (stop) => subscribing(() => stop((async function* () {})())),
    query: 'subscription { ticks }',
    accept: 'text/event-stream',
  },
  'while a subscription waits for an event': {
    options: (stop) =>
      subscribing(async function* () {
        yield { ticks: 'x' };
        yield { ticks: await stop('y') };
      }),
    query: 'subscription { ticks }',
    accept: 'text/event-stream',
  },
};

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

/** Sends a request whose client leaves at a place, and closes the listener. Returns what has happened after a number of turns. */
async function leaveAndClose(t: TestContext, { options, query = '{ a }', accept = 'application/json', ...sent }: Place): Promise<string> {
  const [reached, left] = [deferred<void>(), deferred<void>()];
  const stop: Stop = async (value) => {
    reached.resolve();
    await left.promise;
    return value;
  };
  const common = { typeDefs: 'type Query { a: String b: String } type Subscription { ticks: String }', logger: recordingLogger()[0] };
  const given = options(stop);
  const listener = createListener(
    (typeof given === 'function' ? async () => ({ ...common, ...(await given()) }) : { ...common, ...given }) as ServerOptions,
  );
  const server = createServer((request, response) => void listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The ten seconds after which `close` gives up never pass.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = new Promise((resolve) => void server.once('connection', (connection) => connection.once('close', resolve)));
  const { share = 1, isChunked = false } = sent;
  const body = JSON.stringify({ query });
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\norigin: https://a.example\r\ncontent-type: application/json\r\naccept: ${accept}\r\n${length}\r\n\r\n`,
  );
  const part = body.slice(0, body.length * share);
  socket.write(isChunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);
  await reached.promise;
  socket.destroy();
  await closed;
  await turns(5);
  left.resolve();
  const answer = await Promise.race([listener.close().then(() => 'closed'), turns(200).then(() => 'a call is still open')]);
  server.close();
  return answer;
}

describe('close waits for no call whose client left', () => {
  for (const [place, given] of Object.entries(places))
    test(place, async (t) => {
      assert.equal(await leaveAndClose(t, given), 'closed');
    });
});
