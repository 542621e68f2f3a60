import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const accepts = [
  'text/event-stream',
  'multipart/mixed',
  'application/json',
  'application/graphql-response+json',
  '*/*',
  'image/png',
  'text/event-stream, application/json;q=0.5',
];
/** Prefixes of an Accept value that could make two different values equal if keys are joined from texts. */
const prefixes = ['multipart ', 'undefined ', 'null,', 'multipart,', ' ', 'true '];

function server(name: string, writesMultipart: boolean): (accept: string) => Promise<string> {
  const handler = createHandler({
    nodeEnv: '',
    logger: recordingLogger()[0],
    typeDefs: `type Query { a: Int } # ${name}`,
    resolvers: { Query: { a: () => 1 } },
    ...(writesMultipart && { incrementalDelivery: incrementalDelivery() }),
  });
  return async (accept) => {
    const response = await handler(
      new Request('https://example.com/', {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json' },
        body: '{"query":"{ a }"}',
      }),
    );
    await response.text();
    return `${response.status} ${response.headers.get('content-type')}`;
  };
}

/** Adds an unused parameter, so that no memo contains the value. */
const fresh = (accept: string, round: string): string => accept.replace(/(?=$|,)/, `;round=${round}`);

test('requests to one server of a process do not affect another, whatever their Accept', async () => {
  const plain = server('accept memo, plain', false);
  const writing = server('accept memo, multipart', true);
  const alone = new Map<string, string>();
  for (const accept of accepts) {
    alone.set(`plain ${accept}`, await plain(fresh(accept, 'alone')));
    alone.set(`writing ${accept}`, await writing(fresh(accept, 'alone')));
  }

  for (const [turn, prefix] of prefixes.entries()) {
    for (const accept of accepts) {
      const asked = fresh(accept, `after${turn}`);
      for (const other of [plain, writing]) await other(prefix + asked);

      assert.equal(await writing(asked), alone.get(`writing ${accept}`), `after ${prefix}${asked}`);
      assert.equal(await plain(asked), alone.get(`plain ${accept}`), `after ${prefix}${asked}`);
    }
  }
});
