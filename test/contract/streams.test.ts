import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { ServerPlugin } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { json, post } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { frontDoors } from '../support/sources.ts';
import type { OpenDoor } from '../support/sources.ts';
import { parseEvents } from '../support/sse.ts';

const send = (query: string, accept: string): PlainRequest => post({ query }, { headers: [['Accept', accept]] });
const subscription = 'subscription { count(to: 3) }';
const hello = '{ hello }';
const complete = { event: 'complete', data: '' };
const world = { data: { hello: 'world' } };

/** Creates a server whose subscription counts up, and counts its closed iterations. */
function countingServer(name: string): { options: ServerOptions; ended(): number } {
  let ended = 0;
  async function* subscribe(_: unknown, { to }: { to: number }): AsyncGenerator<object> {
    try {
      for (let count = 1; count <= to; count++) yield { count };
    } finally {
      ended += 1;
    }
  }
  const typeDefs = `type Query { hello: String } type Subscription { count(to: Int!): Int! } # ${name}`;
  const resolvers = { Query: { hello: () => 'world' }, Subscription: { count: { subscribe } } };
  return { options: { logger: recordingLogger()[0], typeDefs, resolvers }, ended: () => ended };
}

for (const door of frontDoors) {
  describe(`streams: ${door.name}`, () => {
    let open: OpenDoor;
    let ended: () => number;
    before(() => {
      const server = countingServer(door.name);
      ({ ended } = server);
      open = door.open(server.options);
    });
    after(() => open.close());

    if (door.streams) {
      test('a subscription streams its events', async () => {
        const response = await open.send(send(subscription, 'text/event-stream'));

        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
        assert.equal(response.headers.get('content-length'), undefined);
        assert.deepEqual(parseEvents(response.body).slice(1), [
          ...[1, 2, 3].map((count) => ({ event: 'next', data: { data: { count } } })),
          complete,
        ]);
        assert.equal(ended(), 1);
      });

      test('a query is delivered as one event when the client accepts only event streams', async () => {
        const response = await open.send(send(hello, 'text/event-stream'));

        assert.deepEqual(parseEvents(response.body), [{ event: 'next', data: world }, complete]);
      });
    } else {
      for (const [accept, status, code] of [
        ['text/event-stream', 406, 'BAD_REQUEST'],
        ['text/event-stream, application/json', 422, 'OPERATION_RESOLUTION_FAILURE'],
      ] as const)
        test(`a subscription that accepts ${accept} is a ${status} before anything runs, and the error says which platforms can stream`, async () => {
          const response = await open.send(send(subscription, accept));

          const [error] = json(response).errors;
          assert.deepEqual([response.status, error.extensions.code, ended()], [status, code, 0]);
          assert.match(error.message, /createStreamingHandler/);
        });

      test('a query gets a single response even when the client prefers events', async () => {
        assert.deepEqual(json(await open.send(send(hello, 'text/event-stream, application/json;q=0.5'))), world);
      });
    }
  });
}

test('a result whose extensions set an error status is sent with it, and not as an event', async () => {
  const refusing: ServerPlugin = {
    operation: async (_operation, next) => ({ ...(await next()), result: { data: null, extensions: { http: { status: 503 } } } }),
  };
  const webDoor = frontDoors.find(({ streams }) => streams)!;
  const door = webDoor.open({ ...countingServer('refusing').options, plugins: [refusing] });

  const response = await door.send(send(hello, 'text/event-stream'));
  await door.close();

  assert.deepEqual([response.status, response.body], [503, '{"data":null}']);
});
