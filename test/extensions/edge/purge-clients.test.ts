import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { cloudflarePurge, cloudFrontPurge, edge, fastlyPurge, netlifyPurge, varnishPurge, vercelPurge } from '../../../src/entries/edge.ts';
import type { InvalidationInput, PurgeClient, PurgePlatform } from '../../../src/entries/edge.ts';
import { createHandler } from '../../../src/entries/fetch.ts';
import { deferred } from '../../support/deferred.ts';
import { Purger } from '../../../src/extensions/edge/purge/purger.ts';

/** A clock that advances when code sleeps. */
class SleptTime {
  seconds = 0;
  readonly sleep = async (time: number): Promise<void> => {
    const until = this.seconds + time;
    await new Promise(setImmediate);
    this.seconds = Math.max(this.seconds, until);
  };
  readonly now = (): number => this.seconds * 1_000;
}

interface Purging {
  readonly purge: (tags: readonly string[], platform?: PurgePlatform) => Promise<void>;
}

/** Creates a purger for calls that last for a minute. `purge` rejects if tags are left. */
function purgerOf(client: PurgeClient, { now, sleep }: SleptTime): Purging {
  const purger = new Purger({ ...client, sleep, now });
  return {
    async purge(tags, platform) {
      const unpurged = await purger.purge(tags, { platform, until: now() + 65_000 });
      if (unpurged !== undefined) throw unpurged.error;
    },
  };
}

const tagsOf = (count: number, length = 8): string[] => Array.from({ length: count }, (_, at) => `e:T:${at}`.padEnd(length, 'x'));
const answer = (status: number, headers: Record<string, string> = {}): Response => new Response('{}', { status, headers });

describe('purging Netlify', () => {
  /** `purgeCache` as documented: rejects when a tag is purged more than twice in five seconds. */
  const netlify = (time: SleptTime): { purgeCache: (options: { tags: string[] }) => Promise<void>; done: [number, string][] } => {
    const done: [number, string][] = [];
    return {
      done,
      async purgeCache({ tags }) {
        for (const tag of tags)
          if (done.filter(([at, one]) => one === tag && at > time.seconds - 5).length >= 2) throw new Error('Status: 429');
        for (const tag of tags) done.push([time.seconds, tag]);
      },
    };
  };

  test('purges a tag at most twice in five seconds, however many mutations there are', async () => {
    const time = new SleptTime();
    const { purgeCache, done } = netlify(time);
    const purger = purgerOf(netlifyPurge(purgeCache), time);

    const mutate = (id: number): Promise<void> => purger.purge(['l:Product', `e:Product:${id}`]);
    await Promise.all([0, 1, 2, 3, 4].map(mutate));
    await Promise.all([5, 6, 7, 8, 9].map(mutate));

    assert.deepEqual(
      done.filter(([, tag]) => tag === 'l:Product').map(([at]) => at),
      [0, 3, 6],
    );
    assert.equal(done.filter(([, tag]) => tag !== 'l:Product').length, 10);
  });
});

describe('purging the Workers Cache', () => {
  test('calls the context of the call, 100 tags at a time', async () => {
    const asked: number[] = [];
    const context = {
      cache: { purge: async ({ tags }: { tags: string[] }) => (asked.push(tags.length), { success: tags.length <= 100 }) },
    };

    await purgerOf(cloudflarePurge(), new SleptTime()).purge(tagsOf(250), { context, env: {} });

    assert.deepEqual(asked, [100, 100, 50]);
  });

  test('retries when the free plan allows the next purge, after 12 seconds', async () => {
    const time = new SleptTime();
    let tokens = 0;
    const purge = async (): Promise<object> => ({ success: tokens++ > 2 });

    await purgerOf(cloudflarePurge(), time).purge(['a'], { context: { cache: { purge } }, env: {} });

    assert.deepEqual([tokens, time.seconds], [4, 36]);
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
    await assert.rejects(purgerOf(cloudflarePurge(), new SleptTime()).purge(['a'], { context: {}, env: {} }), {
      message: /set "cache": \{ "enabled": true \}/,
    });
  });
});

describe('purging CloudFront', () => {
  test('invalidates tags as paths that begin with #, with a new reference for each call', async () => {
    const inputs: InvalidationInput[] = [];
    const client = cloudFrontPurge({ distributionId: 'E1', send: async (input) => inputs.push(input) });

    await purgerOf(client, new SleptTime()).purge([...tagsOf(1_001)]);

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

  test('waits when too many invalidations are in progress', async () => {
    const time = new SleptTime();
    const send = async (): Promise<void> => {
      if (time.seconds < 3)
        throw Object.assign(new Error('Processing your request will cause you to exceed'), { name: 'TooManyInvalidationsInProgress' });
    };

    await purgerOf(cloudFrontPurge({ distributionId: 'E1', send }), time).purge(['a']);

    assert.equal(time.seconds, 3);
  });
});

describe('purging Vercel', () => {
  test('sends at most 8,196 characters of tags', async () => {
    const asked: string[][] = [];

    await purgerOf(
      vercelPurge(async (tags) => asked.push(tags)),
      new SleptTime(),
    ).purge(tagsOf(300, 200));

    assert.equal(asked.flat().length, 300);
    for (const tags of asked) assert.ok(tags.join(',').length <= 8_196 && tags.length <= 128);
  });
});

describe('purging Fastly', () => {
  test('sends at most 256 keys, with the token, and a soft purge by option', async () => {
    const asked: [string, any][] = [];
    const fetch = async (url: string, init: object): Promise<Response> => (asked.push([url, init]), answer(200));

    await purgerOf(fastlyPurge({ serviceId: 'S1', token: 't', soft: true, fetch }), new SleptTime()).purge(tagsOf(300));

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

  test('waits for the Retry-After of a 429, and finally rejects with the status', async () => {
    const time = new SleptTime();
    const fetch = async (): Promise<Response> => answer(429, { 'retry-after': '9' });

    await assert.rejects(purgerOf(fastlyPurge({ serviceId: 'S1', token: 't', fetch }), time).purge(['a']), {
      message: 'Fastly answered a purge with 429.',
    });
    assert.equal(time.seconds, 63);
  });

  test('waits until the date in the Retry-After of a 429', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 23, 8, 0, 0) });
    const time = new SleptTime();
    let calls = 0;
    const retryAfter = { 'retry-after': 'Mon, 23 Nov 2026 08:00:20 GMT' };
    const fetch = async (): Promise<Response> => (calls++ === 0 ? answer(429, retryAfter) : answer(200));

    await purgerOf(fastlyPurge({ serviceId: 'S1', token: 't', fetch }), time).purge(['a']);

    assert.deepEqual([calls, time.seconds], [2, 20]);
  });

  test('does not wait for more than a minute', async () => {
    const time = new SleptTime();
    let calls = 0;
    const fetch = async (): Promise<Response> => (calls++ === 0 ? answer(429, { 'retry-after': '86400' }) : answer(200));

    await purgerOf(fastlyPurge({ serviceId: 'S1', token: 't', fetch }), time).purge(['a']);

    assert.equal(time.seconds, 60);
  });
});

describe('purging Varnish', () => {
  test('sends requests to every server, in fields of at most 8 KiB', async () => {
    const asked: [string, string][] = [];
    const fetch = async (url: string, { headers }: { headers: Record<string, string> }): Promise<Response> => (
      asked.push([url, headers['xkey-purge']!]),
      answer(headers['xkey-purge']!.length > 8_192 ? 400 : 200)
    );
    const urls = ['http://a.internal/', 'http://b.internal/'];

    await purgerOf(varnishPurge({ urls, fetch }), new SleptTime()).purge(tagsOf(90, 250));

    for (const url of urls) assert.deepEqual(asked.filter(([one]) => one === url).flatMap(([, tags]) => tags.split(' ')), tagsOf(90, 250)); // prettier-ignore
  });

  test('fails when one server refuses it', async () => {
    const fetch = async (url: string): Promise<Response> => answer(url.includes('b') ? 503 : 200);

    await assert.rejects(purgerOf(varnishPurge({ urls: ['http://a/', 'http://b/'], fetch }), new SleptTime()).purge(['x']), {
      message: 'Varnish answered a purge with 503.',
    });
  });
});
