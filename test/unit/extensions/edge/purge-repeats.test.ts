import assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { createHandler } from '../../../../src/entries/aws-lambda.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import { deferred } from '../../../support/deferred.ts';
import { advancing, refusedFor, refusing, shop, stopTimers, typeDefs } from '../../../support/edge/purge-shop.ts';
import { get, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';

describe('a purge', () => {
  stopTimers();

  test('is repeated after three seconds, for answers that another process has stored in the meantime', async () => {
    const { post, purges } = shop();
    await post({ query: 'mutation { rename(id: 1) { id } }' });

    mock.timers.tick(2_999);
    await new Promise(setImmediate);
    const before = purges.length;
    mock.timers.tick(1);
    await new Promise(setImmediate);

    assert.equal(before, 1);
    assert.deepEqual(purges[1], purges[0]);
  });

  test('by hand is repeated while the next call to end keeps the process alive', async () => {
    const waiting: Promise<unknown>[] = [];
    const { edge, send, purges } = shop();
    await edge.purge({ tags: ['d:v1'] });

    await send(new Request('https://api.example/?query={book(id:1){id}}'), { waitUntil: (work) => void waiting.push(work) });
    await advancing(Promise.all(waiting));

    assert.equal(waiting.length, 1);
    assert.deepEqual(purges, [['d:v1'], ['d:v1']]);
  });
});

describe('a mutation whose purge the CDN refuses', () => {
  stopTimers();
  const rename = { query: 'mutation { rename(id: 1) { id } }' };

  let time = 0;
  beforeEach((t) => (t as TestContext).mock.method(performance, 'now', () => time));

  /** Lets time pass second by second. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      time += 1_000;
      mock.timers.tick(1_000);
      await new Promise(setImmediate);
    }
  }

  test('is sent again after three seconds, and then after the time that the CDN says, until it is accepted', async () => {
    const start = time;
    const sent: number[] = [];
    const purge = async (): Promise<void> => {
      sent.push((time - start) / 1_000);
      if (sent.length < 4) throw refusedFor(5);
    };
    const { post: send, log } = shop({ purge });

    await send(rename);
    await pass(60);

    assert.deepEqual(sent, [0, 3, 8, 13]);
    assert.deepEqual(log, []);
  });

  test('is logged with its tags after half a minute', async () => {
    const { purge, sent } = refusing(...Array.from({ length: 99 }, () => refusedFor(5)));
    const { post: send, log } = shop({ purge });

    await send(rename);
    await pass(60);

    assert.deepEqual([sent.length, log.length, log[0]!.level], [6, 1, 'error']);
    assert.match(log[0]!.message, /^A purge was refused\. .*: e:Book:1, u:Book/);
  });

  test('by hand is an error, is sent again, and is logged where the last request logs', async () => {
    const { purge, sent } = refusing(...Array.from({ length: 99 }, () => refusedFor(15)));
    const { edge: extension, get, log } = shop({ purge });
    await get('{ book(id: 1) { id } }');

    await assert.rejects(extension.purge({ tags: ['a'] }), { message: '429' });
    await pass(30);

    assert.deepEqual(sent, [['a'], ['a'], ['a']]);
    assert.match(log[0]!.message, /: a$/);
  });
});

describe('on Lambda, where the process is frozen after its answer', () => {
  stopTimers();

  function lambdaShop(purge: EdgeOptions['purge']): { send: (request: PlainRequest) => Promise<PlainResponse>; log: readonly LogLine[] } {
    const [logger, log] = recordingLogger();
    const handler = createHandler({
      logger,
      typeDefs: [cacheControlDefinitions, typeDefs.replaceAll('maxAge: 60', 'maxAge: 600')],
      resolvers: { Query: { book: () => ({ id: 1 }) }, Mutation: { rename: () => ({ id: 1 }) } } as never,
      plugins: [edge({ cdn: 'cloudfront', purge })],
    });
    return { send: async (request) => httpAPI.read(await handler(httpAPI.build(request) as never, {} as never)), log };
  }

  test('a mutation waits for its purge, and for no repeat', async () => {
    const purged = deferred<void>();
    const sent: (readonly string[])[] = [];
    const { send } = lambdaShop(async (tags) => (sent.push(tags), purged.promise));

    const answered = send(post({ query: 'mutation { rename(id: 1) { id } }' }));
    const first = await Promise.race([answered, new Promise<'waiting'>((resolve) => void setImmediate(() => resolve('waiting')))]);
    purged.resolve();
    await answered;

    assert.deepEqual([first, sent.length], ['waiting', 1]);
  });

  test('a refused purge is logged with its tags at once, and is sent again with the next mutation', async () => {
    const { purge, sent } = refusing(refusedFor(5), refusedFor(5));
    const { send, log } = lambdaShop(purge);

    await send(post({ query: 'mutation { rename(id: 1) { id } }' }));
    await send(get({ query: '{ book(id: 1) { id } }' }));
    const messages = log.filter(({ level }) => level === 'error').map(({ message }) => message);
    await send(post({ query: 'mutation { rename(id: 1) { title } }' }));

    assert.equal(messages.length, 1);
    assert.match(messages[0]!, /^A purge was refused\. .*: e:Book:1, u:Book/);
    assert.equal(sent.length, 2);
    assert.ok(sent[1]!.includes('e:Book:1') && sent[1]!.includes('t:Book'), sent[1]!.join());
  });

  for (const [purge, lifetime] of [
    [async () => undefined, 60],
    [undefined, 600],
  ] as const)
    test(`a public answer lives for ${lifetime} seconds ${purge === undefined ? 'without' : 'with'} purges, however long it took`, async (t) => {
      let time = 0;
      t.mock.method(performance, 'now', () => (time += 1_000));
      const { send } = lambdaShop(purge);

      const { headers } = await send(get({ query: '{ book(id: 1) { id } }' }));

      assert.equal(headers.get('cache-control'), `public, max-age=0, s-maxage=${lifetime}`);
    });
});
