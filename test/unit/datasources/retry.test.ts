import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { RetryOptions } from '../../../src/datasources/retry.ts';
import { API, startAPI } from '../../support/datasources/api.ts';
import type { Reply } from '../../support/datasources/origin.ts';

const quick = { limit: 2, delay: 1 };
const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();

describe('retry', () => {
  for (const [what, failure, retry, method, sent, expected] of [
    ['sends a GET again after a 503', { status: 503 }, quick, 'read', 3, 'fine'],
    ['sends a GET again after a 429', { status: 429, headers: { 'retry-after': '0' } }, quick, 'read', 3, 'fine'],
    ['sends a GET again after a dropped connection', 'hang up', quick, 'read', 3, 'fine'],
    ['is off by default', { status: 503 }, undefined, 'read', 1, /503/],
    ['stops at its limit with the last response', { status: 503 }, { limit: 1, delay: 1 }, 'read', 2, /503/],
    ['stops at its limit with the last failure', 'hang up', { limit: 1, delay: 1 }, 'read', 2, /NetworkError/],
    ['can be a number', { status: 503, headers: { 'retry-after': '0' } }, 1, 'read', 2, /503/],
    ['never sends a write again', { status: 503 }, quick, 'create', 1, /503/],
    ['does not follow a 404', { status: 404 }, quick, 'read', 1, /404/],
    ['does not follow a Retry-After that is too long', { status: 429, headers: { 'retry-after': '3600' } }, quick, 'read', 1, /429/],
    ['does not follow a Retry-After that is too late', { status: 429, headers: { 'retry-after': inAnHour } }, quick, 'read', 1, /429/],
  ] as [string, Reply, RetryOptions | number | undefined, 'read' | 'create', number, string | RegExp][])
    it(what, async (t) => {
      const { begin, calls } = await startAPI(t, (_call, before) => (before < 2 ? failure : { body: 'fine' }));
      const call = begin()[method]('x', undefined, { retry });

      if (expected instanceof RegExp) await assert.rejects(call, expected);
      else assert.equal(await call, expected);
      assert.equal(calls.length, sent);
    });

  it('can be set for the class and for the call', async (t) => {
    const { begin, calls } = await startAPI(t, () => ({ status: 503, headers: { 'retry-after': '0' } }));
    const api = begin();
    api.retry = 1;

    await assert.rejects(api.read('x'));
    assert.equal(calls.length, 2);
    await assert.rejects(api.read('x', undefined, { retry: 0 }));
    assert.equal(calls.length, 3);
  });

  it('stops waiting when the caller aborts', async (t) => {
    const controller = new AbortController();
    const { begin, calls } = await startAPI(t, () => {
      setImmediate(() => controller.abort(new Error('enough')));
      return { status: 503 };
    });

    await assert.rejects(begin().read('x', undefined, { retry: { delay: 60_000, maxDelay: 90_000 }, signal: controller.signal }), /enough/);
    assert.equal(calls.length, 1);
  });
});

describe('retry.attemptTimeout', () => {
  const retry = { limit: 1, delay: 0, attemptTimeout: 50 };

  it('aborts an attempt that hangs, and starts the next one', async () => {
    let before = 0;
    // A local API could be slower than the attempt's timeout on a busy machine.
    const httpFetch = ({ signal }: Request): Promise<Response> =>
      before++ === 0
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve(Response.json('second'));

    assert.equal(await new API('http://a.test', { httpFetch }).read('x', {}, { retry }), 'second');
  });

  it('is the error when the last attempt hangs, and applies to a write, which is sent once', async () => {
    let sent = 0;
    const httpFetch = (): Promise<Response> => (sent++, new Promise(() => {}));

    await assert.rejects(new API('http://a.test', { httpFetch }).create('x', {}, { retry: { limit: 3, attemptTimeout: 20 } }), {
      name: 'TimeoutError',
      message: 'POST got no answer within 20 ms',
    });
    assert.equal(sent, 1);
  });

  it('ends an attempt whose httpFetch ignores its signal, and drops its late response', async () => {
    const late = new Response(new ReadableStream());
    let answerLate: (() => void) | undefined;
    const httpFetch = (): Promise<Response> => {
      if (answerLate !== undefined) return Promise.resolve(Response.json('second'));
      return new Promise((resolve) => {
        answerLate = () => resolve(late);
      });
    };

    assert.equal(await new API('http://a.test', { httpFetch }).read('x', {}, { retry }), 'second');
    answerLate?.();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await late.body!.getReader().read()).done, true);
  });
});
