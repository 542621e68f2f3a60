import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

test('maxResultBytes counts the bytes of an answer in parts, not its characters', async () => {
  const maxResultBytes = 200_000;
  const handler = createHandler({
    logger: recordingLogger()[0],
    maxResultBytes,
    incrementalDelivery: incrementalDelivery(),
    typeDefs: 'type Query { texts: [String] }',
    resolvers: {
      Query: {
        texts: async function* texts() {
          for (let item = 0; item < 1500; item++) {
            await new Promise((resolve) => setImmediate(resolve));
            yield '世'.repeat(100);
          }
        },
      },
    },
  });
  const headers = { 'content-type': 'application/json', accept: 'multipart/mixed' };
  const body = JSON.stringify({ query: '{ texts @stream }' });

  const response = await handler.fetch(new Request('https://api.example/graphql', { method: 'POST', headers, body }));
  const { byteLength } = await response.arrayBuffer();

  // Each part has a boundary and header fields, which do not count.
  assert.ok(byteLength < 1.5 * maxResultBytes, `${byteLength} bytes`);
});
