import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { createHandler } from '../../../src/entries/aws-lambda.ts';
import { cacheControlDefinitions, edge, PurgeRefused } from '../../../src/entries/edge.ts';
import type { EdgeOptions } from '../../../src/entries/edge.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import type { ServerPlugin } from '../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { PurgeLog } from '../../../src/extensions/edge/purge/purge-log.ts';
import { Purger } from '../../../src/extensions/edge/purge/purger.ts';
import type { PurgeCall, PurgerSettings } from '../../../src/extensions/edge/purge/purger.ts';
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

interface Shop extends Omit<EdgeServing, 'settled'> {
  readonly purges: string[][];
}

/** Stops the timers in each test of a suite: purges are not repeated unless the test advances the timers. */
function stopTimers(): void {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());
}

/** Advances the timers until the promise has settled. */
async function advancing<T>(promise: Promise<T>): Promise<T> {
  const settled: true[] = [];
  const settle = (): void => void settled.push(true);
  promise.then(settle, settle);
  while (settled.length === 0) {
    await new Promise(setImmediate);
    mock.timers.tick(5);
  }
  return promise;
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
    purge: { purge: async (tags) => void purges.push([...tags]), interval: 0 },
    ...options,
    server: { typeDefs, resolvers: { Query, Mutation, ...resolvers }, ...server } as never,
  });
  return { ...serving, purges };
}

/** Creates a shop with a schema for fields that fail in unusual places. */
function oddShop({ Query = {}, ...resolvers }: { Query?: object; Mutation: object; Strict?: object }, server: object = {}): Shop {
  return shop({}, { Query: { book: () => null, ...Query }, ...resolvers }, { typeDefs: oddTypeDefs, ...server });
}

/** A plugin that replaces the data of answers. */
const copying: ServerPlugin = {
  requestDidStart: () => ({
    willSendResponse: async ({ response }) => {
      response.result = structuredClone(response.result);
    },
  }),
};

describe('a mutation purges', () => {
  stopTimers();
  const rows: readonly (readonly [name: string, query: string, tags: readonly string[] | undefined])[] = [
    [
      'the changed object, answers that may contain it without a name, and lists that may contain it',
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
    ['nothing, when its answer names no object', 'mutation { remove(id: 1) }', undefined],
    [
      'the objects changed before a field failed, and everything that the failed field may have changed',
      'mutation { failing { id } rename(id: 2) { id } }',
      ['e:Book:2', 't:Book', 'u:Book', 'l:Book', 'l:Node', 'l:Item'],
    ],
    [
      'the type of a field that has failed, and not the types selected below it',
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
      const { post, purges } = shop();

      await post({ query });

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
    ['at the root, when errors propagate', 'mutation { replace { id } }', undefined, { resolvers }],
    ['at the root, with onError: HALT', 'mutation { replace { id } }', 'HALT', { resolvers }],
    [
      'that is unfinished at the deadline, with partial: NULL',
      'mutation { replace { id } }',
      undefined,
      { resolvers: hanging, deadline: { ms: 20, reserveMs: 5, partial: 'NULL' } },
    ],
  ];
  for (const [name, query, onError, server] of strict)
    test(`what a failed field may have changed, also where its type is non-null: a field ${name}`, async () => {
      const purges: string[][] = [];
      const { post } = edgeServing({
        purge: async (tags) => void purges.push([...tags]),
        server: { typeDefs: strictTypeDefs, ...server } as never,
      });

      await advancing(post({ query, onError }));

      assert.ok(purges.flat().includes('t:Book'), `purged ${JSON.stringify(purges)}`);
    });

  test('the type of a field that returned no object, even if the error of another field makes the data null', async () => {
    const { post, purges } = oddShop({ Mutation: { rename: () => null, tidy: fail } });

    await post({ query: 'mutation { rename { id } tidy { pens { id } } }', onError: 'HALT' });

    assert.ok(purges.flat().includes('t:Book'), `purged ${JSON.stringify(purges)}`);
  });

  test("what a failed field may have changed, even if a plugin's error replaces its error", async () => {
    const plugin: ServerPlugin = {
      requestDidStart: () => ({
        willSendResponse: () => {
          throw new Error('No.');
        },
      }),
    };
    const { post, purges } = shop({}, {}, { plugins: [plugin] });

    await post({ query: 'mutation { failing { id } remove(id: 1) }' });

    assert.ok(purges.flat().includes('t:Book'), `purged ${JSON.stringify(purges)}`);
  });

  test('what it has changed, even if a plugin around it fails afterwards', async () => {
    const plugin: ServerPlugin = { aroundOperation: async (_call, next) => (await next(), fail()) };
    const { post, purges } = shop({}, {}, { plugins: [plugin] });

    await post({ query: 'mutation { failing { id } rename(id: 2) { id } }' });

    assert.ok(purges.flat().includes('e:Book:2') && purges.flat().includes('t:Book'), `purged ${JSON.stringify(purges)}`);
  });

  test('what a field may have changed that returns no object, and the failed items of a list', async () => {
    const { post, purges } = oddShop({
      Mutation: { rename: () => null, renameAll: () => [{ id: '1' }, new Error('No.')], tidy: () => ({ books: [null, { id: '2' }] }) },
    });

    await post({ query: 'mutation { rename { id } }' });
    await post({ query: 'mutation { renameAll { id } }' });
    await post({ query: 'mutation { tidy { books { id } } }' });

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
    test(`nothing when its field ${field} is refused with ${code}, with onError ${onError ?? 'PROPAGATE'}: such requests cannot empty the CDN`, async () => {
      const { post, purges } = oddShop({ Mutation: { [field]: refuse(code) } });

      await post({ query: `mutation { ${field} { id pens { id } } }`, onError });

      assert.deepEqual(purges, []);
    });

  for (const [name, server] of [
    ['a plan', {}],
    ['graphql-js', { executor: graphqlJSExecutor() }],
  ] as const)
    test(`nothing when its variables are invalid, for ${name}: such requests cannot empty the CDN`, async () => {
      const { post: send, purges } = shop({}, {}, server);
      const query = 'mutation ($id: ID!) { rename(id: $id) { id } }';

      const refused = await send({ query, variables: { id: {} } });

      assert.equal(refused.status, 422);
      assert.deepEqual(purges, []);
    });

  const failing: ServerPlugin = {
    aroundOperation: async (_call, next) => {
      await next();
      throw new Error('The wrapper has failed.');
    },
  };
  test('nothing for a field whose arguments are invalid, with a plugin that replaces the data and one that fails', async () => {
    const { post: send, purges } = shop({}, {}, { plugins: [failing, copying] });

    const refused = await send({ query: 'mutation ($id: ID = "1") { rename(id: $id) { id } }', variables: { id: null } });

    assert.match(await refused.text(), /Internal server error/);
    assert.deepEqual(purges, []);
  });

  for (const [name, server] of [
    ['a plan', {}],
    ['graphql-js', { executor: graphqlJSExecutor() }],
    ['a plugin that replaces the data', { plugins: [copying] }],
  ] as const)
    test(`nothing for a field whose arguments are invalid, and what the fields beside it have changed, with ${name}`, async () => {
      const { post: send, purges } = shop({}, {}, server);
      const ask = (other: string): Promise<Response> =>
        send({ query: `mutation ($id: ID = "1") { rename(id: $id) { id } ${other} }`, variables: { id: null } });

      const refused = await ask('both(id: $id) { pen { id } }');
      const partial = await ask('other: rename(id: 2) { id }');

      assert.match(await refused.text(), /"rename":null,"both":null/);
      assert.match(await partial.text(), /"rename":null,"other":\{"id":"2"\}/);
      assert.equal(purges.length, 1);
      assert.ok(purges[0]!.includes('e:Book:2') && !purges[0]!.includes('t:Book') && !purges[0]!.includes('t:Pen'), purges[0]!.join());
    });

  test('what the fields beside a refused one have changed, and nothing for fields that were not called', async () => {
    const rename = refuse('FORBIDDEN');
    const resolvers = { Mutation: { rename, write: () => ({ id: '7' }), turn: () => ({ __typename: 'Pen', id: '1' }) } };
    const { post, purges } = oddShop(resolvers);

    await post({ query: 'mutation { write { id } rename { id } turn { id } }', onError: 'HALT' });

    assert.deepEqual(
      purges.map((tags) => tags.toSorted()),
      [['e:Book:7', 'l:Book', 'l:Item', 'l:Node', 'u:Book']],
    );
  });

  test('no types of fields that were not called because the client disconnected during the check of a refused field', async () => {
    const { promise: checked, reject } = Promise.withResolvers<never>();
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const rename = (): Promise<never> => {
      start();
      return checked;
    };
    const { send, purges } = oddShop({ Mutation: { rename, tidy: () => ({}) } });
    const client = new AbortController();
    const body = JSON.stringify({ query: 'mutation { rename { id } tidy { pens { id } } }' });
    const headers = { 'content-type': 'application/json' };

    const answered = send(new Request('https://api.example/', { method: 'POST', headers, body, signal: client.signal }));
    await started;
    client.abort();
    await answered.catch(() => undefined);
    reject(new GraphQLError('Not you.', { extensions: { code: 'FORBIDDEN' } }));

    assert.deepEqual(
      purges.flat().filter((tag) => /Pen|Tidied/.test(tag)),
      [],
    );
  });

  test('the objects of fields that ran, when a nested field fails and makes the data null', async () => {
    const Mutation = { write: () => ({ id: '7' }), tidy: () => ({ books: [{ id: '8' }] }), strictTidy: () => ({}) };
    const { post, purges } = oddShop({ Mutation, Strict: { pens: fail } });

    await post({ query: 'mutation { write { id } strictTidy { pens { id } } }' });

    const [tags = []] = purges;
    assert.ok(tags.includes('e:Book:7') && tags.includes('t:Pen') && tags.includes('t:Strict'), `purged ${tags.join(' ')}`);
    assert.ok(!tags.includes('t:Book'), `purged ${tags.join(' ')}`);
  });

  test('what it has changed, when its answer is too large to be sent', async () => {
    const Mutation = { write: () => ({ id: '7', title: 'x'.repeat(100_000) }) };
    const { post, purges } = oddShop({ Mutation }, { maxResultBytes: 50_000 });

    const response = await post({ query: 'mutation { write { id title } }' });

    assert.match(await response.text(), /RESULT_TOO_LARGE/);
    assert.ok(purges.flat().includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  test('answers with the former type of an object, when it returns the object as an interface or a union', async () => {
    const Query = { item: () => ({ __typename: 'Book', id: '1' }) };
    const Mutation = { turn: () => ({ __typename: 'Pen', id: '1' }) };
    const { get, post, purges, decisions } = oddShop({ Query, Mutation });

    for (const selection of ['... on Book { id title }', '... on Book { title }']) await get(`{ item { ${selection} } }`);
    await post({ query: 'mutation { turn { id } }' });

    const shown = decisions.slice(0, 2).map((decision) => (decision.public ? decision.tags : []));
    for (const tags of shown) assert.ok(purges.flat().some((tag) => tags.includes(tag)), `${purges.join(' ')} of ${tags.join(' ')}`); // prettier-ignore
    assert.ok(purges.flat().includes('e:Book:1') && !purges.flat().includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  const endings: readonly (readonly [name: string, server: object, leaves: boolean])[] = [
    ['when its deadline has passed', { deadline: { ms: 30, reserveMs: 5 } }, false],
    ['when its deadline has passed, and a plugin has replaced the data', { deadline: { ms: 30, reserveMs: 5 }, plugins: [copying] }, false],
    ['when its client has disconnected', {}, true],
  ];
  for (const [name, server, leaves] of endings)
    test(`again, when a resolver settles after the answer: ${name}`, async () => {
      const { promise: written, resolve: write } = Promise.withResolvers<object>();
      const { promise: started, resolve: start } = Promise.withResolvers<void>();
      const rename = (): Promise<object> => {
        start();
        return written;
      };
      const { send, purges } = oddShop({ Mutation: { rename } }, server);
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
      await advancing(answered.catch(() => undefined));
      const before = purges.length;
      write({ id: '1' });
      await new Promise(setImmediate);

      assert.equal(before, 1);
      assert.equal(purges.length, 2);
      assert.ok(purges.every((tags) => tags.includes('t:Book')));
    });

  test('a tag of every answer that contains the changed object', async () => {
    const { get, post, purges, decisions } = shop();
    await get('{ book(id: 1) { id title } }');
    await get('{ books { title } }');
    await get('{ books { id } }');
    await get('{ book(id: 1) { title } }');

    await post({ query: 'mutation { rename(id: 1) { id } }' });

    const [purged] = purges;
    assert.equal(decisions.filter((decision) => decision.public && decision.tags.some((tag) => purged?.includes(tag))).length, 4);
  });

  test('a query purges nothing', async () => {
    const { get, post, purges } = shop();

    await get('{ books { id } }');
    await post({ query: '{ books { id } }' });

    assert.deepEqual(purges, []);
  });

  test('the answer does not wait for the store', async () => {
    const purged = deferred<void>();
    const { post } = shop({ purge: () => purged.promise });

    const response = await post({ query: 'mutation { rename(id: 1) { id } }' });

    assert.deepEqual(await response.json(), { data: { rename: { id: '1' } } });
  });
});

describe('mutations within a tenth of a second', () => {
  stopTimers();

  test('have their tags sent together, but for the first', async () => {
    const purges: string[][] = [];
    const { post } = shop({ purge: async (tags) => void purges.push([...tags]) });
    for (const id of [1, 2, 3]) await post({ query: `mutation { rename(id: ${id}) { id } }` });

    mock.timers.tick(100);
    await new Promise(setImmediate);

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
  stopTimers();

  test('is not kept if its objects have changed in the meantime', async () => {
    const { promise: reading, resolve: read } = deferred<object>();
    const { get, post, decisions } = shop({}, { Query: { book: () => reading, books: () => [] } });
    const answer = get('{ book(id: 1) { id title } }');
    await post({ query: 'mutation { rename(id: 1) { id } }' });

    read({ id: '1', title: 'old' });

    assert.equal((await answer).headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(decisions.at(-1), { public: false, reason: 'its data has changed in the meantime' });
  });

  test('is kept when something else has changed', async () => {
    const { promise: reading, resolve: read } = deferred<object>();
    const { get, post } = shop({}, { Query: { book: () => reading, books: () => [] } });
    const answer = get('{ book(id: 1) { id title } }');
    await post({ query: 'mutation { rename(id: 2) { id } }' });

    read({ id: '1', title: 'old' });

    assert.match((await answer).headers.get('cache-control') ?? '', /^public/);
  });

  test('a purge that the log has dropped counts as a purge of everything', () => {
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
  stopTimers();

  test('purges all types that its parts can contain', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async () => {
    const { send, purges } = shop({}, {}, { incrementalDelivery: incrementalDelivery() });
    const body = JSON.stringify({ query: 'mutation { both(id: 3) { pen { id } ... @defer { book { id } } } }' });
    const headers = { 'content-type': 'application/json', accept: 'multipart/mixed' };

    const response = await send(new Request('https://api.example/', { method: 'POST', headers, body }));
    await response.text();

    assert.ok(purges[0]?.includes('t:Book'), String(purges));
  });
});

describe('a mutation whose text is too long to be kept', () => {
  stopTimers();

  test('is parsed again', async () => {
    const { post, purges } = shop();

    await post({ query: `mutation { rename(id: 1) { id } } #${'x'.repeat(100_000)}` });

    assert.deepEqual(purges[0]?.[0], 'e:Book:1');
  });
});

describe('purge of an edge', () => {
  stopTimers();

  test('accepts objects, types, fields and tags', async () => {
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

  test('never sends an empty list, which some CDNs treat as everything', async () => {
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
  /** Sends the tags in a call that lasts for a minute. Returns the tags that are left. */
  const purgerOf = (settings: Omit<PurgerSettings, 'now' | 'sleep'>, { now, sleep }: SleptClock) => {
    const purger = new Purger({ ...settings, now, sleep });
    return async (tags: readonly string[], call: Partial<PurgeCall> = {}): Promise<readonly string[]> => {
      const unpurged = await purger.purge(tags, { until: now() + 65_000, ...call });
      return unpurged?.tags ?? [];
    };
  };
  type Sent = [time: number, tags: readonly string[]];
  const recording = (clock: SleptClock, isRefused: (tags: readonly string[]) => unknown = () => undefined) => {
    const sent: Sent[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push([clock.now(), tags]);
      const error = isRefused(tags);
      if (error !== undefined) throw error;
    };
    return { sent, purge };
  };

  test('respects the size of a batch, and sends each tag once', async () => {
    const clock = new SleptClock();
    const { sent, purge } = recording(clock);

    await purgerOf({ purge, batchSize: 2 }, clock)(['a', 'b', 'c', 'a']);

    assert.deepEqual(sent, [
      [0, ['a', 'b']],
      [0, ['c']],
    ]);
  });

  test('sends the first tags immediately, and those of the following interval together', async () => {
    const clock = new SleptClock();
    const { sent, purge } = recording(clock);
    const send = purgerOf({ purge, interval: 0.1 }, clock);

    await send(['a']);
    await Promise.all([send(['b']), send(['a', 'c'])]);
    await clock.sleep(0.5);
    await send(['d']);

    assert.deepEqual(sent, [
      [0, ['a']],
      [100, ['b', 'a', 'c']],
      [600, ['d']],
    ]);
  });

  test('does not wait for the end of another purge', async () => {
    const clock = new SleptClock();
    const sent: (readonly string[])[] = [];
    const first = deferred<void>();
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      if (sent.length === 1) await first.promise;
    };
    const send = purgerOf({ purge }, clock);
    const hanging = send(['a']);

    await send(['b']);

    assert.deepEqual(sent, [['a'], ['b']]);
    first.resolve();
    await hanging;
  });

  const unmerged = [
    ['if a call cannot wait for the work of another call', { mergesCalls: false }, {}],
    ['with an interval of 0', { interval: 0 }, {}],
    ['if the call ends before the interval', { interval: 3 }, { until: 900 }],
  ] as const;
  for (const [name, settings, call] of unmerged)
    test(`sends the tags of each call immediately ${name}`, async () => {
      const clock = new SleptClock();
      const { sent, purge } = recording(clock);
      const send = purgerOf({ purge, ...settings }, clock);

      await Promise.all([send(['a'], call), send(['b'], call)]);

      assert.deepEqual(sent, [
        [0, ['a']],
        [0, ['b']],
      ]);
    });

  test('retries only the tags that were refused, separately for each call', async () => {
    const clock = new SleptClock();
    const { sent, purge } = recording(clock, (tags) =>
      clock.now() < 5_000 && tags.includes('b') ? new PurgeRefused('429', 5) : undefined,
    );
    const send = purgerOf({ purge, batchSize: 1, interval: 0 }, clock);

    const left = await Promise.all([send(['a', 'b']), send(['c'])]);

    assert.deepEqual(left, [[], []]);
    assert.deepEqual(sent, [
      [0, ['a']],
      [0, ['b']],
      [0, ['c']],
      [5_000, ['b']],
    ]);
  });

  test('retries after 1, 2, 4 seconds and so on until the call ends, and then returns the tags that are left', async () => {
    const clock = new SleptClock();
    const { sent, purge } = recording(clock, (tags) => (tags.includes('a') ? new Error('429') : undefined));

    const left = await purgerOf({ purge, batchSize: 1 }, clock)(['a', 'b']);

    assert.deepEqual(left, ['a']);
    assert.deepEqual(
      sent.filter(([, [tag]]) => tag === 'a').map(([time]) => time / 1_000),
      [0, 1, 3, 7, 15, 31, 63],
    );
  });

  test('sends no tag of a call that has ended', async () => {
    const clock = new SleptClock();
    let isDown = true;
    const { sent, purge } = recording(clock, () => (isDown ? new Error('down') : undefined));
    const send = purgerOf({ purge }, clock);

    const left = await send(['a'], { until: 900 });
    isDown = false;
    await clock.sleep(10);
    await send(['b']);

    assert.deepEqual(left, ['a']);
    assert.deepEqual(sent.at(-1), [10_000, ['b']]);
  });

  test('retries a request that has not ended after 30 seconds', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const sent: (readonly string[])[] = [];
    const purge = (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      return sent.length === 1 ? new Promise(() => undefined) : Promise.resolve();
    };
    const hanging = purgerOf({ purge }, new SleptClock())(['a']);

    t.mock.timers.tick(30_000);
    await hanging;

    assert.deepEqual(sent, [['a'], ['a']]);
  });
});

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

  test('by hand resolves before its repeat', async () => {
    const { edge, purges } = shop();

    await edge.purge({ tags: ['d:v1'] });
    const first = purges.length;
    mock.timers.tick(3_000);
    await new Promise(setImmediate);

    assert.deepEqual([first, purges], [1, [['d:v1'], ['d:v1']]]);
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

  /** Creates a shop on Lambda, whose answers wait for background work. */
  function lambdaShop(purge: EdgeOptions['purge']): { send: (request: PlainRequest) => Promise<PlainResponse>; log: readonly LogLine[] } {
    const [logger, log] = recordingLogger();
    const handler = createHandler({
      logger,
      typeDefs: [cacheControlDefinitions, typeDefs],
      resolvers: { Query: { book: () => ({ id: 1 }) }, Mutation: { rename: () => ({ id: 1 }) } } as never,
      plugins: [edge({ cdn: 'cloudfront', purge })],
    });
    return { send: async (request) => httpAPI.read(await handler(httpAPI.build(request) as never, {} as never)), log };
  }

  test('is logged with its tags on Lambda after the repeat, and no later call purges them', async () => {
    const sent: (readonly string[])[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      throw new PurgeRefused('429', 5);
    };
    const { send, log } = lambdaShop(purge);

    const answered = send(post({ query: 'mutation { rename(id: 1) { id } }' }));
    await new Promise(setImmediate);
    const before = sent.length;
    await advancing(answered);
    await send(get({ query: '{ book(id: 1) { id } }' }));

    assert.deepEqual([before, sent.length], [1, 2]);
    const messages = log.filter(({ level }) => level === 'error').map(({ message }) => message);
    assert.equal(messages.length, 2);
    assert.match(messages[0]!, /tags may be old until their lifetime ends: e:Book:1, u:Book/);
  });
});

describe('a read that takes long', () => {
  test('is public up to two thirds of the time to the repeat of a purge', async (t) => {
    let time = 0;
    t.mock.method(performance, 'now', () => time);
    let takes = 1_900;
    const book = (): object => ((time += takes), { id: 1 });
    const { get, decisions } = shop({}, { Query: { book } });

    await get('{ book(id: 1) { id } }');
    takes = 2_100;
    await get('{ book(id: 1) { id } }');

    assert.deepEqual(
      decisions.map((decision) => (decision.public ? true : decision.reason)),
      [true, 'it took so long that its data may have changed in the meantime'],
    );
  });
});
