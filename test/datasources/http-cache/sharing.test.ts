import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { deferred } from '../../support/deferred.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import type { Call, Origin, Reply } from '../origin.ts';
import { OpenStore } from './open-store.ts';

/** Starts a slow origin. `crowd` returns the largest number of concurrent requests since its last call: they did not wait for each other. */
async function startPilingOrigin(
  t: TestContext,
  reply: (call: Call, before: number) => Reply,
): Promise<{ origin: Origin; crowd: () => number }> {
  let [inside, most] = [0, 0];
  const origin = await startOrigin(t, async (call, before) => {
    most = Math.max(most, ++inside);
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    inside--;
    return reply(call, before);
  });
  const crowd = (): number => {
    const count = most;
    most = 0;
    return count;
  };
  return { origin, crowd };
}

const together = (operations: Operations, path = 'x', count = 5): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, () => operations.begin().read(path)));

describe('cacheable responses', () => {
  it('are shared by concurrent callers at every request', async (t) => {
    const { origin } = await startPilingOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60', vary: 'accept-language' } }));
    const operations = new Operations(origin.url);
    const counts = [];

    for (let round = 0; round < 4; round++) {
      await together(operations);
      counts.push(origin.calls.length);
      operations.clock.turn(61_000);
    }

    assert.deepEqual(counts, [1, 2, 3, 4]);
  });
});

describe('responses that cannot be stored', () => {
  for (const [what, reply] of [
    ['no-store', { headers: { 'cache-control': 'no-store' } }],
    ['no word on freshness', {}],
    ['private, without a user', { headers: { 'cache-control': 'private, max-age=60' } }],
    ['a failure', { status: 404 }],
    ['no-cache, stored for revalidation', { headers: { 'cache-control': 'no-cache', etag: '"v"' } }],
    ['Vary: *', { headers: { 'cache-control': 'max-age=60', vary: '*' } }],
    ['a Vary that makes each call another one', { headers: { 'cache-control': 'max-age=60', vary: 'traceparent' } }],
  ] as const) {
    it(`make other callers wait once per key (${what})`, async (t) => {
      const { origin, crowd } = await startPilingOrigin(t, () => reply);
      const operations = new Operations(origin.url, new OpenStore());
      let nth = 0;
      const asked = async (): Promise<void> => {
        const calls = Array.from({ length: 5 }, () => operations.begin({ headers: { traceparent: `${nth++}` } }).read('x'));
        await Promise.allSettled(calls);
      };

      await asked();
      crowd();
      await asked();

      assert.equal(crowd(), 5);
    });
  }

  it('of an API without cacheable responses make no caller wait for a new key', async (t) => {
    const { origin, crowd } = await startPilingOrigin(t, () => ({ body: 'fine' }));
    const operations = new Operations(origin.url);
    for (const path of ['a', 'b', 'c']) await operations.begin().read(path);
    crowd();

    await together(operations, 'new');

    assert.equal(crowd(), 5);
  });

  it('make no other caller wait after the first of them', async (t) => {
    const { origin, crowd } = await startPilingOrigin(t, () => ({ headers: { 'cache-control': 'no-store' } }));
    const operations = new Operations(origin.url);
    await operations.begin().read('x');
    crowd();

    await together(operations);

    assert.equal(crowd(), 5);
  });

  it('of one path do not affect waiting for another', async (t) => {
    const { origin } = await startPilingOrigin(t, ({ url }) => ({
      headers: { 'cache-control': url.startsWith('/a') ? 'no-store' : 'max-age=60' },
    }));
    const operations = new Operations(origin.url);
    for (const path of ['a1', 'a2']) await operations.begin().read(path);
    const before = origin.calls.length;

    await together(operations, 'b');

    assert.equal(origin.calls.length, before + 1);
  });

  it('have that effect until a response can be stored again', async (t) => {
    let control = 'no-store';
    const { origin } = await startPilingOrigin(t, () => ({ headers: { 'cache-control': control } }));
    const operations = new Operations(origin.url, new OpenStore());
    await together(operations);
    control = 'max-age=60';
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    const before = origin.calls.length;

    await together(operations);

    assert.equal(origin.calls.length, before + 1);
  });

  it('remove the stored entry', async (t) => {
    const origin = await startOrigin(t, (_call, before) => ({
      headers: { 'cache-control': before === 0 ? 'max-age=60, stale-if-error=600' : 'no-store' },
      body: before,
    }));
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    await operations.begin().read('x');

    assert.equal(store.entries.size, 0);
    assert.equal(await operations.begin().read('x', undefined, { cache: 'force-cache' }), 2);
  });

  it('except error responses that say nothing about the resource', async (t) => {
    const origin = await startOrigin(t, (_call, before) =>
      before === 0 ? { headers: { 'cache-control': 'max-age=60, stale-if-error=600' } } : { status: 429 },
    );
    const store = new OpenStore();
    const operations = new Operations(origin.url, store);
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    await assert.rejects(operations.begin().read('x'), /429/);

    assert.equal(store.entries.size, 1);
  });
});

describe('a failed background revalidation', () => {
  for (const [what, reply] of [
    ['a 503', { status: 503 }],
    ['no answer', 'hang up'],
  ] as const) {
    it(`is retried after increasing delays (${what})`, async (t) => {
      const origin = await startOrigin(t, (_call, before) =>
        before === 0 ? { headers: { 'cache-control': 'max-age=1, stale-while-revalidate=3600' }, body: 'old' } : reply,
      );
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      const asksAfter = async (seconds: number): Promise<number> => {
        operations.clock.turn(seconds * 1000);
        const before = origin.calls.length;
        const pending: Promise<unknown>[] = [];
        const operation = { signal: new AbortController().signal, waitUntil: (work: Promise<unknown>) => void pending.push(work) };
        assert.equal(await operations.begin({ operation }).read('x'), 'old');
        await Promise.all(pending);
        return origin.calls.length - before;
      };

      const asks = [];
      for (const seconds of [2, 0, 0.9, 0.2, 1, 1.1, 3.9, 0.2]) asks.push(await asksAfter(seconds));

      assert.deepEqual(asks, [1, 0, 0, 1, 0, 1, 0, 1]);
    });
  }

  it('is no longer delayed after one has succeeded', async (t) => {
    let down = false;
    const origin = await startOrigin(t, (_call, before) =>
      down ? { status: 503 } : { headers: { 'cache-control': 'max-age=1, stale-while-revalidate=3600' }, body: before },
    );
    const operations = new Operations(origin.url, new OpenStore());
    const ask = async (): Promise<unknown> => {
      operations.clock.turn(2000);
      const pending: Promise<unknown>[] = [];
      const operation = { signal: new AbortController().signal, waitUntil: (work: Promise<unknown>) => void pending.push(work) };
      const answer = await operations.begin({ operation }).read('x');
      await Promise.all(pending);
      return answer;
    };
    await ask();
    down = true;
    await ask();
    down = false;

    assert.deepEqual([await ask(), await ask(), await ask()], [0, 2, 3]);
  });
});

describe('stale-if-error', () => {
  const control = { 'cache-control': 'max-age=60, stale-if-error=600' };

  it('replaces a response that does not arrive in time', async (t) => {
    const never = deferred();
    t.after(() => never.resolve());
    const origin = await startOrigin(t, async (_call, before) => {
      if (before > 0) await never.promise;
      return { headers: control, body: 'old' };
    });
    const operations = new Operations(origin.url, new OpenStore());
    await operations.begin().read('x');
    operations.clock.turn(61_000);
    const api = operations.begin();

    assert.equal(await api.read('x', undefined, { timeout: 20 }), 'old');
    assert.equal(api.lastOutcome, 'stale');
    operations.clock.turn(601_000);
    await assert.rejects(operations.begin().read('x', undefined, { timeout: 20 }), /got no answer within 20 ms/);
  });

  for (const [what, headers] of [
    ['that may be stored', control],
    ['that may not be stored', { 'cache-control': 'no-store' }],
  ] as const) {
    it(`replaces a response ${what} whose body is cut off`, async (t) => {
      const origin = await startOrigin(t, () => ({ headers: control, body: 'old' }));
      const operations = new Operations(origin.url, new OpenStore());
      await operations.begin().read('x');
      operations.clock.turn(61_000);
      origin.close();
      const httpFetch = async (): Promise<Response> =>
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('{"half'));
              controller.error(new TypeError('terminated'));
            },
          }),
          { headers },
        );
      const cut = new API(origin.url, { httpFetch, now: operations.clock.now });
      cut.cacheIdentity = '';
      void cut.initialize({ context: {}, cache: operations.cache });

      assert.equal(await cut.read('x'), 'old');
      assert.equal(cut.lastOutcome, 'stale');
    });
  }
});

describe('a request with Cache-Control: no-cache', () => {
  it('does not wait for a response that is already on its way', async (t) => {
    const { origin, crowd } = await startPilingOrigin(t, () => ({ headers: { 'cache-control': 'max-age=60' } }));
    const operations = new Operations(origin.url, new OpenStore());
    const headers = { 'cache-control': 'no-cache' };

    await Promise.all([operations.begin().read('x'), operations.begin().read('x', undefined, { headers })]);

    assert.equal(crowd(), 2);
  });
});
