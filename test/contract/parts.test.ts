import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { incrementalDelivery } from '../../src/entries/incremental.ts';
import type { ServerOptions } from '../../src/server/startup/options.ts';
import { parseParts } from '../support/multipart.ts';
import { json, post } from '../support/plain-http.ts';
import type { PlainRequest } from '../support/plain-http.ts';
import { recordingLogger } from '../support/recording-logger.ts';
import { frontDoors } from '../support/sources.ts';
import type { OpenDoor } from '../support/sources.ts';
import { parseEvents } from '../support/sse.ts';

const operation = { query: '{ hello ... @defer(label: "late") { late } list @stream(initialCount: 1) }' };
const whole = { data: { hello: 'world', late: 'at last', list: [1, 2] } };
const older = 'multipart/mixed;deferSpec=20220824,application/json';
const newer = 'multipart/mixed;incrementalSpec=v0.2, application/json';
const accepting = (accept: string, body = operation): PlainRequest => post(body, { headers: [['Accept', accept]] });

function serverWithParts(name: string): ServerOptions {
  return {
    logger: recordingLogger()[0],
    incrementalDelivery: incrementalDelivery(),
    typeDefs: `type Query { hello: String late: String list: [Int] } # parts ${name}`,
    resolvers: { Query: { hello: () => 'world', late: async () => 'at last', list: () => [1, 2] } },
  };
}

for (const door of frontDoors) {
  describe(`parts: ${door.name}`, () => {
    let open: OpenDoor;
    before(() => void (open = door.open(serverWithParts(door.name))));
    after(() => open.close());

    if (door.streams) {
      test('@defer and @stream are delivered in parts, as payloads of graphql 17 for clients that accept them', async () => {
        const response = await open.send(accepting(newer));

        const [first, ...others] = parseParts(response.body) as { hasNext: boolean; pending: unknown[] }[];
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'multipart/mixed; boundary="-"; incrementalSpec=v0.2');
        assert.equal(response.headers.get('content-length'), undefined);
        assert.deepEqual(first, {
          data: { hello: 'world', list: [1] },
          pending: [
            { id: '0', path: [], label: 'late' },
            { id: '1', path: ['list'] },
          ],
          hasNext: true,
        });
        assert.equal(others.at(-1)?.hasNext, false);
      });

      test('@defer and @stream are delivered in the older payload format for Apollo Client 3', async () => {
        const response = await open.send(accepting(older));

        const [first, ...others] = parseParts(response.body) as { incremental?: { label?: string }[] }[];
        const entries = others
          .flatMap(({ incremental }) => incremental ?? [])
          .toSorted((a, b) => Number('items' in a) - Number('items' in b));
        assert.equal(response.headers.get('content-type'), 'multipart/mixed; boundary="-"; deferSpec=20220824');
        assert.deepEqual(first, { data: { hello: 'world', list: [1] }, hasNext: true });
        const late = { data: { late: 'at last' }, path: [], label: 'late' };
        assert.deepEqual(entries, [late, { items: [2], path: ['list', 1] }]);
      });

      test('each part is an event for a client that accepts text/event-stream', async () => {
        const response = await open.send(accepting('text/event-stream, application/json'));

        const events = parseEvents(response.body).filter(({ event }) => event !== undefined);
        assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
        assert.deepEqual(events[0], { event: 'next', data: { data: { hello: 'world', list: [1] }, hasNext: true } });
        assert.deepEqual(events.at(-1), { event: 'complete', data: '' });
      });
    }

    test('an operation with @defer and @stream gets a single JSON response when the client accepts JSON', async () => {
      assert.deepEqual(json(await open.send(accepting('application/json'))), whole);
    });

    if (!door.streams) {
      test('an operation with @defer and @stream gets a single response, whatever the client prefers', async () => {
        for (const accept of [newer, older]) assert.deepEqual(json(await open.send(accepting(accept))), whole);
      });
    }

    test('an operation without @defer and @stream gets a single response', async () => {
      assert.deepEqual(json(await open.send(accepting(older, { query: '{ hello }' }))), { data: { hello: 'world' } });
    });
  });
}
