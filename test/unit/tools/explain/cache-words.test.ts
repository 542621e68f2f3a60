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

const maxAge = (value: string, more: object = {}) => ({ headers: { 'cache-control': value, ...more }, body });
const minute = maxAge('max-age=60');

describe('a miss says whether the response was stored', () => {
  const noLifetime = 'Not stored: the origin set no lifetime (Cache-Control); set one with cacheOptionsFor.';
  const noUser = 'nothing in the request identifies the user (credentials, cacheIdentity)';
  const cases: readonly [reply: Reply, why: string, ttl?: number][] = [
    [maxAge('max-age=60'), 'Stored for 60 s: the origin sent "max-age=60".'],
    [maxAge('no-store'), 'Not stored: the origin sent no-store.'],
    [{ body }, noLifetime],
    [maxAge('public'), noLifetime],
    [maxAge('max-age=60', { vary: '*' }), 'Not stored: the origin sent Vary: *.'],
    [maxAge('private, max-age=60'), `Not stored: the origin sent private, and ${noUser}.`],
    [maxAge('max-age=1'), 'Stored for 30 s: a ttl of 30 s replaces the lifetime from the origin.', 30],
    [maxAge('max-age=60'), 'Not stored: a ttl of 0 s was set.', 0],
    [{ status: 404, ...minute }, 'Not stored: a ttl applies only to successful responses, and the status is 404.', 30],
    [{ status: 500, body }, 'Not stored: the status is 500.'],
    [maxAge('no-cache', { etag: '"1"' }), 'Stored for revalidation only: the origin sent "no-cache".'],
    [maxAge('max-age=0'), 'Not stored: the origin sent "max-age=0", and it cannot be revalidated without ETag or Last-Modified.'],
  ];
  for (const [reply, why, ttl] of cases) {
    test(`${JSON.stringify(reply)}${ttl === undefined ? '' : `, ttl ${ttl}`}: ${why}`, async (t) => {
      const server = await startExplaining(t, () => reply);

      const calls = await server.explainCalls(async (api) => {
        api.ttl = ttl;
        await api.read('book').catch(() => {});
      });

      deepEqual(told(calls), [`miss: No response was stored. ${why}`]);
    });
  }
});

describe('a call for which a response is stored says why it was used, or not', () => {
  const [isStored, sent] = [
    'Stored for 60 s: the origin sent "max-age=60".',
    'Stored, but stale for 15 s; the origin answered 304 Not Modified.',
  ];
  const tagged = maxAge('max-age=60', { etag: '"1"' });
  for (const [first, second, seconds, expected, tries, cache] of [
    [minute, minute, 20, 'fresh: Stored 20 s ago, fresh for 40 s more: the origin sent "max-age=60".', 0],
    [tagged, { ...tagged, status: 304 }, 75, `revalidated: ${sent} ${isStored}`, 1],
    // The refresh does not count as a try of this call.
    [
      maxAge('max-age=60, stale-while-revalidate=60'),
      minute,
      75,
      'stale: No longer fresh, but the origin allows stale-while-revalidate: a newer response is fetched in the background.',
      0,
    ],
    [
      maxAge('max-age=60, stale-if-error=60'),
      { status: 503 },
      75,
      'stale: The origin answered with status 503, but the stored response allows stale-if-error.',
      1,
    ],
    [tagged, minute, 75, "stale: No longer fresh, but requested with cache: 'force-cache'.", 0, 'force-cache'],
    [minute, minute, 0, `miss: Requested with cache: 'reload'. ${isStored}`, 1, 'reload'],
  ] as const satisfies readonly (readonly [Reply, Reply, number, string, number, string?])[])
    test(expected, async (t) => {
      const server = await startExplaining(t, (_call, before) => (before === 0 ? first : second));
      await server.explainCalls((api) => api.read('book'));
      server.clock.turn(seconds * 1000);

      const calls = await server.explainCalls((api) => api.read('book', undefined, cache && { cache }));

      deepEqual([...told(calls), calls[0]?.status, calls[0]?.tries], [expected, 200, tries]);
    });

  test('one that is for others', async (t) => {
    const server = await startExplaining(t, () => ({ body }));
    const readAs = (user: string) => (api: any) => ((api.ttl = 30), api.read('book', undefined, { headers: { 'x-user': user } }));
    await server.explainCalls(readAs('ann'));

    const [call] = await server.explainCalls(readAs('bob'));

    match(call?.why ?? '', /^A response is stored, but for a request with different headers\. Stored for 30 s/);
    equal(JSON.stringify(call).includes('bob'), false);
  });
});

test('a call that the memo answers, and one that bypasses the cache, say why', async (t) => {
  const server = await startExplaining(t, () => ({ body }));

  const calls = await server.explainCalls(async (api) => {
    await api.read('book');
    await api.read('book');
    await api.create('books', {});
    await api.read('a', undefined, { cache: 'no-store' });
    await api.read('b', undefined, { headers: { range: 'bytes=0-9' } });
    await api.read('c', undefined, { headers: { 'cache-control': 'no-store' } });
  });

  deepEqual(told(calls.slice(1)), [
    'memo: This data source had already sent this request in this operation.',
    'bypass: A POST is never stored.',
    "bypass: Requested with cache: 'no-store'.",
    'bypass: The request has a conditional header: range.',
    'bypass: The request has Cache-Control: no-store.',
  ]);
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
