import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import type { EdgeOptions } from '../../../src/edge.ts';
import { incrementalDelivery } from '../../../src/incremental.ts';
import { purgeInBackground, PurgeLog, Purger } from '../../../src/extensions/edge/purge/purger.ts';
import { deferred } from '../../support/deferred.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { edgeServing } from './serving.ts';
import type { EdgeServing } from './serving.ts';

const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) books: [Book] @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String } type Pen { id: ID! }
  type Mutation { rename(id: ID!): Book remove(id: ID!): Boolean nameless: Book failing: Book strict: Pair! both(id: ID!): Pair } type Pair { book: Book pen: Pen }`;

const fail = (): never => {
  throw new Error('No.');
};

interface Shop extends EdgeServing {
  readonly purges: string[][];
}

function shop(options: Partial<EdgeOptions> = {}, resolvers: object = {}, server: object = {}): Shop {
  const purges: string[][] = [];
  const Mutation = {
    rename: (_: unknown, { id }: { id: string }) => ({ id, title: 'new' }),
    both: (_: unknown, { id }: { id: string }) => ({ book: { id }, pen: null }),
    remove: () => true,
    nameless: () => ({ title: 'new' }),
    failing: fail,
    strict: fail,
  };
  const Query = { book: (_: unknown, { id }: { id: string }) => ({ id, title: 'old' }), books: () => [{ id: '1' }] };
  const serving = edgeServing({
    purge: async (tags) => void purges.push([...tags]),
    purgeAgainAfter: 0,
    ...options,
    server: { typeDefs, resolvers: { Query, Mutation, ...resolvers }, ...server } as never,
  });
  return { ...serving, purges };
}

describe('what a mutation takes back', () => {
  const rows: readonly (readonly [name: string, query: string, tags: readonly string[] | undefined])[] = [
    [
      'the object it names, what may hold it unnamed, and lists it may be in',
      'mutation { rename(id: 1) { id } }',
      ['e:Book:1', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'the object it returns, also when nobody asks for its id',
      'mutation { rename(id: 1) { title } }',
      ['e:Book:1', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'all answers with the type, when the object has no id',
      'mutation { nameless { title } }',
      ['t:Book', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    ['nothing, when it names no object', 'mutation { remove(id: 1) }', undefined],
    [
      'what it did before a field failed, and all that this may have changed',
      'mutation { failing { id } rename(id: 2) { id } }',
      ['e:Book:2', 't:Book', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'all that it may have changed, when it shows nothing of it',
      'mutation { strict { book { id } } }',
      ['t:Book', 't:Pair', 'u:Pair', 'l:Pair', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'objects at any depth',
      'mutation { both(id: 3) { book { id } pen { id } } }',
      ['e:Book:3', 't:Pair', 'u:Pair', 'l:Pair', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
  ];
  for (const [name, query, tags] of rows)
    test(name, async () => {
      const { post, settled, purges } = shop();

      await post({ query });
      await settled();

      assert.deepEqual(
        purges.map((batch) => batch.toSorted()),
        tags === undefined ? [] : [tags.toSorted()],
      );
    });

  test('every tag of an answer that shows the object is met', async () => {
    const { get, post, settled, purges, decisions } = shop();
    await get('{ book(id: 1) { id title } }');
    await get('{ books { title } }');
    await get('{ books { id } }');
    await get('{ book(id: 1) { title } }');

    await post({ query: 'mutation { rename(id: 1) { id } }' });
    await settled();

    const [purged] = purges;
    assert.equal(decisions.filter((decision) => decision.public && decision.tags.some((tag) => purged?.includes(tag))).length, 4);
  });

  test('a query purges nothing', async () => {
    const { get, post, settled, purges } = shop();

    await get('{ books { id } }');
    await post({ query: '{ books { id } }' });
    await settled();

    assert.deepEqual(purges, []);
  });

  test('the answer does not wait for the store', async () => {
    const purged = deferred<void>();
    const { post, settled } = shop({ purge: () => purged.promise });

    const response = await post({ query: 'mutation { rename(id: 1) { id } }' });

    assert.deepEqual(await response.json(), { data: { rename: { id: '1' } } });
    // Without an end, it would be tried again for two minutes, and its timers would keep the process.
    purged.resolve();
    await settled();
  });

  test('a store that has refused every attempt is logged', async () => {
    const [logger, log] = recordingLogger();
    const send = async (): Promise<void> => {
      throw new Error('429');
    };

    await purgeInBackground(
      new Purger({ now: () => 0, purge: send, batchSize: 30, againAfter: 0, sleep: async () => undefined }),
      ['e:Book:1'],
      { logger },
    );

    assert.deepEqual(
      log.map(({ level, message }) => [level, message]),
      [['error', 'A purge has failed: answers with the tags e:Book:1 may be served until their lifetime ends.']],
    );
  });
});

describe('mutations within a tenth of a second', () => {
  test('have their tags sent together, but for the first', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { post, settled, purges } = shop();
    for (const id of [1, 2, 3]) await post({ query: `mutation { rename(id: ${id}) { id } }` });

    t.mock.timers.tick(100);
    await settled();

    assert.deepEqual(
      purges.map((tags) => tags.filter((tag) => tag.startsWith('e:'))),
      [['e:Book:1'], ['e:Book:2', 'e:Book:3']],
    );
  });
});

describe('a read that began before a mutation', () => {
  test('is not kept when it shows what has changed meanwhile', async () => {
    const { promise: reading, resolve: read } = deferred<object>();
    const { get, post, settled, decisions } = shop({}, { Query: { book: () => reading, books: () => [] } });
    const answer = get('{ book(id: 1) { id title } }');
    await post({ query: 'mutation { rename(id: 1) { id } }' });
    await settled();

    read({ id: '1', title: 'old' });

    assert.equal((await answer).headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions.at(-1), { public: false, reason: 'what it shows has changed meanwhile' });
  });

  test('is kept when something else has changed', async () => {
    const { promise: reading, resolve: read } = deferred<object>();
    const { get, post, settled } = shop({}, { Query: { book: () => reading, books: () => [] } });
    const answer = get('{ book(id: 1) { id title } }');
    await post({ query: 'mutation { rename(id: 2) { id } }' });
    await settled();

    read({ id: '1', title: 'old' });

    assert.match((await answer).headers.get('cache-control') ?? '', /^public/);
  });

  test('a purge that is no longer remembered counts as one of everything', () => {
    const log = new PurgeLog();
    const moment = log.now;

    for (let purge = 0; purge < 1_001; purge++) log.add(['other']);

    assert.deepEqual(
      [log.hasSince(moment, ['mine']), log.hasSince(moment + 1, ['mine']), log.hasSince(moment + 1, ['other'])],
      [true, false, true],
    );
  });
});

describe('a mutation whose answer comes in parts', () => {
  test('takes back all that its parts may name', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async () => {
    const { send, settled, purges } = shop({}, {}, { incrementalDelivery: incrementalDelivery() });
    const body = JSON.stringify({ query: 'mutation { both(id: 3) { pen { id } ... @defer { book { id } } } }' });
    const headers = { 'content-type': 'application/json', accept: 'multipart/mixed' };

    const response = await send(new Request('https://api.example/', { method: 'POST', headers, body }));
    await response.text();
    await settled();

    assert.ok(purges[0]?.includes('t:Book'), String(purges));
  });
});

describe('a mutation whose text is longer than is remembered', () => {
  test('is read again', async () => {
    const { post, settled, purges } = shop();

    await post({ query: `mutation { rename(id: 1) { id } } #${'x'.repeat(100_000)}` });
    await settled();

    assert.deepEqual(purges[0]?.[0], 'e:Book:1');
  });
});

describe('purge of an edge', () => {
  test('takes objects, types, fields and tags', async () => {
    const { edge, get, purges } = shop();
    await get('{ books { id } }');

    await edge.purge({ entities: [{ typename: 'Pen', id: 7 }], types: ['Book'], fields: ['books'], tags: ['d:v1'] });

    assert.deepEqual(
      purges,
      [['e:Pen:7', 'u:Pen', 'l:Pen', 'l:Item', 't:Book', 'u:Book', 'l:Book', 'l:Node', 'q:books', 'd:v1']].map((tags) =>
        tags.toSorted((a, b) => tags.indexOf(a) - tags.indexOf(b)),
      ),
    );
  });

  test('never asks a store for nothing, which some take for everything', async () => {
    const { edge, purges } = shop();

    await edge.purge({});
    await edge.purge({ entities: [], types: [], tags: [] });

    assert.deepEqual(purges, []);
  });

  test('says so when there is no purge option', async () => {
    const { edge } = shop({ purge: undefined });

    await assert.rejects(edge.purge({ types: ['Book'] }), {
      message: 'Expected edge to have a purge option, or a store, to take answers back from. There is none.',
    });
  });
});

describe('the purger', () => {
  const sleep = async (): Promise<void> => undefined;
  const now = (): number => 0;

  test('keeps to the size of a batch', async () => {
    const batches: (readonly string[])[] = [];
    const purger = new Purger({ now, purge: async (tags) => batches.push(tags), batchSize: 2, againAfter: 0, sleep });

    await purger.purge(['a', 'b', 'c', 'a']);

    assert.deepEqual(batches, [['a', 'b'], ['c']]);
  });

  test('merges what is asked for while a purge is on its way, and sends it after that', async () => {
    const batches: (readonly string[])[] = [];
    const [begun, first] = [deferred<void>(), deferred<void>()];
    const send = async (tags: readonly string[]): Promise<void> => {
      batches.push(tags);
      begun.resolve();
      if (batches.length === 1) await first.promise;
    };
    const purger = new Purger({ now, purge: send, batchSize: 30, againAfter: 0, sleep });
    const all = [purger.purge(['a'])];
    await begun.promise;
    all.push(purger.purge(['a', 'b']), purger.purge(['b', 'c']));

    first.resolve();
    await Promise.all(all);

    assert.deepEqual(batches, [['a'], ['a', 'b', 'c']]);
  });

  test('sends the first tags at once, and those of the interval after that together', async () => {
    const batches: [number, readonly string[]][] = [];
    let time = 5_000;
    const purger = new Purger({
      now: () => time,
      purge: async (tags) => batches.push([time, tags]),
      interval: 0.1,
      againAfter: 0,
      sleep: async (seconds) => void (time += seconds * 1_000),
    });

    await purger.purge(['a']);
    time += 20;
    await Promise.all([purger.purge(['b']), purger.purge(['a', 'c'])]);
    time += 500;
    await purger.purge(['d']);

    assert.deepEqual(batches, [
      [5_000, ['a']],
      [5_100, ['b', 'a', 'c']],
      [5_600, ['d']],
    ]);
  });

  test('tells everybody whose tags were in a round that was refused, and sends its other batches', async () => {
    const sent: (readonly string[])[] = [];
    const send = async (tags: readonly string[]): Promise<void> => {
      if (tags.includes('b')) throw new Error('down');
      sent.push(tags);
    };
    const purger = new Purger({ now, purge: send, batchSize: 1, againAfter: 0, sleep });

    const all = await Promise.allSettled([purger.purge(['a', 'b']), purger.purge(['c'])]);

    assert.deepEqual(
      [all.map(({ status }) => status), sent],
      [
        ['rejected', 'rejected'],
        [['a'], ['c']],
      ],
    );
  });

  test('tries four times, waits 1, 2 and 4 seconds between, and then says what the store said', async () => {
    const waits: number[] = [];
    let calls = 0;
    const send = async (): Promise<void> => {
      calls++;
      throw new Error('429');
    };
    const purger = new Purger({ now, purge: send, batchSize: 30, againAfter: 0, sleep: async (time) => void waits.push(time) });

    await assert.rejects(purger.purge(['a']), { message: '429' });

    assert.deepEqual([calls, waits], [4, [1, 2, 4]]);
  });

  test('gives up an attempt that has not ended after 30 seconds, so that others have their turn', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: (readonly string[])[] = [];
    const [begun, again] = [deferred<void>(), deferred<void>()];
    const send = (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      (sent.length === 1 ? begun : again).resolve();
      return sent.length === 1 ? new Promise(() => undefined) : Promise.resolve();
    };
    const purger = new Purger({ now, purge: send, againAfter: 0, sleep });
    const all = [purger.purge(['a'])];
    await begun.promise;
    all.push(purger.purge(['b']));

    t.mock.timers.tick(30_000);
    await again.promise;
    await Promise.all(all);

    assert.deepEqual(sent, [['a'], ['a'], ['b']]);
  });

  test('purges a second time, for what another process stored meanwhile', async () => {
    const events: unknown[] = [];
    const purger = new Purger({
      now,
      purge: async (tags) => events.push(tags),
      batchSize: 30,
      againAfter: 3,
      sleep: async (time) => void events.push(time),
    });

    await purger.purge(['a']);

    assert.deepEqual(events, [['a'], 3, ['a']]);
  });

  test('goes on after a failure', async () => {
    let isDown = true;
    const sent: (readonly string[])[] = [];
    const send = async (tags: readonly string[]): Promise<void> => {
      if (isDown) throw new Error('down');
      sent.push(tags);
    };
    const purger = new Purger({ now, purge: send, batchSize: 30, againAfter: 0, sleep });
    await assert.rejects(purger.purge(['a']));

    isDown = false;
    await purger.purge(['b']);

    assert.deepEqual(sent, [['b']]);
  });
});
