import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { buildSchema, printSchema } from 'graphql';

import { costLine } from '../../../../../src/entries/cost-line.ts';
import { batch } from '../../../../../src/entries/index.ts';
import type { ServerOptions, ServerPlugin } from '../../../../../src/entries/index.ts';
import { createTester } from '../../../../../src/entries/testing.ts';
import { limits } from '../../../../../src/entries/limits.ts';
import type { LimitsOptions } from '../../../../../src/entries/limits.ts';
import { mcpDefinitions } from '../../../../../src/entries/mcp.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { serveTools, typeDefs as toolDefs } from '../../../../support/mcp-serving.ts';
import { json, post } from '../../../../support/plain-http.ts';
import { allPayloads, merge, runIncrementally } from '../../../../support/run-incrementally.ts';
import { before } from '../../../../support/stages.ts';

const pageLimits = { default: 20, max: 100 };
const byDefault: LimitsOptions = { pageLimits };

const typeDefs = `
  scalar Big
  interface Owner { name: String books(first: Int): [Book] }
  type Query {
    books(first: Int, last: Int, after: String): [Book]
    list(limit: Int, first: Big): [Int!]!
    oldest(last: Int): [Book]
    recent(first: Int = 3, last: Int): [Book]
    shelf(first: Int!): Shelf
    connection(first: Int, last: Int): BookConnection!
    paged(page: Page, pages: [Page!]): [Book]
    single(first: Int): Edition
    named(limit: Named): [Book]
    worded(first: String, limit: Int): [Book]
    owner: Owner
    anyPage(first: Int): AnyPage
    counted(first: Int): Counted
    author: Author
  }
  type Mutation { archive(first: Int): [Book] }
  type Subscription { added(first: Int): [Book] }
  union AnyPage = Shelf | Edition
  interface Counted { total: Int }
  type Edition { title: String }
  type Shelf { books: [Book] }
  type BookConnection implements Counted { edges: [BookEdge] total: Int }
  type BookEdge { node: Book }
  type Book { title: String chapters(first: Int): [String] author: Author }
  type Author implements Owner { name: String books(first: Int, last: Int): [Book] }
  input Page { first: Int last: Int limit: Int inner: Page }
  enum Named { ALL }
`;

interface Calls {
  /** The answer to a query, and the arguments of the fields that were resolved, by their paths. */
  run(query: string, variables?: object): Promise<{ status: number; body: any; calls: Record<string, object> }>;
}

/** A server whose resolvers note their arguments. Every list has one item. */
function serving(options: Partial<ServerOptions> = {}, given: LimitsOptions = byDefault): Calls {
  let calls: Record<string, object> = {};
  const note =
    (value: () => unknown) =>
    (_: unknown, args: object, __: unknown, info: any): unknown => {
      calls[info.path.prev === undefined ? info.fieldName : `${info.parentType.name}.${info.fieldName}`] = { ...args };
      return value();
    };
  const book = (): object => ({ title: 'Emma' });
  const list = note(() => [book()]);
  const author = (): object => ({ __typename: 'Author', name: 'Jane' });
  const resolvers = {
    Query: {
      books: list,
      list: note(() => [1]),
      oldest: list,
      recent: list,
      paged: list,
      named: list,
      worded: list,
      shelf: note(() => ({ books: [] })),
      connection: note(() => ({ edges: [] })),
      single: note(book),
      anyPage: note(() => null),
      counted: note(() => null),
      owner: author,
      author,
    },
    Mutation: { archive: list },
    Book: { chapters: note(() => ['1']), author },
    Author: { books: list },
  };
  const endpoint = createEndpoint({ typeDefs, resolvers, ...options, plugins: [...(options.plugins ?? []), limits(given)] } as never);
  return {
    async run(query, variables) {
      calls = {};
      const response = await endpoint.send(post({ query, variables }));
      return { status: response.status, body: json(response), calls };
    },
  };
}

/** Operations, and the arguments of their first field. */
const accepted: readonly (readonly [query: string, args: object, variables?: object])[] = [
  ['{ books { title } }', { first: 20 }],
  ['{ books(first: null) { title } }', { first: 20 }],
  ['{ books(first: 100) { title } }', { first: 100 }],
  ['{ books(last: 5) { title } }', { last: 5 }],
  ['{ books(first: 5, last: null) { title } }', { first: 5, last: null }],
  ['query ($n: Int) { books(first: $n) { title } }', { first: 20 }, { n: null }],
  ['query ($n: Int) { books(first: $n) { title } }', { first: 7 }, { n: 7 }],
  ['query ($n: Int = 9) { books(first: $n) { title } }', { first: 9 }],
  ['query ($n: Int, $m: Int) { books(first: $n, last: $m) { title } }', { last: 4 }, { m: 4 }],
  ['{ ...F } fragment F on Query { ... { books { title } } }', { first: 20 }],
  ['{ books { chapters } }', { first: 20 }],
  ['{ list }', { first: 20 }],
  ['{ oldest { title } }', { last: 20 }],
  ['{ recent { title } }', { first: 3 }],
  ['{ recent(first: null) { title } }', { first: 20 }],
  ['{ recent(last: 5) { title } }', { first: 3, last: 5 }],
  ['{ shelf(first: 4) { books { title } } }', { first: 4 }],
  ['{ connection { total } }', { first: 20 }],
  ['{ counted { total } }', { first: 20 }],
  ['mutation { archive { title } }', { first: 20 }],
  // Sizes in input objects have limits one level deep, but no default.
  ['{ paged { title } }', {}],
  ['{ single { title } }', {}],
  ['{ single(first: 1000) { title } }', { first: 1000 }],
  ['{ named { title } }', {}],
  ['{ worded { title } }', { limit: 20 }],
  ['{ worded(first: "5") { title } }', { first: '5' }],
  ['{ worded(first: "all") { title } }', { first: 'all' }],
  ['{ worded(first: "", limit: 5) { title } }', { first: '', limit: 5 }],
  ['query ($n: String) { worded(first: $n) { title } }', { first: '5 books' }, { n: '5 books' }],
];

/** Operations that are refused, and the end of the message. */
const refused: readonly (readonly [query: string, message: string, variables?: object])[] = [
  ['{ books(first: 101) { title } }', '"books" to be asked for 0 to 100 items, got 101.'],
  ['{ books(first: -1) { title } }', '"books" to be asked for 0 to 100 items, got -1.'],
  ['{ list(first: "101") }', '"list" to be asked for 0 to 100 items, got 101.'],
  ['{ list(first: 100.5) }', '"list" to be asked for 0 to 100 items, got 100.5.'],
  ['{ worded(first: "1000abc") { title } }', '"worded" to be asked for 0 to 100 items, got 1000.'],
  ['{ worded(first: "0x3e8") { title } }', '"worded" to be asked for 0 to 100 items, got 1000.'],
  ['{ list(first: 5, limit: 200) }', '"list" to be asked for 0 to 100 items, got 200.'],
  ['query ($n: Int) { books(first: $n) { title } }', '"books" to be asked for 0 to 100 items, got 101.', { n: 101 }],
  ['query ($n: Int = 101) { books(first: $n) { title } }', '"books" to be asked for 0 to 100 items, got 101.'],
  ['{ paged(page: { first: 101 }) { title } }', '"paged" to be asked for 0 to 100 items, got 101.'],
  ['query ($p: Page) { paged(page: $p) { title } }', '"paged" to be asked for 0 to 100 items, got 101.', { p: { first: 101 } }],
  ['query ($n: Int) { paged(pages: [{ first: $n }]) { title } }', '"paged" to be asked for 0 to 100 items, got 101.', { n: 101 }],
  ['query ($p: [Page!]) { paged(pages: $p) { title } }', '"paged" to be asked for 0 to 100 items, got 101.', { p: [{}, { limit: 101 }] }],
  ['{ paged(page: { first: 1, last: 1 }) { title } }', '"paged" to be asked for its first or its last items, got both "first" and "last".'],
  ['{ books(first: 1, last: 1) { title } }', '"books" to be asked for its first or its last items, got both "first" and "last".'],
  ['query ($n: Int, $m: Int) { books(first: $n, last: $m) { title } }', 'got both "first" and "last".', { n: 1, m: 1 }],
  ['{ books { title } owner { books(first: 101) { title } } }', '"books" to be asked for 0 to 100 items, got 101.'],
  ['{ ...F } fragment F on Query { author { ... on Owner { books(first: 101) { title } } } }', 'got 101.'],
  ['{ books { title } ...F @skip(if: true) } fragment F on Query { oldest(last: 101) { title } }', 'got 101.'],
  ['{ anyPage(first: 101) { ... on Shelf { books { title } } } }', '"anyPage" to be asked for 0 to 100 items, got 101.'],
  ['{ counted(first: 101) { ... on BookConnection { edges { node { title } } } }  }', '"counted" to be asked for 0 to 100 items, got 101.'],
];

describe('pageLimits', () => {
  for (const [query, args, variables] of accepted)
    test(`${query}${variables ? ` with ${JSON.stringify(variables)}` : ''} passes ${JSON.stringify(args)}`, async () => {
      const { status, body, calls } = await serving().run(query, variables);

      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual(Object.values(calls)[0], args);
    });

  for (const [query, message, variables] of refused)
    test(`${query}${variables ? ` with ${JSON.stringify(variables)}` : ''} is refused before anything runs`, async () => {
      const { status, body, calls } = await serving().run(query, variables);

      assert.deepEqual([status, calls], [422, {}]);
      assert.equal(body.data, undefined);
      assert.equal(body.errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
      assert.ok(body.errors[0].message.endsWith(message), body.errors[0].message);
      assert.equal(body.errors[0].locations.length, 1);
    });

  test('do not hold for sizes that nest deeper than one input object', async () => {
    const { status } = await serving().run('{ paged(page: { inner: { limit: 101 } }) { title } }');

    assert.equal(status, 200);
  });

  test('are off by default: no size is passed, and any is accepted', async () => {
    const { run } = serving({}, {});

    const none = await run('{ books { title } }');
    const many = await run('{ books(first: 1000000, last: -1) { title } }');

    assert.deepEqual([none.calls['books'], many.calls['books']], [{}, { first: 1000000, last: -1 }]);
  });

  test('a document that has run is refused when its variables ask for too much, and runs again afterwards', async () => {
    const { run } = serving();
    const query = 'query ($n: Int) { books(first: $n) { title chapters(first: $n) } }';

    const statuses: number[] = [];
    for (const n of [5, 101, 6, -1, null]) statuses.push((await run(query, { n })).status);

    assert.deepEqual(statuses, [200, 422, 200, 422, 200]);
  });

  test('only the operation that runs counts', async () => {
    const endpoint = createEndpoint({ plugins: [limits({ pageLimits })] });
    const query = 'query A { books { title } } query B { books(first: 101) { title } }';

    const [a, b] = await Promise.all(['A', 'B'].map((operationName) => endpoint.send(post({ query, operationName }))));

    assert.deepEqual([a!.status, b!.status], [200, 422]);
  });
});

describe('pageLimits.fields', () => {
  const fields = { 'Query.books': { default: 5, max: 500 }, 'Author.books': { max: 50 }, 'Query.list': { default: 1 } };

  for (const [query, expected] of [
    ['{ books { title } }', { first: 5 }],
    ['{ list }', { first: 1 }],
    ['{ author { books { title } } }', { first: 20 }],
    ['{ owner { books { title } } }', { first: 20 }],
    ['{ books(first: 500) { title } }', { first: 500 }],
    ['{ books(first: 501) { title } }', undefined],
    ['{ list(limit: 100) }', { limit: 100 }],
    ['{ author { books(first: 51) { title } } }', undefined],
    ['{ owner { books(first: 51) { title } } }', undefined],
  ] as const)
    test(`${query} ${expected === undefined ? 'is refused' : `passes ${JSON.stringify(expected)}`}`, async () => {
      const { status, calls } = await serving({}, { pageLimits: { ...pageLimits, fields } }).run(query);

      assert.deepEqual([status, Object.values(calls)[0]], [expected === undefined ? 422 : 200, expected]);
    });
});

describe('a default of pageLimits', () => {
  test('is passed to batched resolvers', async () => {
    const calls: object[] = [];
    const { run } = serving({
      resolvers: {
        Query: { books: () => [{}, {}, {}] },
        Book: { chapters: batch((books: readonly object[], args) => (calls.push({ ...args }), books.map(() => ['1']))) },
      } as never,
    });

    await run('{ books { chapters other: chapters(first: null) } }');

    assert.deepEqual(calls, [{ first: 20 }, { first: 20 }]);
  });

  test('is passed for each row, also by generated code', async () => {
    const seen = new Set<unknown>();
    const count = 10_100;
    const { run } = serving({
      resolvers: {
        Query: { books: () => Array.from({ length: count }, () => ({})) },
        Book: { chapters: (_: unknown, { first }: { first: number }) => (seen.add(first), ['1']) },
      } as never,
    });

    for (let round = 0; round < 2; round++)
      assert.equal((await run('query ($n: Int) { books { chapters(first: $n) } }')).body.data.books.length, count);
    assert.deepEqual([...seen], [20]);
  });

  for (const format of ['current', 'legacy'] as const)
    test(`is passed to deferred fields and streamed lists (${format} format)`, async () => {
      const seen: unknown[] = [];
      const note = (_: unknown, { first }: { first: number }): object[] => (seen.push(first), [{ title: 'Emma' }]);
      const options = {
        plugins: [limits({ pageLimits })],
        typeDefs,
        resolvers: { Query: { books: note }, Author: { books: note } },
      } as never;
      const deferred = '{ a: books @stream(initialCount: 0) { title } ... @defer { b: books(first: null) { title } } }';

      const parts = await allPayloads(await runIncrementally(options, deferred, { format }));

      const list = [{ title: 'Emma' }];
      assert.deepEqual(JSON.parse(JSON.stringify(merge(parts))), { data: { a: list, b: list }, errors: [] });
      assert.deepEqual(seen, [20, 20]);
    });

  test('is passed to the source of a subscription and to its events', async () => {
    const seen: unknown[] = [];
    const note = (_: unknown, { first }: { first: number }): object[] => (seen.push(first), []);
    const subscribe = async function* (_: unknown, args: { first: number }): AsyncGenerator<object> {
      yield note(_, args);
    };
    const resolvers = { Subscription: { added: { subscribe, resolve: note } } } as never;
    const { send } = createTester({ plugins: [limits({ pageLimits })], typeDefs, resolvers });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const ask = async (query: string): Promise<string> => (await send({ method: 'POST', headers, body: JSON.stringify({ query }) })).text();

    await ask('subscription { added { title } }');
    const refusal = await ask('subscription { added(first: 101) { title } }');

    assert.deepEqual(seen, [20, 20]);
    assert.match(refusal, /0 to 100 items, got 101/);
  });

  test('holds for trusted documents and for tools of MCP', async () => {
    const mine = 'query Mine($first: Int) @mcpTool(description: "Lists") { listed(first: $first) { title } }';
    const many = 'query Many { listed(first: 101) { title } }';
    const seen: unknown[] = [];
    const served = serveTools({ hidden: {} }, {
      plugins: [limits({ pageLimits })],
      trustedDocuments: { documents: { mine, many }, only: true },
      typeDefs: [mcpDefinitions, toolDefs, 'extend type Query { listed(first: Int): [Book] }'],
      resolvers: { Query: { listed: (_: unknown, { first }: { first: number }) => (seen.push(first), []) } },
    } as never);

    await served.legacy('tools/call', { name: 'mine', arguments: {} });
    const { result: refusal } = await served.legacy('tools/call', { name: 'mine', arguments: { first: 101 } });
    const { status } = await served.send({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"documentId":"many"}',
    });

    assert.deepEqual([seen, status], [[20], 422]);
    assert.match(refusal.content[0].text, /0 to 100 items, got 101/);
  });

  test('is written neither into the schema nor into the document', async () => {
    const schema = buildSchema(typeDefs);
    const text = printSchema(schema);
    const seen: unknown[] = [];
    const looking = { execution: before(({ document }) => void seen.push(document)) } as ServerPlugin;
    const plugins = [looking, costLine({ write: () => {} }), limits({ pageLimits })];
    const { run } = createTester({ schema, nodeEnv: 'production', introspection: true, plugins });

    await run('{ books { title } }');
    const { data } = await run('{ __type(name: "Query") { fields { args { name defaultValue } } } }');

    assert.equal(printSchema(schema), text);
    assert.doesNotMatch(JSON.stringify([data, seen[0]]), /20/);
  });

  test('of one server is not passed by another one with the same schema', async () => {
    const seen: unknown[] = [];
    const schema = buildSchema('type Query { books(first: Int): [Int] }');
    schema.getQueryType()!.getFields()['books']!.resolve = (_, { first }) => (seen.push(first), []);
    const options = { schema, typeDefs: undefined, resolvers: undefined } as never;
    const servers = [serving(options), serving(options, { pageLimits: { default: 7, max: 9 } }), serving(options, {})];

    for (let round = 0; round < 2; round++) for (const { run } of servers) await run('{ books }');

    assert.deepEqual(seen, [20, 7, undefined, 20, 7, undefined]);
  });
});
