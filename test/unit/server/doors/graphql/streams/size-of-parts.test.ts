import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../../../src/entries/incremental.ts';
import { recordingLogger } from '../../../../../support/recording-logger.ts';

/** The parts after the first of an answer whose bytes, but not its characters, exceed the limit. */
async function partsBeyondLimit(spec: string): Promise<readonly { readonly [member: string]: any }[]> {
  const handler = createHandler({
    logger: recordingLogger()[0],
    maxResultBytes: 4_000,
    incrementalDelivery: incrementalDelivery(),
    typeDefs: 'type Query { texts: [String] text: String }',
    resolvers: { Query: { texts: () => ['世', '世'.repeat(1_300)].values(), text: async () => '世'.repeat(1_300) } },
  });
  const headers = { 'content-type': 'application/json', accept: `multipart/mixed;${spec}` };
  const body = JSON.stringify({ query: '{ texts @stream ... @defer { text } }' });
  const response = await handler.fetch(new Request('https://api.example/graphql', { method: 'POST', headers, body }));
  const texts = (await response.text()).split('\r\n').filter((line) => line.startsWith('{'));
  return texts.slice(1).map((text) => JSON.parse(text) as object);
}

test('an answer in parts whose bytes exceed maxResultBytes completes each pending part once, with one error', async () => {
  const parts = await partsBeyondLimit('incrementalSpec=v0.2');

  const completed = parts.flatMap((part) => part['completed'] ?? []);
  assert.ok(parts.every((part) => !('errors' in part)));
  assert.deepEqual([completed.length, new Set(completed.map(({ id }) => id))], [2, new Set(['0', '1'])]);
  assert.equal(new Set(completed.flatMap(({ errors = [] }) => errors.map(({ message }: Error) => message))).size, 1);
  assert.deepEqual(parts.map((part) => part['hasNext']).lastIndexOf(false), parts.length - 1);
});

test('in the older format, it ends with one error in the last part', async () => {
  const parts = await partsBeyondLimit('deferSpec=20220824');

  assert.ok(parts.every((part) => !('errors' in part)));
  assert.deepEqual(
    parts.flatMap((part) => part['incremental'].flatMap(({ errors = [] }) => errors)).map(({ extensions }) => extensions.code),
    ['RESULT_TOO_LARGE'],
  );
  assert.equal(parts.at(-1)!['hasNext'], false);
});
