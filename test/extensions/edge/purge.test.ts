import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { createHandler } from '../../../src/entries/aws-lambda.ts';
import { cacheControlDefinitions, edge, PurgeRefused } from '../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../src/entries/edge.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { PurgeLog } from '../../../src/extensions/edge/purge/purge-log.ts';
import { Purger } from '../../../src/extensions/edge/purge/purger.ts';
import { deferred } from '../../support/deferred.ts';
import { get, post } from '../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../support/plain-http.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import type { LogLine } from '../../support/recording-logger.ts';
import { httpAPI } from '../../support/sources.ts';
import { edgeServing } from './serving.ts';
import type { EdgeServing } from './serving.ts';

const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) books: [Book] @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String } type Pen { id: ID! }
  type Mutation { rename(id: ID!): Book remove(id: ID!): Boolean nameless: Book failing: Book strict: Pair! both(id: ID!): Pair } type Pair { book: Book pen: Pen }`;

const oddTypeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) item: Item @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String pens: [Pen] } type Pen implements Node @cacheControl(maxAge: 60) { id: ID! }
  type Mutation { rename: Book replace: Book! renameAll: [Book] write: Book turn: Node tidy: Tidied strictTidy: Strict! }
  type Tidied { books: [Book] pens: [Pen] } type Strict { pens: [Pen!]! }`;

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

/** With fields that fail in odd places. */
function oddShop({ Query = {}, ...resolvers }: { Query?: object; Mutation: object; Strict?: object }, server: object = {}): Shop {
  return shop({}, { Query: { book: () => null, ...Query }, ...resolvers }, { typeDefs: oddTypeDefs, ...server });
}

describe('a mutation purges', () => {
  const rows: readonly (readonly [name: string, query: string, tags: readonly string[] | undefined])[] = [
    [
      'the object it names, what may hold it unnamed, and lists it may be in',
      'mutation { rename(id: 1) { id } }',
      ['e:Book:1', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'all answers with the type, when the id is not selected',
      'mutation { rename(id: 1) { title } }',
      ['t:Book', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
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
      'the type of a field that has failed, and not what is selected below it',
      'mutation { strict { book { id } } }',
      ['t:Pair', 'u:Pair', 'l:Pair'],
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

  const strictTypeDefs = `
    type Query { book: Book @cacheControl(maxAge: 60) } type Book @cacheControl(maxAge: 60) { id: ID! } type Pair { book: Book! }
    type Mutation { replace: Book! replaceAll: [Book!]! replaceBoth: Pair! }`;
  const resolvers = { Mutation: { replace: fail, replaceAll: fail, replaceBoth: () => ({}) }, Pair: { book: fail } };
  const hanging = { Mutation: { replace: () => new Promise<never>(() => undefined), replaceAll: fail, replaceBoth: fail } };
  const strict: readonly (readonly [name: string, query: string, onError: string | undefined, server: object])[] = [
    ['at the root, with onError: NULL', 'mutation { replace { id } }', 'NULL', { resolvers }],
    ['that is a list, with onError: NULL', 'mutation { replaceAll { id } }', 'NULL', { resolvers }],
    ['of a payload, with onError: NULL', 'mutation { replaceBoth { book { id } } }', 'NULL', { resolvers }],
    ['at the root, as errors propagate', 'mutation { replace { id } }', undefined, { resolvers }],
    ['at the root, with onError: HALT', 'mutation { replace { id } }', 'HALT', { resolvers }],
    [
      'that the deadline has left unfinished, with partial: NULL',
      'mutation { replace { id } }',
      undefined,
      { resolvers: hanging, deadline: { ms: 20, reserveMs: 5, partial: 'NULL' } },
    ],
  ];
  for (const [name, query, onError, server] of strict)
    test(`what a failed field may have changed, also where its type is non-null: a field ${name}`, async () => {
      const purges: string[][] = [];
      const { post, settled } = edgeServing({
        purge: async (tags) => void purges.push([...tags]),
        purgeAgainAfter: 0,
        server: { typeDefs: strictTypeDefs, ...server } as never,
      });

      await post({ query, onError });
      await settled();

      assert.ok(purges.flat().includes('t:Book'), `purged ${JSON.stringify(purges)}`);
    });

  test('what a field may have changed that returns no object, and the failed items of a list', async () => {
    const { post, settled, purges } = oddShop({
      Mutation: { rename: () => null, renameAll: () => [{ id: '1' }, new Error('No.')], tidy: () => ({ books: [null, { id: '2' }] }) },
    });

    await post({ query: 'mutation { rename { id } }' });
    await settled();
    await post({ query: 'mutation { renameAll { id } }' });
    await settled();
    await post({ query: 'mutation { tidy { books { id } } }' });
    await settled();

    assert.deepEqual(
      purges.map((tags) => ['t:Book', 'e:Book:1', 'e:Book:2'].filter((tag) => tags.includes(tag))),
      [['t:Book'], ['t:Book', 'e:Book:1'], ['e:Book:2']],
    );
  });

  const refuse = (code: string) => (): never => {
    throw new GraphQLError('Not you.', { extensions: { code } });
  };
  const cases = ['UNAUTHENTICATED', 'FORBIDDEN'].flatMap((code) =>
    [undefined, 'NULL', 'HALT'].flatMap((onError) => ['rename', 'replace'].map((field) => [code, onError, field] as const)),
  );
  for (const [code, onError, field] of cases)
    test(`nothing when its field ${field} is refused with ${code}, with onError ${onError ?? 'PROPAGATE'}: nobody can empty the CDN by it`, async () => {
      const { post, settled, purges } = oddShop({ Mutation: { [field]: refuse(code) } });

      await post({ query: `mutation { ${field} { id pens { id } } }`, onError });
      await settled();

      assert.deepEqual(purges, []);
    });

  test('what the fields beside a refused one have changed, and nothing for fields that were not called', async () => {
    const rename = refuse('FORBIDDEN');
    const resolvers = { Mutation: { rename, write: () => ({ id: '7' }), turn: () => ({ __typename: 'Pen', id: '1' }) } };
    const { post, settled, purges } = oddShop(resolvers);

    await post({ query: 'mutation { write { id } rename { id } turn { id } }', onError: 'HALT' });
    await settled();

    assert.deepEqual(
      purges.map((tags) => tags.toSorted()),
      [['e:Book:7', 'l:Book', 'l:Item', 'l:Node', 'u:Book']],
    );
  });

  test('no type of fields that were not called, because the client left while a refused one was checked', async () => {
    const { promise: checked, reject } = Promise.withResolvers<never>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const rename = (): Promise<never> => {
      start();
      return checked;
    };
    const { send, settled, purges } = oddShop({ Mutation: { rename, tidy: () => ({}) } });
    const client = new AbortController();
    const body = JSON.stringify({ query: 'mutation { rename { id } tidy { pens { id } } }' });
    const headers = { 'content-type': 'application/json' };

    const answered = send(new Request('https://api.example/', { method: 'POST', headers, body, signal: client.signal }));
    await started;
    client.abort();
    await answered.catch(() => undefined);
    await settled();
    reject(new GraphQLError('Not you.', { extensions: { code: 'FORBIDDEN' } }));

    assert.deepEqual(
      purges.flat().filter((tag) => /Pen|Tidied/.test(tag)),
      [],
    );
  });

  test('the objects of fields that ran, when a field deeper down fails and takes the data along', async () => {
    const Mutation = { write: () => ({ id: '7' }), tidy: () => ({ books: [{ id: '8' }] }), strictTidy: () => ({}) };
    const { post, settled, purges } = oddShop({ Mutation, Strict: { pens: fail } });

    await post({ query: 'mutation { write { id } strictTidy { pens { id } } }' });
    await settled();

    const [tags = []] = purges;
    assert.ok(tags.includes('e:Book:7') && tags.includes('t:Pen') && tags.includes('t:Strict'), `purged ${tags.join(' ')}`);
    assert.ok(!tags.includes('t:Book'), `purged ${tags.join(' ')}`);
  });

  test('what it has changed, when its answer is too large to be sent', async () => {
    const Mutation = { write: () => ({ id: '7', title: 'x'.repeat(100_000) }) };
    const { post, settled, purges } = oddShop({ Mutation }, { maxResultBytes: 50_000 });

    const response = await post({ query: 'mutation { write { id title } }' });
    await settled();

    assert.match(await response.text(), /RESULT_TOO_LARGE/);
    assert.ok(purges.flat().includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  test('answers that show an object by its former type, when it returns the object at an interface or a union', async () => {
    const Query = { item: () => ({ __typename: 'Book', id: '1' }) };
    const Mutation = { turn: () => ({ __typename: 'Pen', id: '1' }) };
    const { get, post, settled, purges, decisions } = oddShop({ Query, Mutation });

    for (const selection of ['... on Book { id title }', '... on Book { title }']) await get(`{ item { ${selection} } }`);
    await post({ query: 'mutation { turn { id } }' });
    await settled();

    const shown = decisions.slice(0, 2).map((decision) => (decision.public ? decision.tags : []));
    for (const tags of shown) assert.ok(purges.flat().some((tag) => tags.includes(tag)), `${purges.join(' ')} of ${tags.join(' ')}`); // prettier-ignore
    assert.ok(purges.flat().includes('e:Book:1') && !purges.flat().includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  const endings: readonly (readonly [name: string, server: object, leaves: boolean])[] = [
    ['when its deadline has passed', { deadline: { ms: 30, reserveMs: 5 } }, false],
    ['when its client has left', {}, true],
  ];
  for (const [name, server, leaves] of endings)
    test(`again, when a resolver settles after the answer: ${name}`, async () => {
      const { promise: written, resolve: write } = Promise.withResolvers<object>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const rename = (): Promise<object> => {
        start();
        return written;
      };
      const { send, settled, purges } = oddShop({ Mutation: { rename } }, server);
      const client = new AbortController();
      const body = JSON.stringify({ query: 'mutation { rename { id } }' });
      const request = new Request('https://api.example/', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: client.signal,
      });

      const answered = send(request);
      await started;
      if (leaves) client.abort();
      await answered.catch(() => undefined);
      await settled();
      const before = purges.length;
      write({ id: '1' });
      await written;
      await settled();

      assert.equal(before, 1);
      assert.equal(purges.length, 2);
      assert.ok(purges.every((tags) => tags.includes('t:Book')));
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

describe('a mutation on Workers', () => {
  const stuck = (tags: readonly string[]): boolean => tags.includes('e:Book:stuck');

  test('purges immediately, even if the purge of another call hangs', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    Object.defineProperty(globalThis, 'WebSocketPair', { value: true, configurable: true });
    t.after(() => Reflect.deleteProperty(globalThis, 'WebSocketPair'));
    const purged: string[] = [];
    const purge = async (tags: readonly string[]): Promise<unknown> =>
      stuck(tags) ? new Promise(() => undefined) : purged.push(...tags.filter((tag) => tag.startsWith('e:')));
    const { post } = shop({ purge });

    await post({ query: 'mutation { rename(id: "stuck") { id } }' });
    for (const id of [1, 2]) await post({ query: `mutation { rename(id: ${id}) { id } }` });

    assert.deepEqual(purged, ['e:Book:1', 'e:Book:2']);
  });
});

describe('a read that began before a mutation', () => {
  test('is not kept when its objects have changed in the meantime', async () => {
    const { promise: reading, resolve: read } = deferred<object>();
    const { get, post, settled, decisions } = shop({}, { Query: { book: () => reading, books: () => [] } });
    const answer = get('{ book(id: 1) { id title } }');
    await post({ query: 'mutation { rename(id: 1) { id } }' });
    await settled();

    read({ id: '1', title: 'old' });

    assert.equal((await answer).headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions.at(-1), { public: false, reason: 'its data has changed in the meantime' });
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
  test('purges all types that its parts can contain', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async () => {
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

  test('never sends an empty list, which some CDNs take for everything', async () => {
    const { edge, purges } = shop();

    await edge.purge({});
    await edge.purge({ entities: [], types: [], tags: [] });

    assert.deepEqual(purges, []);
  });

  test('rejects without the options purge and store', async () => {
    const { edge } = shop({ purge: undefined });

    await assert.rejects(edge.purge({ types: ['Book'] }), {
      message: 'Expected edge to have the option purge or store to purge answers from, got neither.',
    });
  });
});

/** A clock that advances with each sleep. */
class SleptClock {
  #time = 0;
  readonly now = (): number => this.#time;
  readonly sleep = async (seconds: number): Promise<void> => {
    const until = this.#time + seconds * 1_000;
    await Promise.resolve();
    this.#time = Math.max(this.#time, until);
  };
}

describe('the purger', () => {
  const sleep = async (): Promise<void> => undefined;
  const now = (): number => 0;

  test('keeps to the size of a batch', async () => {
    const batches: (readonly string[])[] = [];
    const purger = new Purger({ now, purge: async (tags) => batches.push(tags), batchSize: 2, sleep });

    await purger.purge(['a', 'b', 'c', 'a']);

    assert.deepEqual(batches, [['a', 'b'], ['c']]);
  });

  test('does not wait for the end of another purge', async () => {
    const batches: (readonly string[])[] = [];
    const first = deferred<void>();
    const send = async (tags: readonly string[]): Promise<void> => {
      batches.push(tags);
      if (batches.length === 1) await first.promise;
    };
    const purger = new Purger({ now, purge: send, batchSize: 30, sleep });
    const hanging = purger.purge(['a']);

    await Promise.all([purger.purge(['a', 'b']), purger.purge(['b', 'c'])]);

    assert.deepEqual(batches, [['a'], ['a', 'b'], ['b', 'c']]);
    first.resolve();
    await hanging;
  });

  test('sends the tags of each call immediately if a call cannot wait for the work of another', async () => {
    const clock = new SleptClock();
    const sent: [number, readonly string[]][] = [];
    const send = async (tags: readonly string[]): Promise<void> => {
      sent.push([clock.now(), tags]);
      if (clock.now() < 5_000) throw new PurgeRefused('429', 5);
    };
    const purger = new Purger({ now: clock.now, sleep: clock.sleep, purge: send, interval: 0.1, mergesCalls: false });

    await Promise.all([purger.purge(['a']), purger.purge(['b'])]);

    assert.deepEqual(sent, [
      [0, ['a']],
      [0, ['b']],
      [5_000, ['a']],
      [5_000, ['b']],
    ]);
  });

  test('sends the first tags immediately, and those of the following interval together', async () => {
    const batches: [number, readonly string[]][] = [];
    let time = 5_000;
    const purger = new Purger({
      now: () => time,
      purge: async (tags) => batches.push([time, tags]),
      interval: 0.1,
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

  test('a batch that is refused fails those whose tags are in it, and no others', async () => {
    const sent: (readonly string[])[] = [];
    const clock = new SleptClock();
    const send = async (tags: readonly string[]): Promise<void> => {
      if (tags.includes('b')) throw new Error('down');
      sent.push(tags);
    };
    const purger = new Purger({ now: clock.now, sleep: clock.sleep, purge: send, batchSize: 1 });

    const all = await Promise.allSettled([purger.purge(['a', 'b']), purger.purge(['c'])]);

    assert.deepEqual(
      [all.map(({ status }) => status), sent],
      [
        ['rejected', 'fulfilled'],
        [['a'], ['c']],
      ],
    );
  });

  test("retries after 1, 2, 4 seconds and so on for as long as the process lives, and then rejects with the CDN's error", async () => {
    const clock = new SleptClock();
    const times: number[] = [];
    const send = async (): Promise<void> => {
      times.push(clock.now() / 1_000);
      throw new Error('429');
    };
    const purger = new Purger({ now: clock.now, sleep: clock.sleep, purge: send });

    await assert.rejects(purger.purge(['a']), { message: '429' });

    assert.deepEqual(times, [0, 1, 3, 7, 15, 31, 63]);
  });

  test('a retry includes tags that arrived in the meantime, and is sent no later than the end of the call', async () => {
    const clock = new SleptClock();
    const sent: [number, readonly string[]][] = [];
    const send = async (tags: readonly string[]): Promise<void> => {
      sent.push([clock.now(), tags]);
      if (clock.now() < 12_000) throw new PurgeRefused('429', 12);
    };
    const purger = new Purger({ now: clock.now, sleep: clock.sleep, purge: send });

    const early = await Promise.allSettled([purger.purge(['a'], { until: 900 })]);
    await Promise.all([purger.purge(['b']), purger.purge(['c'])]);

    assert.equal(early[0].status, 'rejected');
    assert.deepEqual(sent, [
      [0, ['a']],
      [12_000, ['a', 'b', 'c']],
    ]);
  });

  test('retries a request that has not ended after 30 seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: (readonly string[])[] = [];
    const send = (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      return sent.length === 1 ? new Promise(() => undefined) : Promise.resolve();
    };
    const purger = new Purger({ now, purge: send, sleep });
    const hanging = purger.purge(['a']);
    await purger.purge(['b']);

    t.mock.timers.tick(30_000);
    await hanging;

    assert.deepEqual(sent, [['a'], ['b'], ['a']]);
  });

  test('purges again later, for answers that another process stored in the meantime', async () => {
    const events: unknown[] = [];
    const purger = new Purger({ now, purge: async (tags) => events.push(tags), sleep: async (time) => void events.push(time) });

    await purger.repeat(['a'], 3);

    assert.deepEqual(events, [3, ['a']]);
  });

  test('goes on after a failure', async () => {
    let isDown = true;
    const sent: (readonly string[])[] = [];
    const send = async (tags: readonly string[]): Promise<void> => {
      if (isDown) throw new Error('down');
      sent.push(tags);
    };
    const purger = new Purger({ now, purge: send, batchSize: 30, sleep });
    await assert.rejects(purger.purge(['a'], { until: 0 }));

    isDown = false;
    await purger.purge(['b']);

    assert.deepEqual(sent, [['a', 'b']]);
  });
});

describe('a mutation whose purge the CDN refuses', () => {
  const mutation = { query: 'mutation { rename(id: 1) { id } }' };

  /** A Lambda function: its answers wait for background work. */
  function lambdaShop(purge: EdgeOptions['purge']): { send: (request: PlainRequest) => Promise<PlainResponse>; log: readonly LogLine[] } {
    const [logger, log] = recordingLogger();
    const handler = createHandler({
      logger,
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers: { Query: { book: () => ({ id: 1 }) }, Mutation: { rename: () => ({ id: 1 }) } } as never,
      plugins: [edge({ cdn: 'cloudfront', purge, purgeInterval: 0 })],
    });
    return { send: async (request) => httpAPI.read(await handler(httpAPI.build(request) as never, {} as never)), log };
  }

  test('is logged with its tags on Lambda, and purged with the next call once the CDN allows it', async (t) => {
    t.mock.timers.enable({ apis: ['Date'] });
    let time = 0;
    t.mock.method(performance, 'now', () => time);
    const sent: (readonly string[])[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      if (time < 5_000) throw new PurgeRefused('429', 5);
    };
    const { send, log } = lambdaShop(purge);

    await send(post(mutation));
    time = 2_000;
    await send(get({ query: '{ book(id: 1) { id } }' }));
    const early = sent.length;
    time = 5_100;
    await send(get({ query: '{ book(id: 1) { id } }' }));
    await send(get({ query: '{ book(id: 1) { id } }' }));

    assert.equal(early, 1);
    assert.deepEqual(sent.at(-1), ['e:Book:1', 'u:Book', 'l:Book', 'l:Node', 'l:Item']);
    assert.equal(sent.length, 2);
    assert.match(log.find(({ level }) => level === 'error')?.message ?? '', /tags may be old until then: e:Book:1, u:Book/);
  });
});

describe('a read that takes long', () => {
  const cases = [
    ['where waitUntil keeps the process alive', {}, 1_900, 2_100],
    ['with another purgeAgainAfter', { purgeAgainAfter: 9 }, 5_900, 6_100],
  ] as const;
  for (const [name, options, shortEnough, tooLong] of cases)
    test(`is public up to two thirds of the time to the repeat of a purge, ${name}`, async (t) => {
      let time = 0;
      t.mock.method(performance, 'now', () => time);
      let takes = shortEnough as number;
      const book = (): object => ((time += takes), { id: 1 });
      const { get, decisions } = shop({ purgeAgainAfter: undefined, ...options }, { Query: { book } });

      await get('{ book(id: 1) { id } }');
      takes = tooLong;
      await get('{ book(id: 1) { id } }');

      assert.deepEqual(
        decisions.map((decision) => (decision.public ? true : decision.reason)),
        [true, 'it took so long that its data may have changed in the meantime'],
      );
    });
});

describe('purge by hand', () => {
  test('resolves after the first purge, and is repeated later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { edge, get, purges, settled } = shop({ purgeAgainAfter: undefined, purgeInterval: 0 });

    await edge.purge({ tags: ['d:v1'] });
    const first = purges.length;
    // Its call keeps the process alive for the repeat.
    await get('{ book(id: 1) { id } }');
    t.mock.timers.tick(3_000);
    await settled();

    assert.deepEqual([first, purges], [1, [['d:v1'], ['d:v1']]]);
  });
});
