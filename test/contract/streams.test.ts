import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import type { ServerPlugin } from '../../src/entries/index.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { json, post } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { frontDoors } from '../support/sources.ts';
import type { OpenDoor } from '../support/sources.ts';
import { parseEvents } from '../support/sse.ts';

const subscription = { query: 'subscription { count(to: 3) }' };
const accept = (value: string): { headers: [string, string][] } => ({ headers: [['Accept', value]] });

/** Creates a server whose subscription counts up, and counts its closed iterations. */
function countingServer(name: string): { options: ServerOptions; ended(): number } {
  let ended = 0;
  const options: ServerOptions = {
    logger: recordingLogger()[0],
    typeDefs: `type Query { hello: String } type Subscription { count(to: Int!): Int! } # ${name}`,
    resolvers: {
      Query: { hello: () => 'world' },
      Subscription: {
        count: {
          async *subscribe(_, { to }) {
            try {
              for (let count = 1; count <= to; count++) yield { count };
            } finally {
              ended += 1;
            }
          },
        },
      },
    },
  };
  return { options, ended: () => ended };
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
        const response = await open.send(post(subscription, accept('text/event-stream')));

        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
        assert.equal(response.headers.get('content-length'), undefined);
        assert.deepEqual(parseEvents(response.body).slice(1), [
          ...[1, 2, 3].map((count) => ({ event: 'next', data: { data: { count } } })),
          { event: 'complete', data: '' },
        ]);
        assert.equal(ended(), 1);
      });

      test('a query is delivered as one event when the client accepts only event streams', async () => {
        const response = await open.send(post({ query: '{ hello }' }, accept('text/event-stream')));

        assert.deepEqual(parseEvents(response.body), [
          { event: 'next', data: { data: { hello: 'world' } } },
          { event: 'complete', data: '' },
        ]);
      });
    } else {
      test('a stream is a 406 before anything runs, and the error says which platforms can stream', async () => {
        const response = await open.send(post(subscription, accept('text/event-stream')));

        const [error] = json(response).errors;
        assert.equal(response.status, 406);
        assert.equal(error.extensions.code, 'BAD_REQUEST');
        assert.match(error.message, /on a platform that streams: a web Request, Node, createStreamingHandler on AWS\./);
        assert.equal(ended(), 0);
      });

      test('a subscription from a client that also accepts JSON is a 422, and the error says which platforms can stream', async () => {
        const response = await open.send(post(subscription, accept('text/event-stream, application/json')));

        const [error] = json(response).errors;
        assert.equal(response.status, 422);
        assert.equal(error.extensions.code, 'OPERATION_RESOLUTION_FAILURE');
        assert.match(error.message, /createStreamingHandler/);
      });

      test('a query gets a single response even when the client prefers events', async () => {
        const response = await open.send(post({ query: '{ hello }' }, accept('text/event-stream, application/json;q=0.5')));

        assert.deepEqual(json(response), { data: { hello: 'world' } });
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

  const response = await door.send(post({ query: '{ hello }' }, accept('text/event-stream')));
  await door.close();

  assert.deepEqual([response.status, response.body], [503, '{"data":null}']);
});
