import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ExplainedCall } from '../../../../src/tools/explain/index.ts';
import type { Reply } from '../../../support/datasources/origin.ts';
import { startExplaining } from '../../../support/explained.ts';

const body = { book: 'Emma' };

/** The layer that answered, and the reason. */
function told(calls: readonly ExplainedCall[]): string[] {
  return calls.map(({ cache, why }) => `${cache}: ${why}`);
}

describe('a miss says whether the response was stored', () => {
  const cases: readonly [does: string, reply: Reply, why: string, ttl?: number][] = [
    [
      'is stored as the origin says',
      { headers: { 'cache-control': 'max-age=60' }, body },
      'Stored for 60 s: the origin sent "max-age=60".',
    ],
    ['is not stored: no-store', { headers: { 'cache-control': 'no-store' }, body }, 'Not stored: the origin sent no-store.'],
    [
      'is not stored: the origin set no lifetime',
      { body },
      'Not stored: the origin set no lifetime (Cache-Control); set one with cacheOptionsFor.',
    ],
    ['is not stored: Vary: *', { headers: { 'cache-control': 'max-age=60', vary: '*' }, body }, 'Not stored: the origin sent Vary: *.'],
    [
      'is not stored: private, and nothing identifies the user',
      { headers: { 'cache-control': 'private, max-age=60' }, body },
      'Not stored: the origin sent private, and nothing in the request identifies the user (credentials, cacheIdentity).',
    ],
    [
      'is stored by a ttl',
      { headers: { 'cache-control': 'max-age=1' }, body },
      'Stored for 30 s: a ttl of 30 s replaces the lifetime from the origin.',
      30,
    ],
    ['is not stored: a ttl of 0', { headers: { 'cache-control': 'max-age=60' }, body }, 'Not stored: a ttl of 0 s was set.', 0],
    [
      'is not stored: a ttl for an error',
      { status: 404, headers: { 'cache-control': 'max-age=60' }, body },
      'Not stored: a ttl applies only to successful responses, and the status is 404.',
      30,
    ],
    ['is not stored: an error', { status: 500, body }, 'Not stored: the status is 500.'],
    [
      'is stored for revalidation',
      { headers: { 'cache-control': 'no-cache', etag: '"1"' }, body },
      'Stored for revalidation only: the origin sent "no-cache".',
    ],
    [
      'is not stored: stale on arrival',
      { headers: { 'cache-control': 'max-age=0' }, body },
      'Not stored: the origin sent "max-age=0", and it cannot be revalidated without ETag or Last-Modified.',
    ],
    [
      'is not stored: no lifetime, whatever the other directives are',
      { headers: { 'cache-control': 'public' }, body },
      'Not stored: the origin set no lifetime (Cache-Control); set one with cacheOptionsFor.',
    ],
    ['is not stored: a status that requires a lifetime', { status: 500, body }, 'Not stored: the status is 500.'],
  ];
  for (const [does, reply, why, ttl] of cases) {
    test(`the response ${does}`, async (t) => {
      const server = await startExplaining(t, () => reply);

      const calls = await server.explainCalls(async (api) => {
        api.ttl = ttl;
        await api.read('book').catch(() => {});
      });

      deepEqual(told(calls), [`miss: No response was stored. ${why}`]);
    });
  }
});

test('a stored response has its age, its remaining lifetime, and what set it', async (t) => {
  const server = await startExplaining(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body }));
  await server.explainCalls((api) => api.read('book'));
  server.clock.turn(20_000);

  const [call] = await server.explainCalls((api) => api.read('book'));

  equal(call?.why, 'Stored 20 s ago, fresh for 40 s more: the origin sent "max-age=60".');
  deepEqual([call?.cache, call?.status, call?.tries], ['fresh', 200, 0]);
});

test('a response that is fresh by a ttl says so', async (t) => {
  const server = await startExplaining(t, () => ({ body }));
  const read = (api: any): unknown => ((api.ttl = 30), api.read('book'));
  await server.explainCalls(read);

  deepEqual(told(await server.explainCalls(read)), ['fresh: Stored 0 s ago, fresh for 30 s more: a ttl of 30 s was set.']);
});

test('a revalidated response says since when it was stale', async (t) => {
  const server = await startExplaining(t, ({ headers }) =>
    headers['if-none-match'] === undefined
      ? { headers: { 'cache-control': 'max-age=60', etag: '"1"' }, body }
      : { status: 304, headers: { 'cache-control': 'max-age=60', etag: '"1"' } },
  );
  await server.explainCalls((api) => api.read('book'));
  server.clock.turn(75_000);

  const [call] = await server.explainCalls((api) => api.read('book'));

  equal(call?.cache, 'revalidated');
  equal(call?.why, 'Stored, but stale for 15 s; the origin answered 304 Not Modified. Stored for 60 s: the origin sent "max-age=60".');
  deepEqual([call?.status, call?.tries], [200, 1]);
});

describe('a stale response says why it was used', () => {
  test('stale-while-revalidate, whose refresh does not count as a try of this call', async (t) => {
    const server = await startExplaining(t, () => ({ headers: { 'cache-control': 'max-age=60, stale-while-revalidate=60' }, body }));
    await server.explainCalls((api) => api.read('book'));
    server.clock.turn(75_000);

    const [call] = await server.explainCalls((api) => api.read('book'));

    match(`${call?.cache}: ${call?.why}`, /^stale: No longer fresh, but the origin allows stale-while-revalidate/);
    equal(call?.tries, 0);
  });

  test('stale-if-error', async (t) => {
    const server = await startExplaining(t, (_, before) =>
      before === 0 ? { headers: { 'cache-control': 'max-age=60, stale-if-error=60' }, body } : { status: 503 },
    );
    await server.explainCalls((api) => api.read('book'));
    server.clock.turn(75_000);

    const calls = await server.explainCalls((api) => api.read('book'));

    deepEqual(told(calls), ['stale: The origin answered with status 503, but the stored response allows stale-if-error.']);
    equal(calls[0]?.status, 200);
  });

  test("cache: 'force-cache'", async (t) => {
    const server = await startExplaining(t, () => ({ headers: { 'cache-control': 'max-age=60', etag: '"1"' }, body }));
    await server.explainCalls((api) => api.read('book'));
    server.clock.turn(75_000);

    deepEqual(told(await server.explainCalls((api) => api.read('book', undefined, { cache: 'force-cache' }))), [
      "stale: No longer fresh, but requested with cache: 'force-cache'.",
    ]);
  });
});

test('the second call of an operation is answered by the memo', async (t) => {
  const server = await startExplaining(t, () => ({ status: 201, body }));

  const calls = await server.explainCalls(async (api) => {
    await api.read('book');
    await api.read('book');
  });

  deepEqual(told(calls.slice(1)), ['memo: This data source had already sent this request in this operation.']);
  equal(calls[1]?.tries, 0);
});

describe('a call that bypasses the cache says why', () => {
  test('writes are never stored', async (t) => {
    const server = await startExplaining(t, () => ({ body }));

    const calls = await server.explainCalls(async (api) => {
      await api.create('books', {});
      await api.remove('books/1');
    });

    deepEqual(told(calls), ['bypass: A POST is never stored.', 'bypass: A DELETE is never stored.']);
  });

  test("cache: 'no-store', and conditional headers from the caller", async (t) => {
    const server = await startExplaining(t, () => ({ body }));

    const calls = await server.explainCalls(async (api) => {
      await api.read('a', undefined, { cache: 'no-store' });
      await api.read('b', undefined, { headers: { range: 'bytes=0-9' } });
      await api.read('c', undefined, { headers: { 'cache-control': 'no-store' } });
    });

    deepEqual(told(calls), [
      "bypass: Requested with cache: 'no-store'.",
      'bypass: The request has a conditional header: range.',
      'bypass: The request has Cache-Control: no-store.',
    ]);
  });
});

describe('a call that was sent although a response was stored says why', () => {
  test('the call requested it', async (t) => {
    const server = await startExplaining(t, () => ({ headers: { 'cache-control': 'max-age=60' }, body }));
    await server.explainCalls((api) => api.read('book'));

    deepEqual(told(await server.explainCalls((api) => api.read('book', undefined, { cache: 'reload' }))), [
      `miss: Requested with cache: 'reload'. Stored for 60 s: the origin sent "max-age=60".`,
    ]);
  });

  test('the stored response is for others', async (t) => {
    const server = await startExplaining(t, () => ({ body }));
    const readAs = (user: string) => (api: any) => ((api.ttl = 30), api.read('book', undefined, { headers: { 'x-user': user } }));
    await server.explainCalls(readAs('ann'));

    const [call] = await server.explainCalls(readAs('bob'));

    match(call?.why ?? '', /^A response is stored, but for a request with different headers\. Stored for 30 s/);
    equal(JSON.stringify(call).includes('bob'), false);
  });
});

describe('a call that fails', () => {
  test('at the origin has no status', async (t) => {
    const server = await startExplaining(t, () => 'hang up');

    const [call] = await server.explainCalls((api) => api.read('book').catch(() => {}));

    deepEqual([call?.cache, call?.status, call?.tries], ['miss', undefined, 1]);
    equal(call?.why, 'No response was stored. There is no response to store.');
    match(call?.error ?? '', /^GET got no answer/);
  });

  test('before it is sent has no layer', async (t) => {
    const server = await startExplaining(t, () => ({ body }));

    const [call] = await server.explainCalls((api) => api.read('../../etc/passwd', undefined, {}).catch(() => {}));

    deepEqual([call?.cache, call?.why, call?.tries], ['none', 'It failed before it could be sent.', 0]);
  });
});

test('a URL is shown without possible secrets', async (t) => {
  const server = await startExplaining(t, () => ({ body }));

  const [call] = await server.explainCalls((api) =>
    api.read('books', { api_key: 'hunter2', access_token: 'hunter2', page: '2' }, { headers: { authorization: 'hunter2' } }),
  );

  equal(call?.url, `${server.origin.url}/books?api_key=***&access_token=***&page=2`);
  equal(JSON.stringify(call).includes('hunter2'), false);
});
