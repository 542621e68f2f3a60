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

describe('purging Netlify', () => {
  test('calls its function, 100 tags at a time', async () => {
    const asked: number[] = [];

    await send(
      netlifyPurge(async ({ tags }) => asked.push(tags.length)),
      tagsOf(250),
    );

    assert.deepEqual(asked, [100, 100, 50]);
  });
});

describe('purging the Workers Cache', () => {
  test('calls the context of the call, 100 tags at a time', async () => {
    const asked: number[] = [];
    const context = {
      cache: { purge: async ({ tags }: { tags: string[] }) => (asked.push(tags.length), { success: tags.length <= 100 }) },
    };

    await send(cloudflarePurge(), tagsOf(250), { context, env: {} });

    assert.deepEqual(asked, [100, 100, 50]);
  });

  test('is refused until the free plan allows the next purge, after 12 seconds', async () => {
    const purge = async (): Promise<object> => ({ success: false });

    await assert.rejects(send(cloudflarePurge(), ['a'], { context: { cache: { purge } }, env: {} }), {
      message: 'Cloudflare has refused a purge.',
      retryAfter: 12,
    });
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
    await assert.rejects(send(cloudflarePurge(), ['a'], { context: {}, env: {} }), {
      message: /set "cache": \{ "enabled": true \}/,
    });
  });
});

describe('purging CloudFront', () => {
  test('invalidates tags as paths that begin with #, with a new reference for each call', async () => {
    const inputs: InvalidationInput[] = [];
    const client = cloudFrontPurge({ distributionId: 'E1', send: async (input) => inputs.push(input) });

    await send(client, tagsOf(1_001));

    assert.deepEqual(
      inputs.map(({ InvalidationBatch: { Paths } }) => [Paths.Quantity, Paths.Items.length]),
      [
        [1_000, 1_000],
        [1, 1],
      ],
    );
    assert.equal(new Set(inputs.map(({ InvalidationBatch }) => InvalidationBatch.CallerReference)).size, 2);
    for (const { InvalidationBatch } of inputs)
      for (const item of InvalidationBatch.Paths.Items) assert.match(item, /^#[!-+\-.-~]{1,256}$/);
  });
});

describe('purging Vercel', () => {
  test('sends at most 8,196 characters of tags', async () => {
    const asked: string[][] = [];

    await send(
      vercelPurge(async (tags) => asked.push(tags)),
      tagsOf(300, 256),
    );

    assert.equal(asked.flat().length, 300);
    for (const tags of asked) assert.ok(tags.join(',').length <= 8_196);
  });
});

describe('purging Fastly', () => {
  test('sends at most 256 keys, with the token, and a soft purge by option', async (t) => {
    const asked: [string, any][] = [];
    t.mock.method(globalThis, 'fetch', async (url: string, init: object): Promise<Response> => (asked.push([url, init]), answer(200)));

    await send(fastlyPurge({ serviceId: 'S1', token: 't', soft: true }), tagsOf(300));

    assert.deepEqual(
      asked.map(([url, { method, body, headers }]) => [
        url,
        method,
        JSON.parse(body).surrogate_keys.length,
        headers['fastly-key'],
        headers['fastly-soft-purge'],
      ]),
      [
        ['https://api.fastly.com/service/S1/purge', 'POST', 256, 't', '1'],
        ['https://api.fastly.com/service/S1/purge', 'POST', 44, 't', '1'],
      ],
    );
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

      await assert.rejects(send(fastlyPurge({ serviceId: 'S1', token: 't' }), ['a']), {
        message: 'Fastly answered a purge with 429.',
        retryAfter: seconds,
      });
    });
});
