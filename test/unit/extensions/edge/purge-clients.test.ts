import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cloudflarePurge, cloudFrontPurge, edge, fastlyPurge, netlifyPurge, vercelPurge } from '../../../../src/entries/edge.ts';
import type { InvalidationInput, PurgeClient, PurgePlatform } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { deferred } from '../../../support/deferred.ts';
import { Purger } from '../../../../src/extensions/edge/purge.ts';

/** Sends tags in batches, as edge does. Rejects with the refusal. */
async function send(client: PurgeClient, tags: readonly string[], platform?: PurgePlatform): Promise<void> {
  const refusal = await new Purger(client).purge(tags, platform);
  if (refusal !== undefined) throw Object.assign(refusal.error, { retryAfter: refusal.retryAfter });
}

const tagsOf = (count: number, length = 8): string[] => Array.from({ length: count }, (_, at) => `e:T:${at}`.padEnd(length, 'x'));
const answer = (status: number, headers: Record<string, string> = {}): Response => new Response('{}', { status, headers });

test('each client sends as many tags at a time as its CDN accepts', async () => {
  const sizes: number[] = [];
  const accept = async ({ tags }: { tags: readonly string[] }): Promise<void> => void sizes.push(tags.length);
  const clients: readonly (readonly [client: PurgeClient, sizes: readonly number[]])[] = [
    [netlifyPurge(accept), [100, 100, 50]],
    [cloudflarePurge(), [100, 100, 50]],
    [vercelPurge(async (tags) => sizes.push(tags.length)), [30, 30, 30, 30, 30, 30, 30, 30, 10]],
  ];
  for (const [client, expected] of clients) {
    sizes.length = 0;
    await send(client, tagsOf(250, 256), { context: { cache: { purge: accept } }, env: {} });
    assert.deepEqual(sizes, expected);
  }
});

describe('purging the Workers Cache', () => {
  test('is refused until the free plan allows the next purge, after 12 seconds', async () => {
    const purge = async (): Promise<object> => ({ success: false });

    const expected = { message: 'Cloudflare has refused a purge.', retryAfter: 12 };
    await assert.rejects(send(cloudflarePurge(), ['a'], { context: { cache: { purge } }, env: {} }), expected);
  });

  test("uses the context of the mutation's call", async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { promise: asked, resolve: ask } = deferred<string[]>();
    const handler = createHandler({
      typeDefs: 'type Query { book: Book } type Book { id: ID! } type Mutation { rename: Book }',
      rootValue: { rename: { id: 7 } },
      plugins: [edge({ cdn: 'cloudflare', purge: cloudflarePurge() })],
    });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"mutation { rename { id } }"}' };
    const cache = { purge: async ({ tags }: { tags: string[] }): Promise<void> => ask(tags) };

    await handler.fetch(new Request('https://api.example/', init), {}, { cache, waitUntil: () => undefined });

    assert.deepEqual(await asked, ['e:Book:7', 'u:Book', 'l:Book']);
  });

  test('rejects with the name of a missing setting', async () => {
    const message = /set "cache": \{ "enabled": true \}/;
    await assert.rejects(send(cloudflarePurge(), ['a'], { context: {}, env: {} }), { message });
  });
});

test('CloudFront gets tags as paths that begin with #, with a new reference for each call', async () => {
  const inputs: InvalidationInput[] = [];

  await send(cloudFrontPurge({ distributionId: 'E1', send: async (input) => inputs.push(input) }), tagsOf(1_001));

  const sizes = inputs.map(({ InvalidationBatch: { Paths } }) => `${Paths.Quantity} ${Paths.Items.length}`);
  assert.deepEqual(sizes, ['1000 1000', '1 1']);
  assert.equal(new Set(inputs.map(({ InvalidationBatch }) => InvalidationBatch.CallerReference)).size, 2);
  assert.ok(inputs.every(({ InvalidationBatch }) => InvalidationBatch.Paths.Items.every((item) => /^#[!-+\-.-~]{1,256}$/.test(item))));
});

describe('purging Fastly', () => {
  test('sends at most 256 keys, with the token, and a soft purge by option', async (t) => {
    const asked: string[] = [];
    t.mock.method(globalThis, 'fetch', async (url: string, { method, body, headers }: any): Promise<Response> => {
      asked.push(`${method} ${url} ${JSON.parse(body).surrogate_keys.length} ${headers['fastly-key']} ${headers['fastly-soft-purge']}`);
      return answer(200);
    });

    await send(fastlyPurge({ serviceId: 'S1', token: 't', soft: true }), tagsOf(300));

    const url = 'https://api.fastly.com/service/S1/purge';
    assert.deepEqual(asked, [`POST ${url} 256 t 1`, `POST ${url} 44 t 1`]);
  });

  for (const [retryAfter, seconds] of [
    ['9', 9],
    ['Mon, 23 Nov 2026 08:00:20 GMT', 20],
    ['0', 1],
    [undefined, 3],
  ] as const)
    test(`is refused by a 429, for as long as its Retry-After says: ${retryAfter}`, async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 23, 8, 0, 0) });
      t.mock.method(globalThis, 'fetch', async () => answer(429, retryAfter === undefined ? {} : { 'retry-after': retryAfter }));

      const expected = { message: 'Fastly answered a purge with 429.', retryAfter: seconds };
      await assert.rejects(send(fastlyPurge({ serviceId: 'S1', token: 't' }), ['a']), expected);
    });
});
