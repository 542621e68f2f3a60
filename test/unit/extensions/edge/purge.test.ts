import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import type { TestContext } from 'node:test';

import { GraphQLError, versionInfo } from 'graphql';

import { createHandler } from '../../../../src/entries/aws-lambda.ts';
import { cacheControlDefinitions, edge } from '../../../../src/entries/edge.ts';
import type { EdgeOptions, PurgeClient } from '../../../../src/entries/edge.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { Purger } from '../../../../src/extensions/edge/purge.ts';
import { deferred } from '../../../support/deferred.ts';
import { get, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { httpAPI } from '../../../support/sources.ts';
import { edgeServing } from '../../../support/edge/serving.ts';
import type { EdgeServing } from '../../../support/edge/serving.ts';

/** The refusal of a CDN that says when to send a purge again. */
function refusedFor(retryAfter: number | undefined): Error {
  return Object.assign(new Error('429'), { retryAfter });
}

const typeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) books: [Book] @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String } type Pen { id: ID! }
  type Mutation { rename(id: ID!): Book remove(id: ID!): Boolean nameless: Book failing: Book strict: Pair! both(id: ID!): Pair } type Pair { book: Book pen: Pen }`;

const oddTypeDefs = `
  type Query { book(id: ID!): Book @cacheControl(maxAge: 60) item: Item @cacheControl(maxAge: 60) }
  interface Node { id: ID! } union Item = Book | Pen
  type Book implements Node @cacheControl(maxAge: 60) { id: ID! title: String pens: [Pen] } type Pen implements Node @cacheControl(maxAge: 60) { id: ID! }
  type Mutation { rename: Book replace: Book! replaceAll: [Book!]! renameAll: [Book] write: Book turn: Node tidy: Tidied strictTidy: Strict! }
  type Tidied { books: [Book] pens: [Pen] } type Strict { pens: [Pen!]! }`;

const fail = (): never => {
  throw new Error('No.');
};

interface Shop extends Omit<EdgeServing, 'settled'> {
  readonly purges: string[][];
}

/** A purge that is refused with these errors, and then accepted. */
function refusing(...errors: readonly Error[]): {
  readonly purge: (tags: readonly string[]) => Promise<void>;
  readonly sent: (readonly string[])[];
} {
  const sent: (readonly string[])[] = [];
  const purge = async (tags: readonly string[]): Promise<void> => {
    const error = errors[sent.push(tags) - 1];
    if (error !== undefined) throw error;
  };
  return { purge, sent };
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
    purge: async (tags) => void purges.push([...tags]),
    ...options,
    server: { typeDefs, resolvers: { Query, Mutation, ...resolvers }, ...server } as never,
  });
  return { ...serving, purges };
}

/** Creates a shop with a schema for fields that fail in unusual places. */
function oddShop({ Query = {}, ...resolvers }: { Query?: object; Mutation: object; Strict?: object }, server: object = {}): Shop {
  return shop({}, { Query: { book: () => null, ...Query }, ...resolvers }, { typeDefs: oddTypeDefs, ...server });
}

function posted(query: string, init: RequestInit): Request {
  const headers = { 'content-type': 'application/json' };
  return new Request('https://api.example/', { method: 'POST', headers, body: JSON.stringify({ query }), ...init });
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
  const rows: readonly (readonly [what: string, selection: string, tags: string])[] = [
    ['the object, and answers and lists that may contain it', 'rename(id: 1) { id }', 'e:Book:1 u:Book l:Book'],
    ['all answers with the type, when the id is not selected', 'rename(id: 1) { title }', 't:Book l:Book'],
    ['all answers with the type, when the object has no id', 'nameless { title }', 't:Book l:Book'],
    ['nothing, when its answer names no object', 'remove(id: 1)', ''],
    ['the objects, and all that a failed field may have changed', 'failing { id } rename(id: 2) { id }', 'e:Book:2 t:Book u:Book l:Book'],
    ['the type of a failed field, and the types selected below it', 'strict { book { id } }', 't:Pair l:Pair t:Book l:Book'],
    ['objects at any depth', 'both(id: 3) { book { id } pen { id } }', 'e:Book:3 t:Pair l:Pair u:Book l:Book'],
  ];
  for (const [what, selection, tags] of rows)
    test(what, async () => {
      const { post, purges } = shop();

      await post({ query: `mutation { ${selection} }` });

      assert.deepEqual(
        purges.map((batch) => batch.toSorted().join(' ')),
        tags === '' ? [] : [tags.split(' ').toSorted().join(' ')],
      );
    });

  const failsAfterwards: ServerPlugin = { operation: async (_call, next) => (await next(), fail()) };
  const cannotBeSent: ServerPlugin = { requestDidStart: () => ({ willSendResponse: fail }) };
  const tidied = { write: () => ({ id: '7' }), tidy: () => ({ books: [null, { id: '2' }] }), strictTidy: () => ({}) };
  const large = { write: () => ({ id: '7', title: 'x'.repeat(100_000) }) };
  const pen = { __typename: 'Pen', id: '1' };
  const many = { renameAll: () => Array.from({ length: 1_001 }, (_, id) => ({ id })) };
  const never = (): Promise<never> => new Promise(() => undefined);
  const late = { deadline: { ms: 20, reserveMs: 5, partial: 'NULL' } };
  const partly = { renameAll: () => [{ id: '1' }, new Error('No.')] };
  type More = { readonly server?: object; readonly onError?: string | undefined };
  const unusual: readonly (readonly [what: string, selection: string, tags: string, Mutation: object, more?: More])[] = [
    ['a field that returned no object', 'rename { id }', 't:Book', { rename: () => null }],
    ['that, with HALT', 'rename { id } tidy { pens { id } }', 't:Book', { rename: () => null, tidy: fail }, { onError: 'HALT' }],
    ['an object that may have had another type', 'turn { __typename id }', 'e:Pen:1 e:Book:1', { turn: () => pen }],
    ['an object whose type the answer does not tell', 'turn { id }', 't:Book t:Pen', { turn: () => pen }],
    ['failed items of a list', 'renameAll { id }', 't:Book e:Book:1', partly],
    [
      '1,001 objects of one type, beside one of another',
      'renameAll { id } turn { __typename id }',
      't:Book l:Book e:Pen:1',
      { ...many, turn: () => pen },
    ],
    ['the objects beside null in a list', 'tidy { books { id } }', 'e:Book:2', tidied],
    ['all fields, if nested null', 'write { id } strictTidy { pens { id } }', 't:Book l:Book t:Strict l:Strict t:Pen l:Pen', tidied],
    ['a field whose error a plugin replaces', 'rename { id }', 't:Book', { rename: fail }, { server: { plugins: [cannotBeSent] } }],
    [
      'its fields, when a plugin around it fails afterwards',
      'write { id } rename { id }',
      'e:Book:7 t:Book',
      { ...tidied, rename: fail },
      { server: { plugins: [failsAfterwards] } },
    ],
    ['its fields, when its answer is too large', 'write { id title }', 't:Book', large, { server: { maxResultBytes: 50_000 } }],
    ...[undefined, 'NULL', 'HALT'].map(
      (onError) => [`a non-null field that fails: ${onError}`, 'replace { id }', 't:Book', { replace: fail }, { onError }] as const,
    ),
    ['a non-null list that fails', 'replaceAll { id }', 't:Book', { replaceAll: fail }, { onError: 'NULL' }],
    ['a non-null list that fails in an object', 'strictTidy { pens { id } }', 't:Pen l:Pen', tidied, { onError: 'NULL' }],
    ['a non-null field that is unfinished at the deadline', 'replace { id }', 't:Book', { replace: never }, { server: late }],
  ];
  for (const [what, selection, tags, Mutation, { server, onError } = {}] of unusual)
    test(`what may have changed: ${what}`, async () => {
      const { post, purges } = oddShop({ Mutation, Strict: { pens: fail } }, server);

      await advancing(post({ query: `mutation { ${selection} }`, onError }));

      const purged = purges.flat();
      assert.ok(
        tags.split(' ').every((tag) => purged.includes(tag)),
        `purged ${purged.join(' ')}`,
      );
    });

  const refuse = (code: string) => (): never => {
    throw new GraphQLError('Not you.', { extensions: { code } });
  };
  for (const code of ['UNAUTHENTICATED', 'FORBIDDEN'])
    for (const onError of [undefined, 'NULL', 'HALT'])
      for (const field of ['rename', 'replace'])
        test(`nothing when ${field} is refused with ${code} and onError ${onError}: such requests cannot empty the CDN`, async () => {
          const { post, purges } = oddShop({ Mutation: { [field]: refuse(code) } });

          await post({ query: `mutation { ${field} { id pens { id } } }`, onError });

          assert.deepEqual(purges, []);
        });

  test('nothing when its variables are invalid: such requests cannot empty the CDN', async () => {
    const { post: send, purges } = shop();

    const refused = await send({ query: 'mutation ($id: ID!) { rename(id: $id) { id } }', variables: { id: {} } });

    assert.deepEqual([refused.status, purges], [422, []]);
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

    assert.deepEqual(purges.flat().toSorted(), ['l:Book', 't:Book']);
  });

  test('no types of fields that were not called because the client disconnected during the check of a refused field', async () => {
    const [started, checked] = [deferred(), deferred()];
    const rename = async (): Promise<never> => {
      started.resolve();
      await checked.promise;
      return refuse('FORBIDDEN')();
    };
    const { send, purges } = oddShop({ Mutation: { rename, tidy: () => ({}) } });
    const client = new AbortController();

    const answered = send(posted('mutation { rename { id } tidy { pens { id } } }', { signal: client.signal }));
    await started.promise;
    client.abort();
    await answered.catch(() => undefined);
    checked.resolve();
    await new Promise(setImmediate);

    assert.doesNotMatch(purges.join(), /Pen|Tidied/);
  });

  test('all types that it selects below an error, however many selections there are', async () => {
    const types = Array.from({ length: 60 }, (_, at) => `type T${at} implements Node { id: ID! list: [Node!] }`).join(' ');
    const fields = Array.from({ length: 100 }, (_, at) => `f${at}: list { id ... on T${at % 60} { more: list { id } } }`).join(' ');
    const typeDefs = `type Query { book: Book } type Book { id: ID! broken: Node } type Mutation { rename: Book }
      interface Node { id: ID! list: [Node!] } ${types}`;
    const resolvers = { Query: {}, Mutation: { rename: () => ({ id: '7' }) }, Book: { broken: fail } };
    const { post, purges, log } = shop({}, resolvers, { typeDefs });

    await post({ query: `mutation { rename { id broken { ... on Node { ${fields} } } } }` });

    const tags = new Set(purges.flat());
    assert.ok(tags.has('t:Book'), `purged ${purges.join(' ').slice(0, 200)}`);
    assert.equal([...tags].filter((tag) => tag.startsWith('t:T')).length, 60);
    assert.equal(
      log.some(({ message }) => message.startsWith('edge')),
      false,
    );
  });

  test('all types that it selects, if what it has changed cannot be determined', async () => {
    const broken: ServerPlugin = {
      execution: async (_call, next) => {
        const outcome = await next();
        const data = {
          get rename(): object {
            throw new Error('No.');
          },
        };
        return { ...outcome, result: { data: Object.defineProperty(data, 'toJSON', { value: () => ({ rename: null }) }) } };
      },
    };
    const { post, purges, log } = shop({}, {}, { plugins: [broken] });

    await post({ query: 'mutation { rename(id: 1) { id } }' });

    assert.ok(purges[0]?.includes('t:Book'), `purged ${purges.join(' ')}`);
    assert.match(log[0]!.message, /^edge could not determine what a mutation changed: all types that it selects are purged\.$/);
  });

  test('all types that it selects, if its answer has more objects than are read', async () => {
    const { post, purges } = oddShop({ Mutation: { renameAll: () => Array.from({ length: 200_001 }, () => ({ id: '1' })) } });

    await post({ query: 'mutation { renameAll { id } }' });

    assert.ok(purges[0]?.includes('t:Book'), `purged ${purges.join(' ')}`);
  });

  const endings: readonly (readonly [name: string, server: object, leaves: boolean])[] = [
    ['when its deadline has passed', { deadline: { ms: 30, reserveMs: 5 } }, false],
    ['when its deadline has passed, and a plugin has replaced the data', { deadline: { ms: 30, reserveMs: 5 }, plugins: [copying] }, false],
    ['when its client has disconnected', {}, true],
  ];
  for (const [name, server, leaves] of endings)
    test(`its types once, and a line names the tags, when it is answered before its resolver settles: ${name}`, async () => {
      const [started, written] = [deferred(), deferred<object>()];
      const rename = (): Promise<object> => (started.resolve(), written.promise);
      const { send, purges, log } = oddShop({ Mutation: { rename } }, server);
      const client = new AbortController();
      const request = posted('mutation { rename { id } }', { signal: client.signal });

      const answered = send(request);
      await started.promise;
      if (leaves) client.abort();
      await advancing(answered.catch(() => undefined));
      const before = purges.length;
      written.resolve({ id: '1' });
      await new Promise(setImmediate);

      assert.equal(before, 1);
      assert.equal(purges.length, 1);
      assert.ok(purges[0]!.includes('t:Book'));
      const late = log.filter(({ message }) => message.startsWith('A mutation was answered before its end.'));
      assert.equal(late.length, 1);
      assert.match(late[0]!.message, /tags may be old until their lifetime ends: .*t:Book/);
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

test('a mutation is purged immediately, even if the purge of another one hangs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const purged: string[] = [];
  const purge = async (tags: readonly string[]): Promise<unknown> =>
    tags.includes('e:Book:stuck') ? new Promise(() => undefined) : purged.push(...tags.filter((tag) => tag.startsWith('e:')));
  const { post } = shop({ purge });

  await post({ query: 'mutation { rename(id: "stuck") { id } }' });
  for (const id of [1, 2]) await post({ query: `mutation { rename(id: ${id}) { id } }` });

  assert.deepEqual(purged, ['e:Book:1', 'e:Book:2']);
});

describe('a read that began before a mutation', () => {
  stopTimers();

  for (const [changed, isKept] of [
    [1, false],
    [2, true],
  ] as const)
    test(`is ${isKept ? 'kept when something else has' : 'not kept if its objects have'} changed in the meantime`, async () => {
      const { promise: reading, resolve: read } = deferred<object>();
      const { get, post, decisions } = shop({}, { Query: { book: () => reading, books: () => [] } });
      const answer = get('{ book(id: 1) { id title } }');
      await post({ query: `mutation { rename(id: ${changed}) { id } }` });

      read({ id: '1', title: 'old' });

      assert.equal((await answer).headers.get('cache-control') === 'private, no-store', !isKept);
      assert.equal(JSON.stringify(decisions.at(-1)).includes('its data has changed in the meantime'), !isKept);
    });
});

describe('a mutation whose answer comes in parts', () => {
  stopTimers();

  test('purges all types that its parts can contain', { skip: versionInfo.major < 17 && 'graphql 16 answers once' }, async () => {
    const { send, purges } = shop({}, {}, { incrementalDelivery: incrementalDelivery() });
    const query = 'mutation { both(id: 3) { pen { id } ... @defer { book { id } } } }';

    const response = await send(posted(query, { headers: { 'content-type': 'application/json', accept: 'multipart/mixed' } }));
    await response.text();

    assert.ok(purges[0]?.includes('t:Book'), String(purges));
  });
});

describe('purge of an edge', () => {
  stopTimers();

  test('accepts objects, types, fields and tags', async () => {
    const { edge, get, purges } = shop();
    await get('{ books { id } }');

    await edge.purge({ entities: [{ typename: 'Pen', id: 7 }], types: ['Book'], fields: ['books'], tags: ['d:v1'] });

    assert.equal(purges.join(' '), 'e:Pen:7,u:Pen,l:Pen,t:Book,l:Book,q:books,d:v1');
  });

  test('removes lists of interfaces and unions, also in a process that has served no request', async () => {
    const typeDefs = `type Query { nodes: [Node] @cacheControl(maxAge: 60) } type Mutation { no: Int } interface Node { id: ID! }
      type Book implements Node @cacheControl(maxAge: 60) { id: ID! } type Pen implements Node @cacheControl(maxAge: 60) { id: ID! }`;
    const [reader, webhook] = [shop({}, { Query: { nodes: () => [] }, Mutation: {} }, { typeDefs }), shop()];
    await reader.get('{ nodes { id } }');

    await webhook.edge.purge({ entities: [{ typename: 'Book', id: 7 }] });

    const [shown] = reader.decisions;
    assert.ok(shown?.public === true && shown.tags.some((tag) => webhook.purges.flat().includes(tag)), JSON.stringify(shown));
  });

  test('rejects without the options purge and store', async () => {
    const { edge } = shop({ purge: undefined });

    await assert.rejects(edge.purge({ types: ['Book'] }), {
      message: 'Expected edge to have the option purge or store to purge answers from, got neither.',
    });
  });
});

describe('the purger', () => {
  /** Creates a purger whose purges are refused with the error that this function returns. */
  const purgerOf = (client: Omit<PurgeClient, 'purge'>, isRefused: (tags: readonly string[]) => unknown = () => undefined) => {
    const sent: (readonly string[])[] = [];
    const purge = async (tags: readonly string[]): Promise<void> => {
      sent.push(tags);
      const error = isRefused(tags);
      if (error !== undefined) throw error;
    };
    const purger = new Purger({ ...client, purge });
    return { sent, send: async (...tags: string[]) => purger.purge(tags, undefined) };
  };

  test('sends the tags that were refused with the next purge, and no others', async () => {
    let isDown = true;
    const { sent, send } = purgerOf({ batchSize: 1 }, (tags) => (isDown && tags.includes('b') ? new Error('down') : undefined));

    const refusals = [await send('a', 'b'), await send('c')];
    isDown = false;
    refusals.push(await send(), await send(), await send('d'));

    const told = refusals.map((refusal) => refusal && `${[...refusal.tags].join()}: ${refusal.error.message}`);
    assert.deepEqual(told, ['b: down', 'b: down', undefined, undefined, undefined]);
    assert.deepEqual(sent, [['a'], ['b'], ['b'], ['c'], ['b'], ['d']]);
  });

  test('keeps a tag that is refused while a purge that began before is accepted', async (t) => {
    const first = deferred<void>();
    const results = [() => first.promise, () => Promise.reject(new Error('down'))];
    const purge = t.mock.fn(async (_tags: readonly string[]) => results.shift()?.());
    const purger = new Purger({ purge });
    const before = purger.purge(['a'], undefined);
    await purger.purge(['a'], undefined);
    first.resolve();
    await before;

    await purger.purge(['b'], undefined);

    assert.deepEqual(purge.mock.calls[2]!.arguments[0], ['a', 'b']);
  });

  test('keeps 1,000 refused tags, the last ones', async () => {
    let isDown = true;
    const { sent, send } = purgerOf({ batchSize: 10_000 }, () => (isDown ? new Error('down') : undefined));
    await send(...Array.from({ length: 1_200 }, (_, at) => `e:T:${at}`));

    isDown = false;
    await send('last');

    assert.deepEqual([sent[1]!.length, sent[1]![0], sent[1]!.at(-1)], [1_001, 'e:T:200', 'last']);
  });

  test('counts a request that has not ended after 30 seconds as refused', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const hanging = new Purger({ purge: () => new Promise(() => undefined) }).purge(['a'], undefined);

    t.mock.timers.tick(30_000);

    assert.equal((await hanging)?.error.message, 'A purge has not ended within 30 seconds.');
  });

  test('calls the method of an instance of a class', async () => {
    class Client {
      readonly sent: string[] = [];
      async purge(tags: readonly string[]): Promise<void> {
        this.sent.push(...tags);
      }
    }
    const client = new Client();

    assert.equal(await new Purger(client).purge(['a'], undefined), undefined);
    assert.deepEqual(client.sent, ['a']);
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

  test('by hand is an error, and is sent again', async () => {
    const { purge, sent } = refusing(new Error('down'));
    const { edge: extension } = shop({ purge });

    await assert.rejects(extension.purge({ tags: ['a'] }), { message: 'down' });
    await pass(3);

    assert.deepEqual(sent, [['a'], ['a']]);
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

    const reasons = decisions.map((decision) => (decision.public ? 'public' : decision.reason));
    assert.deepEqual(reasons, ['public', 'it took so long that its data may have changed in the meantime']);
  });
});
