import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const variable = 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE';

/** The cache that data sources get in a function with this memory size. */
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

for (const [megabytes, mebibytes] of [
  [undefined, 30],
  ['nonsense', 30],
  ['1024', 30],
  ['512', 16],
  ['256', 8],
  ['128', 4],
] as const) {
  test(`in a function of ${megabytes ?? 'unknown'} MB, responses in memory can take ${mebibytes} MiB`, async () => {
    const cache = await cacheIn(megabytes);

    const fits = await keepsTwoOf((mebibytes / 2 - 0.1) * 1024 * 1024, cache);
    const isTooMuch = !(await keepsTwoOf((mebibytes / 2 + 0.1) * 1024 * 1024, cache));

    assert.deepEqual({ fits, isTooMuch }, { fits: true, isTooMuch: true });
  });
}

test('in a container of 256 MiB outside Lambda, responses in memory can take 8 MiB', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => 256 * 1024 * 1024);

  const cache = await cacheIn(undefined);

  const fits = await keepsTwoOf(3.9 * 1024 * 1024, cache);
  const isTooMuch = !(await keepsTwoOf(4.1 * 1024 * 1024, cache));
  assert.deepEqual({ fits, isTooMuch }, { fits: true, isTooMuch: true });
});

test('if the memory limit of the container is unknown, responses in memory can take 30 MiB', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => {
    throw new Error('not permitted');
  });

  const cache = await cacheIn(undefined);

  assert.equal(await keepsTwoOf(14.9 * 1024 * 1024, cache), true);
});

async function keepsTwoOf(characters: number, cache: KeyValueCache): Promise<boolean> {
  await cache.set('one', 'x'.repeat(characters));
  await cache.set('two', 'y'.repeat(characters));
  const oldest = await cache.get('one');
  return oldest !== undefined;
}
