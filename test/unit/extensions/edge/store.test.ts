import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, mock, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import type { EdgeOptions } from '../../../../src/entries/edge.ts';
import type { ContextArgument, KeyValueCache, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { MapCache } from '../../../support/edge/map-cache.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import type { EdgeServing } from '../../../support/edge/serving.ts';
import { after } from '../../../support/stages.ts';

const typeDefs = `
  type Query {
    book(id: ID!): Book @cacheControl(maxAge: 60) books(first: Int, after: ID): [Book] @cacheControl(maxAge: 60)
    filtered(filter: Filter): String @cacheControl(maxAge: 60) me: String @cacheControl(maxAge: 60) unmarked: String
    dynamic: String failing: String @cacheControl(maxAge: 60)
  }
  input Filter { a: Int b: [Int!] }
  type Book @cacheControl(maxAge: 60) { id: ID! title: String }
  type Mutation { rename(id: ID!, title: String!): Book remove(id: ID!): Boolean }`;

interface Shop extends EdgeServing {
  /** The fields that were resolved, in order. Stored answers resolve none. */
  readonly runs: string[];
  readonly cache: MapCache;
  /** Sends a request, and waits until the answer is in the store. */
  readonly keep: (body: object, headers?: Record<string, string>) => Promise<Response>;
}

/** Creates one process of a shop. Other processes may share its store and its books. */
function shop(given: Partial<EdgeOptions> & { cache?: MapCache; books?: Map<string, string>; server?: Partial<ServerOptions> } = {}): Shop {
  const { cache = new MapCache(), books = new Map([['1', 'one'], ['2', 'two']]), server = {}, ...options } = given; // prettier-ignore
  const runs: string[] = [];
  const bookOf = (id: string): object => ({ id, title: books.get(id) });
  const Query = {
    book: (_: unknown, { id }: { id: string }) => (runs.push(`book ${id}`), bookOf(id)),
    books: () => (runs.push('books'), [...books.keys()].map(bookOf)),
    filtered: () => (runs.push('filtered'), 'x'),
    me: (_: unknown, __: unknown, { user }: { user: () => string | null }) => (runs.push('me'), user()),
    unmarked: () => (runs.push('unmarked'), 'x'),
    dynamic: (_: unknown, __: unknown, ___: unknown, info: { cacheControl: { setCacheHint: (hint: object) => void } }) => {
      runs.push('dynamic');
      info.cacheControl.setCacheHint({ maxAge: 7 });
    },
    failing: () => {
      runs.push('failing');
      throw new Error('No.');
    },
  };
  const rename = (_: unknown, { id, title }: { id: string; title: string }): object => (books.set(id, title), bookOf(id));
  const serving = edgeServing({
    cdn: undefined,
    store: cache,
    deploy: 'v1',
    ...options,
    server: {
      typeDefs,
      resolvers: { Query, Mutation: { rename, remove: (_: unknown, { id }: { id: string }) => books.delete(id) } },
      context: ({ request }: ContextArgument) => ({ user: () => request.headers.get('authorization') }),
      ...server,
    } as never,
  });
  const keep: Shop['keep'] = async (body, headers) => {
    const response = await serving.post(body, headers);
    await serving.settled();
    return response;
  };
  return { ...serving, runs, cache, keep };
}

const one = { query: '{ book(id: 1) { id title } }' };

describe('an answer in a shared store', () => {
  test('is served to all users, also by POST, without running anything', async () => {
    const { post, runs, decisions, keep } = shop({ server: { context: () => ({}) } });
    const first = await keep(one, { authorization: 'anna' });

    const second = await post(one, { authorization: 'bert' });

    assert.deepEqual(await second.json(), await first.json());
    assert.deepEqual(runs, ['book 1']);
    const shown = decisions.map((decision) => decision.public && [decision.maxAge > 50, decision.hit]);
    assert.deepEqual(shown, [
      [true, undefined],
      [true, true],
    ]);
    // The answer is private for a CDN.
    assert.equal(second.headers.get('cache-control'), 'private, no-store');
  });

  test('is found by another process of the same deployment that has never parsed its document', async () => {
    const cache = new MapCache();
    const [writer, reader] = [shop({ cache }), shop({ cache })];
    await writer.get('query A { me: book(id: 1) { id ...T } } fragment T on Book { title }');
    await writer.settled();

    const response = await reader.get('query A { me: book(id: 1) { id ...T } } fragment T on Book { title }');

    assert.deepEqual(await response.json(), { data: { me: { id: '1', title: 'one' } } });
    assert.deepEqual(reader.runs, []);
  });

  test('is not used for another deploy', async () => {
    const cache = new MapCache();
    const reader = shop({ cache, deploy: 'v2' });
    await shop({ cache }).keep(one);

    await reader.post(one);

    assert.deepEqual(reader.runs, ['book 1']);
  });

  test('is used for a request with its variables in another order', async () => {
    const { keep, runs } = shop();
    const query = 'query ($filter: Filter) { filtered(filter: $filter) }';

    await keep({ query, variables: { filter: { a: 1, b: [1, 2] }, x: 1 } });
    await keep({ query, variables: { x: 1, filter: { b: [1, 2], a: 1 } } });

    assert.equal(runs.length, 1);
  });

  test('depends on listed headers, the path, other query parameters, extensions and the method', async () => {
    const { runs, settled, send } = shop({ varyHeaders: ['accept-language'] });
    const request = (path: string, init: RequestInit = {}, body: object = one): Request => {
      const headers = { 'content-type': 'application/json', ...(init.headers as object) };
      return new Request(`https://a.example/${path}`, { method: 'POST', ...init, headers, body: JSON.stringify(body) });
    };
    const requests = [
      request('graphql'),
      request('tenant/graphql'),
      request('graphql?id=7'),
      request('graphql', { headers: { 'accept-language': 'de' } }),
      request('graphql', { method: 'QUERY' }),
      request('graphql', {}, { ...one, extensions: { tenant: 1 } }),
    ];

    for (let round = 0; round < 2; round++)
      for (const one of requests) {
        await send(one.clone());
        await settled();
      }

    assert.equal(runs.length, requests.length);
  });

  test('has the header fields that context set', async () => {
    const context = ({ response }: ContextArgument): object => (response.headers.set('x-shelf', '3'), {});
    const { keep } = shop({ server: { context: context as never } });
    await keep(one);

    assert.equal((await keep(one)).headers.get('x-shelf'), '3');
  });

  test('has the lifetime that a resolver set', async () => {
    const { keep, decisions, runs } = shop();
    for (let round = 0; round < 2; round++) await keep({ query: '{ dynamic }' });

    const last = decisions.at(-1);
    assert.deepEqual([runs, last?.public && last.maxAge <= 7 && last.hit], [['dynamic'], true]);
  });

  test('is used in a batch, which is private as a whole', async () => {
    const { post, keep, runs } = shop();
    await keep(one);

    const response = await post([one, { query: '{ unmarked }' }]);

    assert.deepEqual(await response.json(), [{ data: { book: { id: '1', title: 'one' } } }, { data: { unmarked: 'x' } }]);
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    assert.deepEqual(runs, ['book 1', 'unmarked']);
  });

  test('is not kept beyond its lifetime', async (t) => {
    const { keep, runs } = shop();
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    await keep(one);

    t.mock.timers.setTime(1_000_000 + 61_000);
    await keep(one);

    assert.equal(runs.length, 2);
  });
});

describe('a client that reads events', () => {
  test('gets a stored answer as one event; answers of other events are not kept', async () => {
    const { post, keep, settled, runs, cache } = shop();
    const events = { accept: 'text/event-stream' };
    await (await post(one, events)).text();
    await settled();
    assert.deepEqual(cache.keysOf('answer:'), []);
    await keep(one);

    const response = await post(one, events);

    assert.match(await response.text(), /data: \{"data":\{"book":\{"id":"1","title":"one"\}\}\}/);
    assert.equal(runs.length, 2);
  });
});

describe('mutations, and queries that are private by their hints', () => {
  const documents = { rename: 'mutation { rename(id: 1, title: "x") { id } }', private: '{ unmarked }', public: one.query };
  const hash = createHash('sha256').update(documents.rename).digest('hex');
  const requests = {
    'by text': [{ query: documents.rename }, { query: documents.private }],
    'by id': [{ documentId: 'rename' }, { documentId: 'private' }],
    'by hash': [{ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
  };
  for (const [name, all] of Object.entries(requests))
    test(`do not read the answers in the store once this process knows them: ${name}`, async () => {
      const trusted = name === 'by id' ? { trustedDocuments: { documents } } : {};
      const { keep, cache } = shop({ server: trusted as never });
      if (name === 'by hash') await keep({ query: documents.rename, ...all[0] });
      for (const body of all) await keep(body);
      const get = mock.method(cache, 'get');

      for (const body of all) await keep(body);

      assert.equal(
        get.mock.calls.some(({ arguments: [key] }) => key.includes('answer:')),
        false,
      );
    });
});

test('a persisted query is registered by the pipeline, and served from the store by its hash alone', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(one.query).digest('hex') } };
  const { keep, runs } = shop();
  for (const body of [{ extensions }, { ...one, extensions }, { extensions }]) await keep(body);

  const response = await keep({ extensions });

  assert.deepEqual(await response.json(), { data: { book: { id: '1', title: 'one' } } });
  assert.deepEqual(runs, ['book 1', 'book 1']);
});

describe('a shared store keeps nothing', () => {
  const settingCookie = ({ response }: ContextArgument): object => (response.headers.append('set-cookie', 'session=anna'), {});
  const removing: ServerPlugin = { request: after((_call, { headers }) => headers.delete('set-cookie')) };
  const rows: readonly (readonly [what: string, body: object, server?: object])[] = [
    ['of introspection', { query: '{ book(id: 1) { id } __schema { queryType { name } } }' }],
    ['of a field that reads the user', { query: '{ me }' }],
    ['of a field without a lifetime', { query: '{ unmarked }' }],
    ['of an answer with errors', { query: '{ failing }' }],
    ['of a field beside one that reads the user', { query: '{ book(id: 1) { id } me }' }],
    ['of a document that is not valid', { query: '{ nothing }' }],
    ['of a batch', [one]],
    [
      'if Accept was read: its key has no media types',
      one,
      { context: ({ request }: ContextArgument) => ({ accept: request.headers.get('accept') }) },
    ],
    ['that sets a cookie', one, { context: settingCookie }],
    ['if a cookie was set and removed again', one, { context: settingCookie, plugins: [removing] }],
  ];
  for (const [what, body, server] of rows)
    test(what, async () => {
      const { keep, cache } = shop({ server: { introspection: true, ...server } });

      await keep(body, { authorization: 'anna' });

      assert.deepEqual(cache.keysOf('answer:'), []);
    });

  test('of answers that are private by their hints, and is not read for them again', async () => {
    const { keep, cache } = shop();
    for (const query of ['{ unmarked }', 'mutation { rename(id: 9, title: "x") { id } }']) await keep({ query });
    const before = cache.calls;

    await keep({ query: '{ unmarked }' });

    assert.equal(cache.calls, before);
  });
});

describe('a mutation and a shared store', () => {
  const rename = (id: number, title: string): object => ({ query: `mutation { rename(id: ${id}, title: "${title}") { id } }` });

  test('purges only the changed objects, for all processes, before its answer is sent', async () => {
    const [cache, books] = [new MapCache(() => setTimeout(2)), new Map([['1', 'one'], ['2', 'two']])]; // prettier-ignore
    const [here, there] = [shop({ cache, books }), shop({ cache, books })];
    const bodies = [one, { query: '{ book(id: 2) { id title } }' }, { query: '{ books { id } }' }];
    for (const body of bodies) await here.keep(body);

    await there.post(rename(1, 'uno'));

    const answers: any[] = [];
    for (const body of bodies) answers.push(await (await here.post(body)).json());
    assert.equal(answers[0].data.book.title, 'uno');
    assert.deepEqual(here.runs.slice(3), ['book 1', 'books']);
  });

  test('waits half a second for a slow store', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isSlow = false;
    const { post } = shop({ cache: new MapCache(() => new Promise((done) => (isSlow ? void globalThis.setTimeout(done, 100) : done()))) });
    await post(rename(1, 'uno'));
    isSlow = true;
    const answered: Response[] = [];
    void post(rename(1, 'uno')).then((response) => answered.push(response));

    const counts: number[] = [];
    for (const passed of [0, 100, 100, 100, 100, 99, 1]) {
      t.mock.timers.tick(passed);
      await new Promise(setImmediate);
      counts.push(answered.length);
    }

    assert.deepEqual(counts, [0, 0, 0, 0, 0, 0, 1]);
  });

  test('edge.purge purges by hand, and resolves when it is done', async () => {
    const { keep, edge, runs } = shop();
    await keep(one);

    await edge.purge({ types: ['Book'] });
    await keep(one);

    assert.equal(runs.length, 2);
  });

  test('a mutation that names no objects and purges nothing is reported once, whatever aliases a client makes up', async () => {
    const { post, log } = shop();

    for (const made of ['__typename', 'made', 'up']) await post({ query: `mutation { ${made}: remove(id: 2) }` });
    for (let round = 0; round < 2; round++) await post({ query: 'mutation { remove(id: 2) }' });

    assert.deepEqual([log.length, log[0]!.level], [1, 'warn']);
    assert.match(log[0]!.message, /^The answer to the mutation remove names no object, so n/);
  });
});

describe('a store that is down', () => {
  const fail = (): Promise<never> => Promise.reject(new Error('down'));
  const failing: KeyValueCache = { get: fail, set: fail, delete: fail };

  test('causes only misses', async () => {
    const { keep, runs } = shop({ store: failing });

    for (let round = 0; round < 2; round++) assert.deepEqual(await (await keep(one)).json(), { data: { book: { id: '1', title: 'one' } } });
    assert.equal(runs.length, 2);
  });

  test('makes purge reject if it refuses a purge', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { edge, post } = shop({ store: failing });
    await post(one);

    const purged = edge.purge({ types: ['Book'] });
    const refused = assert.rejects(purged, { message: 'The store of answers did not accept a purge.' });
    for (let turn = 0; turn < 200; turn++) {
      await Promise.resolve();
      if (turn % 20 === 19) t.mock.timers.tick(10_000);
    }

    await refused;
  });
});

describe('a store together with a CDN', () => {
  test('a stored answer has its remaining lifetime and its tags', async () => {
    const { get, settled, runs } = shop({ cdn: 'varnish' });
    await get(one.query);
    await settled();

    const { headers } = await get(one.query);

    assert.match(headers.get('cache-control') ?? '', /^public, max-age=0, s-maxage=(?:5\d|60)$/);
    assert.deepEqual(headers.get('xkey')?.split(' ').toSorted(), ['d:v1', 'e:Book:1', 'q:book', 't:Book']);
    assert.equal(runs.length, 1);
  });
});

/** Values of members of an entry that edge never writes. Undefined means that the member is missing. */
const damages: Readonly<Record<string, readonly unknown[]>> = {
  result: [undefined, null, [], 'x', {}, { data: null }, { data: 1 }],
  source: [undefined, null, 1, '', '{', 'fragment A on Book { id }', 'type A { id: ID }'],
  headers: [null, [null], [['a b', 'c']], [['a', 'b\nc']]],
  tags: [undefined, null, {}, 'x', [null], ['a'], [['a']], [['t:Book', 1]], [['t:Book', 'other']]],
  until: [undefined, null, 'x'],
};

const truncated = (text: string): string[] => Array.from({ length: text.length / 7 }, (_, at) => text.slice(0, at * 7));

for (const [member, damage] of [
  ...Object.entries(damages).map(
    ([name, values]) =>
      [`a damaged ${name}`, (text: string) => values.map((value) => JSON.stringify({ ...JSON.parse(text), [name]: value }))] as const,
  ),
  ['its end cut off', truncated] as const,
])
  test(`an entry of the store with ${member} is a miss`, async () => {
    const query = 'query Book { book(id: 1) { id title } }';
    const { cache, get, settled } = shop();
    await get(query);
    await settled();
    const key = cache.keysOf('answer')[0]!;

    for (const text of damage((await cache.get(key))!)) {
      const { get: getAgain, settled: keptAgain, runs, log } = shop({ cache });
      await cache.set(key, text);

      const response = await getAgain(query);
      await keptAgain();

      assert.deepEqual([await response.json(), runs, log], [{ data: { book: { id: '1', title: 'one' } } }, ['book 1'], []]);
    }
  });
