import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { versionInfo } from 'graphql';

import { costLine } from '../../../../src/entries/cost-line.ts';
import type { CostRecord } from '../../../../src/entries/cost-line.ts';
import { createHandler } from '../../../../src/entries/index.ts';
import type { ContextArgument } from '../../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { deferred } from '../../../support/deferred.ts';
import { createEventSource } from '../../../support/event-source.ts';
import { parseParts } from '../../../support/multipart.ts';
import { stopTheClock } from '../../../support/clock.ts';
import { webRequest } from '../../../support/events.ts';
import { executors } from '../../../support/executors.ts';
import { get, json, post } from '../../../support/plain-http.ts';
import type { PlainRequest, PlainResponse } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { resultsOf } from '../../../support/sse.ts';
import { httpAPI } from '../../../support/sources.ts';

let schemas = 0;

interface Server {
  readonly send: (request: PlainRequest) => Promise<PlainResponse>;
  /** Sends a request of a client that reads several parts or events. */
  readonly stream: (body: object, accept: string) => Promise<string>;
  readonly runs: string[];
}

const typeDefs = `
  type Query { shop: Shop shops: [Shop!]! strict: Shop! }
  type Mutation { one: Int! two: Int! three: Int! }
  type Shop { name: String! broken: String! empty: String! list: [Int!]! grid: [[Int!]!]! pet: Pet! later: String! }
  union Pet = Dog
  type Dog { name: String! }
`;

function createServer(options: Partial<ServerOptions<any, any, any, any>> = {}): Server {
  const runs: string[] = [];
  const note = (name: string, value: unknown) => (): unknown => {
    runs.push(name);
    if (value instanceof Error) throw value;
    return value;
  };
  const shop = { name: 'Corner' };
  const [logger] = recordingLogger();
  const handler = createHandler({
    nodeEnv: 'test',
    logger,
    typeDefs: `${typeDefs} # on-error ${++schemas}`,
    resolvers: {
      Query: { shop: () => shop, shops: () => [shop, shop], strict: () => shop },
      Mutation: { one: note('one', 1), two: note('two', new Error('two failed')), three: note('three', 3) },
      Shop: {
        broken: note('broken', new Error('broken')),
        empty: note('empty', null),
        list: () => [1, null, 3],
        grid: () => [[1, null], [Promise.reject(new Error('item'))]],
        pet: () => ({ __typename: 'Dog', name: null }),
        later: () => Promise.reject(new Error('later')),
      },
    },
    ...options,
  } as ServerOptions);
  return {
    runs,
    send: async (request) => httpAPI.read((await handler(httpAPI.build(request), {})) as never),
    stream: async (body, accept) => (await handler.fetch(webRequest(post(body, { headers: [['accept', accept]] })))).text(),
  };
}

const dataOf = async ({ send }: Server, body: object): Promise<unknown> => json(await send(post(body))).data;
const never = (): Promise<never> => new Promise(() => {});

const errorsOf = (response: PlainResponse): string[] =>
  (json(response).errors as { message: string; path: (string | number)[] }[]).map(({ message, path }) => `${path.join('.')}: ${message}`);

const nonNull = (path: string, field: string): string => `${path}: Cannot return null for non-nullable field ${field}.`;
const mutation = 'mutation { one two three }';

/** The answer to each onError: its data and errors, and the resolvers that have run. */
const rows: readonly (readonly [
  onError: string | null | undefined,
  query: string,
  data: object | null,
  errors: readonly string[],
  runs: readonly string[],
])[] = [
  [
    'NULL',
    '{ shop { name broken empty list grid pet { ... on Dog { name } } later } }',
    {
      shop: { name: 'Corner', broken: null, empty: null, list: [1, null, 3], grid: [[1, null], [null]], pet: { name: null }, later: null },
    },
    [
      'shop.broken: broken',
      nonNull('shop.empty', 'Shop.empty'),
      nonNull('shop.grid.0.1', 'Shop.grid'),
      'shop.grid.1.0: item',
      'shop.later: later',
      nonNull('shop.list.1', 'Shop.list'),
      nonNull('shop.pet.name', 'Dog.name'),
    ],
    ['broken', 'empty'],
  ],
  ...['PROPAGATE', undefined, null, ''].map(
    (onError) => [onError, '{ shop { name empty } }', { shop: null }, [nonNull('shop.empty', 'Shop.empty')], ['empty']] as const,
  ),
  ['HALT', '{ shop { name broken } strict { empty } }', null, ['shop.broken: broken'], ['broken']],
  ['NULL', mutation, { one: 1, two: null, three: 3 }, ['two: two failed'], ['one', 'two', 'three']],
  ['HALT', mutation, null, ['two: two failed'], ['one', 'two']],
  ['PROPAGATE', mutation, null, ['two: two failed'], ['one', 'two']],
];

for (const [name, options] of executors)
  describe(`onError, executed by ${name}`, () => {
    const isRetreat = options.executor !== undefined;
    for (const [onError, query, data, errors, runs] of rows) {
      const isRefused = isRetreat && onError === 'HALT';
      const skip = isRetreat && onError === 'NULL' && versionInfo.major < 17 && 'requires graphql 17';
      test(`${JSON.stringify(onError)} is ${isRefused ? 'refused' : 'answered'}: ${query}`, { skip }, async () => {
        const server = createServer(options);

        const response = await server.send(post({ query, onError }));

        if (isRefused) {
          assert.deepEqual([response.status, server.runs], [422, []]);
          assert.match(json(response).errors[0].message, /does not support onError: "HALT"/);
          return;
        }
        assert.deepEqual([response.status, json(response).data, errorsOf(response).toSorted(), server.runs], [200, data, errors, runs]);
      });
    }
  });

describe('the signal of context', () => {
  const reads = { 'when the context is made': true, 'in a resolver': false };
  for (const [when, isEager] of Object.entries(reads))
    test(`read ${when}, aborts for the operation that HALT ends, and for no other of its batch`, async () => {
      const ended: Record<string, boolean> = {};
      const ready = deferred<void>();
      const server = createServer({
        typeDefs: `type Query { hangs(name: String!): Int fails: Int! } # on-error ${++schemas}`,
        context: (argument: ContextArgument) => ({ argument, signal: isEager ? argument.signal : undefined }),
        resolvers: {
          Query: {
            hangs: async (_: unknown, { name }: { name: string }, { argument, signal = argument.signal }: any) => {
              (signal as AbortSignal).addEventListener('abort', () => (ended[name] = true));
              ended[name] = (signal as AbortSignal).aborted;
              if (name === 'halted') await new Promise(() => {});
              await ready.promise;
            },
            fails: () => Promise.reject(new Error('failed')),
          },
        },
      } as never);

      const answers = server.send(
        post([
          { query: '{ hangs(name: "halted") fails }', onError: 'HALT' },
          { query: '{ hangs(name: "null") fails }', onError: 'NULL' },
          { query: '{ hangs(name: "other") }', onError: 'HALT' },
        ]),
      );
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(ended, { halted: true, null: false, other: false });
      ready.resolve();

      assert.equal(json(await answers)[0].errors[0].message, 'failed');
    });

  test('aborts the calls of data sources, and what context has started; no hanging resolver is awaited', async () => {
    const reasons: unknown[] = [];
    const watch = ({ signal }: { signal: AbortSignal }, name: string): void =>
      signal.addEventListener('abort', () => reasons.push(name, (signal.reason as Error).message));
    const server = createServer({
      typeDefs: `type Query { hangs: Int fails: Int! } # on-error ${++schemas}`,
      context: (argument: ContextArgument) => (watch(argument, 'context'), {}),
      dataSources: () => ({ prices: { initialize: ({ operation }: any) => watch(operation, 'data source') } }),
      resolvers: { Query: { hangs: never, fails: () => Promise.reject(new Error('failed')) } },
    } as never);

    const response = await server.send(post({ query: '{ hangs fails }', onError: 'HALT' }));

    assert.deepEqual([json(response).data, errorsOf(response)], [null, ['fails: failed']]);
    assert.deepEqual(reasons, ['context', 'failed', 'data source', 'failed']);
  });
});

describe('the parameter onError', () => {
  const query = '{ shop { name empty } }';
  const kept = { shop: { name: 'Corner', empty: null } };

  for (const [what, request] of [
    ['the query string', get({ query, onError: 'NULL' })],
    ['an extension', post({ query, extensions: { onError: 'NULL' } })],
    ['an extension in the query string', get({ query, extensions: '{"onError":"NULL"}' })],
    ['both, if they agree', post({ query, extensions: { onError: 'NULL' }, onError: 'NULL' })],
    ['an extension beside null', post({ query, extensions: { onError: 'NULL' }, onError: null } as never)],
  ] as const)
    test(`may be in ${what}`, async () => {
      assert.deepEqual(json(await createServer().send(request)).data, kept);
    });

  for (const [what, request, message] of [
    ['as an extension with another value', post({ query, extensions: { onError: 'nope' } }), /^Expected "onError" .*, got "nope"\.$/],
    [
      'as an extension that disagrees',
      post({ query, onError: 'HALT', extensions: { onError: 'NULL' } }),
      /"onError" .*, got "HALT" and "NULL"\.$/,
    ],
    ['twice in a query string', get({ query }, { query: `query={a}&onError=NULL&onError=HALT` }), /"onError" once/],
  ] as const)
    test(`${what} is refused with 422`, async () => {
      const response = await createServer().send(request);

      assert.equal(response.status, 422);
      assert.match(json(response).errors[0].message, message);
    });

  test('belongs to each element of a batch', async () => {
    const batch = [{ query, onError: 'NULL' }, { query }, { query, onError: 'HALT' }, { query, onError: 'nope' }];
    const response = await createServer().send(post(batch));
    const [first, second, third, fourth] = json(response) as { data?: unknown; errors: { message: string }[] }[];

    assert.deepEqual([first?.data, second?.data, third?.data], [kept, { shop: null }, null]);
    assert.equal('data' in fourth!, false);
    assert.match(fourth!.errors[0]!.message, /Expected "onError" to be "NULL" or "PROPAGATE" or "HALT", got "nope"/);
  });

  test('is read from a direct invocation', async () => {
    const handler = createHandler({
      nodeEnv: 'test',
      typeDefs: `type Query { a: Int b: Int! } # on-error ${++schemas}`,
      resolvers: { Query: { a: () => 1, b: () => null } },
    });

    const { data } = (await handler({ query: '{ a b }', onError: 'NULL' } as never, {} as never)) as unknown as { data: unknown };

    assert.deepEqual(data, { a: 1, b: null });
  });

  for (const onError of ['null', 1, ['NULL']])
    test(`with another value is refused with the three names, and nothing runs: ${JSON.stringify(onError)}`, async () => {
      const server = createServer();
      const response = await server.send(post({ query: 'mutation { one }', onError } as never));

      assert.equal(response.status, 422);
      assert.equal('data' in json(response), false);
      assert.match(json(response).errors[0].message, /^Expected "onError" to be "NULL" or "PROPAGATE" or "HALT", got /);
      assert.deepEqual(server.runs, []);
    });

  test('comes from a trusted document, unless the request has one', async () => {
    const server = createServer({ trustedDocuments: { documents: { a: { text: query, onError: 'NULL' }, b: query } } });

    assert.deepEqual(await dataOf(server, { id: 'a' }), kept);
    for (const body of [{ id: 'a', onError: 'PROPAGATE' }, { id: 'b' }, { query }])
      assert.deepEqual(await dataOf(server, body), { shop: null });
    assert.throws(
      () => createServer({ trustedDocuments: { documents: { a: { text: query, onError: 'SKIP' as never } } } }),
      /Expected trustedDocuments\.documents/,
    );
  });

  test('is in the cost line, also if a trusted document sets it', async () => {
    const records: CostRecord[] = [];
    const { send } = createServer({
      plugins: [costLine({ write: (_line, record) => void records.push(record) })],
      trustedDocuments: { documents: { a: { text: query, onError: 'NULL' } } },
    });
    await send(post({ id: 'a' } as never));
    await send(post({ query: '{ shop { name } }' }));

    const recorded = records.map(({ onError }) => onError);
    assert.deepEqual(recorded, ['NULL', undefined]);
  });

  for (const [format, spec] of [
    ['current', 'incrementalSpec=v0.2'],
    ['legacy', 'deferSpec=20220824'],
  ] as const) {
    test(`HALT completes every pending part with the first error, in the ${format} format`, async () => {
      const { stream } = createServer({
        incrementalDelivery: incrementalDelivery(),
        typeDefs: `type Query { a: Int b: Int! hangs: Int list: [Int] } # on-error ${++schemas}`,
        resolvers: { Query: { a: () => 1, b: () => null, hangs: never, list: () => [1] } },
      });
      const query = '{ a list @stream(initialCount: 1) ... @defer(label: "hangs") { hangs } ... @defer(label: "b") { b } }';

      const [first, ...others] = parseParts(await stream({ query, onError: 'HALT' }, `multipart/mixed;${spec}, application/json`)) as any[];

      assert.deepEqual(first.data, { a: 1, list: [1] });
      const entries: any[] = others.flatMap(({ completed, incremental }) => completed ?? incremental);
      const failed = entries.filter(({ errors }) => errors !== undefined);
      const labels = failed.map(({ id, label }) => label ?? first.pending?.find((one: any) => one.id === id)?.label);
      assert.deepEqual(new Set(labels.filter(Boolean)), new Set(['b', 'hangs']));
      for (const { errors } of failed) assert.match(errors[0].message, /Cannot return null for non-nullable field Query\.b/);
      assert.equal(others.at(-1).hasNext, false);
    });
  }

  test('HALT gives the error that completes several parts one id, and logs it once', async () => {
    const [logger, lines] = recordingLogger();
    const { stream } = createServer({
      nodeEnv: 'production',
      logger,
      incrementalDelivery: incrementalDelivery(),
      typeDefs: `type Query { a: Int b: Int! c: Int d: Int } # on-error ${++schemas}`,
      resolvers: { Query: { b: () => Promise.reject(new Error('secret')), c: never, d: never } },
    });
    const query = '{ a ... @defer { b } ... @defer { c } ... @defer { d } }';

    const parts = parseParts(await stream({ query, onError: 'HALT' }, 'multipart/mixed;incrementalSpec=v0.2')) as any[];

    const ids = parts.flatMap(({ completed = [] }) => completed.map((one: any) => one.errors?.[0].extensions.errorId));
    assert.equal(ids.length, 3);
    assert.equal(new Set(ids).size, 1, JSON.stringify(ids));
    assert.equal(lines.filter(({ message }) => message.includes(ids[0])).length, 1);
  });

  test('applies to each event of a subscription, and HALT does not end the stream', async () => {
    const source = createEventSource<{ word: string | null }>();
    const { stream } = createServer({
      typeDefs: `type Query { a: Int } type Subscription { word: String! } # on-error ${++schemas}`,
      resolvers: { Subscription: { word: { subscribe: () => source } } },
    });
    source.push({ word: null }, { word: 'second' });
    source.complete();

    const events = resultsOf(await stream({ query: 'subscription { word }', onError: 'HALT' }, 'text/event-stream')) as any[];

    const all = events.map(({ data }) => data);
    assert.deepEqual(all, [null, { word: 'second' }]);
  });
});

describe('the deadline', () => {
  const hanging = (): Partial<ServerOptions<any, any, any, any>> => ({
    typeDefs: `type Query { shop: Shop! } type Shop { name: String! ads: [Ad!]! owner: Owner! } type Ad { text: String! } type Owner { name: String! } # on-error ${++schemas}`,
    resolvers: {
      Query: { shop: () => ({ name: 'Corner' }) },
      Shop: { ads: never, owner: async () => ({ name: 'Ada' }) },
    },
  });
  const query = '{ shop { name ads { text } owner { name } } }';
  const kept = { shop: { name: 'Corner', ads: null, owner: { name: 'Ada' } } };

  for (const [partial, onError, data] of [
    [undefined, undefined, null],
    [undefined, 'NULL', kept],
    [undefined, 'HALT', null],
    ['NULL', undefined, kept],
    ['NULL', 'PROPAGATE', null],
    ['NULL', 'NULL', kept],
    ['PROPAGATE', undefined, null],
  ] as const) {
    test(`with partial ${partial} and onError ${onError}: ${data === null ? 'nothing' : 'every finished field'} is in the answer`, async (t) => {
      const turn = stopTheClock(t);
      const { send } = createServer({ deadline: { ms: 1_000, ...(partial && { partial }) }, ...hanging() });
      const answering = send(post({ query, onError }));
      await turn(5_000);
      const response = await answering;

      assert.deepEqual(json(response).data, data);
      const errors = json(response).errors.map(({ path, extensions }: any) => `${path.join('.')}: ${extensions.code}`);
      assert.deepEqual(errors, ['shop.ads: DEADLINE_EXCEEDED']);
    });
  }

  test('with partial NULL: other errors propagate, also over what the deadline has made null', async (t) => {
    const turn = stopTheClock(t);
    const { send } = createServer({
      deadline: { ms: 1_000, partial: 'NULL' },
      typeDefs: `type Query { a: A b: A } type A { hangs: Int! fails: Int! } # on-error ${++schemas}`,
      resolvers: {
        Query: { a: () => ({}), b: () => ({}) },
        A: {
          hangs: never,
          fails: (_: unknown, _a: unknown, _c: unknown, { path }: any) => (path.prev.key === 'a' ? null : 1),
        },
      },
    });
    const answering = send(post({ query: '{ a { hangs fails } b { hangs fails } }' }));
    await turn(5_000);

    assert.deepEqual(json(await answering).data, { a: null, b: { hangs: null, fails: 1 } });
  });

  test('with NULL, mutation fields that have not begun do not begin, and are null', async (t) => {
    const turn = stopTheClock(t);
    const runs: string[] = [];
    const { send } = createServer({
      deadline: { ms: 1_000 },
      typeDefs: `type Query { a: Int } type Mutation { one: Int! two: Int! three: Int! } # on-error ${++schemas}`,
      resolvers: { Mutation: { one: () => 1, two: never, three: () => runs.push('three') } },
    });
    const answering = send(post({ query: 'mutation { one two three }', onError: 'NULL' }));
    await turn(5_000);

    assert.deepEqual(json(await answering).data, { one: 1, two: null, three: null });
    assert.deepEqual(runs, []);
  });
});
