import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../src/fetch.ts';
import type { KeyValueCache } from '../../src/cache/key-value-cache.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const variable = 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE';

/** The cache that data sources are given, in a function of so much memory. */
async function cacheIn(megabytes: string | undefined): Promise<KeyValueCache> {
  const before = process.env[variable];
  let given: KeyValueCache | undefined;
  try {
    if (megabytes === undefined) delete process.env[variable];
    else process.env[variable] = megabytes;
    const handler = createHandler({
      logger: recordingLogger()[0],
      typeDefs: 'type Query { a: String }',
      dataSources: () => ({ any: { initialize: ({ cache }: { cache: KeyValueCache }) => void (given = cache) } }),
    });
    const headers = { 'content-type': 'application/json' };
    await handler(new Request('https://example.com/', { method: 'POST', headers, body: '{"query":"{ a }"}' }));
  } finally {
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
  }
  return given!;
}

for (const [megabytes, isKept] of [
  [undefined, true],
  ['1024', true],
  ['nonsense', true],
  ['128', false],
] as const) {
  test(`in a function of ${megabytes ?? 'unknown'} MB, ten megabytes of responses ${isKept ? 'are kept' : 'are too many'}`, async () => {
    const cache = await cacheIn(megabytes);

    await cache.set('one', 'x'.repeat(5_000_000));
    await cache.set('two', 'y'.repeat(5_000_000));
    const oldest = await cache.get('one');

    assert.equal(oldest !== undefined, isKept);
  });
}
