import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/index.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { post } from '../../../support/plain-http.ts';
import type { PlainResponse } from '../../../support/plain-http.ts';
import { sources } from '../../../support/sources.ts';
import type { Source } from '../../../support/sources.ts';

const mebibyte = 1024 * 1024;

const [logger, log] = recordingLogger();
/** A handler whose response has the requested length. */
const verbose = createHandler({
  logger,
  typeDefs: 'type Query { text(length: Int!, of: String = "x"): String }',
  resolvers: { Query: { text: (_, { length, of }) => of.repeat(length) } },
});

const answerOf = async (source: Source, length: number): Promise<PlainResponse> =>
  source.read(await verbose(source.build(post({ query: `{ text(length: ${length}) }` }))));

for (const source of sources.filter(({ name }) => name !== 'web Request')) {
  const limit = source.name.startsWith('ALB') ? mebibyte : 6 * mebibyte;

  test(`${source.name}: a response just below ${limit} bytes is sent`, async () => {
    const { status, body } = await answerOf(source, limit - 10_000);

    assert.equal(status, 200);
    assert.equal(JSON.parse(body).data.text.length, limit - 10_000);
  });

  test(`${source.name}: a response over ${limit} bytes is an error that says how large it was, and what to do`, async () => {
    log.length = 0;

    const { status, body } = await answerOf(source, limit);

    assert.equal(status, 400);
    assert.match(JSON.parse(body).errors[0].message, /^The answer has about \d+ bytes, and .+ carries \d+ at most\. Request less/);
    assert.match(String(log.at(-1)?.message), /^The answer has about/);
  });
}

test('direct invocation: a response just below Lambda’s limit is sent', async () => {
  // It would be twice as large if it were counted as a string within a result.
  const answer = await verbose({ query: `{ text(length: ${3 * mebibyte - 1000}, of: "\\"") }` });

  assert.equal(answer.data.text.length, 3 * mebibyte - 1000);
});

test('direct invocation: a response over the limit is an error that says so', async () => {
  const answer = await verbose({ query: `{ text(length: ${6 * mebibyte + 1000}) }` });

  assert.match(answer.errors[0].message, /^The answer has about \d+ bytes, and direct invocation carries \d+ at most/);
});
