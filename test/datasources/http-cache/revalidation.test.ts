import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deferred } from '../../support/deferred.ts';
import { API, Operations } from '../api.ts';
import { startOrigin } from '../origin.ts';
import { OpenStore } from './open-store.ts';

describe('responses that cannot be stored', () => {
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
