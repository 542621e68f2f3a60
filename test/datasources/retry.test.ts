import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API } from './api.ts';
import { startOrigin } from './origin.ts';
import type { Reply } from './origin.ts';

const quick = { limit: 2, delay: 1 };

describe('retry', () => {
  for (const [kind, failure] of [
    ['a 503', { status: 503 }],
    ['a 429', { status: 429, headers: { 'retry-after': '0' } }],
    ['a dropped connection', 'hang up'],
  ] as [string, Reply][]) {
    it(`sends a GET again after ${kind}`, async (t) => {
      const origin = await startOrigin(t, (_call, before) => (before < 2 ? failure : { body: 'fine' }));

      assert.equal(await new API(origin.url).read('x', undefined, { retry: quick }), 'fine');
      assert.equal(origin.calls.length, 3);
    });
  }

  it('is off by default', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 503 }));

    await assert.rejects(new API(origin.url).read('x'), /503/);
    assert.equal(origin.calls.length, 1);
  });

  it('stops at its limit with the last response', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 503 }));

    await assert.rejects(new API(origin.url).read('x', undefined, { retry: quick }), /503/);
    assert.equal(origin.calls.length, 3);
  });

  it('stops at its limit with the last failure', async (t) => {
    const origin = await startOrigin(t, () => 'hang up');

    await assert.rejects(new API(origin.url).read('x', undefined, { retry: quick }), { name: 'NetworkError' });
    assert.equal(origin.calls.length, 3);
  });

  it('never sends a write again', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 503 }));

    await assert.rejects(new API(origin.url).create('x', {}, { retry: quick }), /503/);
    assert.equal(origin.calls.length, 1);
  });

  it('does not retry a 404', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 404 }));

    await assert.rejects(new API(origin.url).read('x', undefined, { retry: quick }), /404/);
    assert.equal(origin.calls.length, 1);
  });

  for (const retryAfter of ['3600', new Date(Date.now() + 3_600_000).toUTCString()]) {
    it(`does not retry a response whose Retry-After (${/^\d+$/.test(retryAfter) ? 'seconds' : 'a date'}) is too far away`, async (t) => {
      const origin = await startOrigin(t, () => ({ status: 429, headers: { 'retry-after': retryAfter } }));

      await assert.rejects(new API(origin.url).read('x', undefined, { retry: quick }), /429/);
      assert.equal(origin.calls.length, 1);
    });
  }

  it('can be a number, and be set for the class or the call', async (t) => {
    const origin = await startOrigin(t, () => ({ status: 503, headers: { 'retry-after': '0' } }));
    const api = new API(origin.url);
    api.retry = 1;

    await assert.rejects(api.read('x'));
    assert.equal(origin.calls.length, 2);
    await assert.rejects(api.read('x', undefined, { retry: 0 }));
    assert.equal(origin.calls.length, 3);
  });

  it('stops waiting when the caller aborts', async (t) => {
    const controller = new AbortController();
    const origin = await startOrigin(t, () => {
      setImmediate(() => controller.abort(new Error('enough')));
      return { status: 503 };
    });

    await assert.rejects(
      new API(origin.url).read('x', undefined, { retry: { delay: 60_000, maxDelay: 90_000 }, signal: controller.signal }),
      /enough/,
    );
    assert.equal(origin.calls.length, 1);
  });
});
