import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHandler } from '../../../../src/entries/fetch.ts';
import type { KeyValueCache } from '../../../../src/datasources/cache/key-value-cache.ts';
import { webRequest } from '../../../support/events.ts';
import { post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** The cache that data sources get in a function with this memory size. */
async function cacheIn(megabytes: string | undefined): Promise<KeyValueCache> {
  const before = process.env;
  let given: KeyValueCache | undefined;
  process.env = megabytes === undefined ? {} : { AWS_LAMBDA_FUNCTION_MEMORY_SIZE: megabytes };
  try {
    const dataSources = () => ({ any: { initialize: ({ cache }: { cache: KeyValueCache }) => void (given = cache) } });
    const handler = createHandler({ logger: recordingLogger()[0], typeDefs: 'type Query { a: String }', dataSources });
    await handler(webRequest(post({ query: '{ a }' })));
  } finally {
    process.env = before;
  }
  return given!;
}

for (const [megabytes, mebibytes] of [
  [undefined, 30],
  ['nonsense', 30],
  ['512', 16],
  ['128', 4],
] as const) {
  test(`in a function of ${megabytes ?? 'unknown'} MB, responses in memory can take ${mebibytes} MiB`, async () => {
    await assertRoom(await cacheIn(megabytes), mebibytes);
  });
}

for (const [what, constrainedMemory, mebibytes] of [
  ['in a container of 256 MiB outside Lambda', () => 256 * 1024 * 1024, 8],
  ['if the memory limit of the container is unknown', () => assert.fail('not permitted'), 30],
] as const)
  test(`${what}, responses in memory can take ${mebibytes} MiB`, async (t) => {
    t.mock.method(process, 'constrainedMemory', constrainedMemory);

    await assertRoom(await cacheIn(undefined), mebibytes);
  });

async function assertRoom(cache: KeyValueCache, mebibytes: number): Promise<void> {
  const fits = await keepsTwoOf((mebibytes / 2 - 0.1) * 1024 * 1024, cache);
  const isTooMuch = !(await keepsTwoOf((mebibytes / 2 + 0.1) * 1024 * 1024, cache));
  assert.deepEqual({ fits, isTooMuch }, { fits: true, isTooMuch: true });
}

async function keepsTwoOf(characters: number, cache: KeyValueCache): Promise<boolean> {
  await cache.set('one', 'x'.repeat(characters));
  await cache.set('two', 'y'.repeat(characters));
  const oldest = await cache.get('one');
  return oldest !== undefined;
}
