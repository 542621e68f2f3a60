import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';

import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { batch, createHandler, gql } from '../../../src/entries/index.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';
import { createTester } from '../../../src/entries/testing.ts';
import { executePlanned } from '../../../src/executor/execute.ts';
import type { PlannedExecution } from '../../../src/executor/execute.ts';
import { startCommand } from '../../support/command.ts';
import { createVerifier } from '../../../src/tools/verify/index.ts';

const typeDefs = gql`
  scalar JSON

  type Query {
    books(first: Int): [Book!]!
    book(id: ID): Book
    nodes: [Node]
    required: Book
    json: JSON
    generated: [Int!]
    asynchronous: [Int]
    nested: [[Int]]
    now: Int!
  }
  type Mutation {
    add(title: String!): Book!
  }
  type Subscription {
    count: Int
  }
  interface Node {
    id: ID!
  }
  type Book implements Node {
    id: ID!
    title: String!
    author: Author
    method(upper: Boolean): String
  }
  type Author implements Node {
    id: ID!
    name: String
    books: [Book!]
  }
`;

const books = [
  { id: '1', title: 'Emma', author: 'a', method: ({ upper }: { upper?: boolean }) => (upper === true ? 'EMMA' : 'emma') },
  { id: '2', title: 'Persuasion', author: 'a', method: () => Promise.reject(new Error('no method')) },
  { id: '3', title: null, author: 'b', method: () => null },
];
let added = 0;

const resolvers = {
  Query: {
    books: async (_: unknown, { first }: { first?: number }) => books.slice(0, first ?? 2),
    book: (_: unknown, { id }: { id?: string }) => books.find((book) => book.id === id),
    nodes: () => [books[0], Promise.resolve({ id: 'a', name: 'Jane' }), null, new Error('a failed item')],
    required: () => books[2],
    json: () => ({ list: [1, 2], nested: { deep: true } }),
    generated: function* () {
      yield 1;
      yield 2;
    },
    asynchronous: () => new Set([3, 4]),
    nested: () => [
      new Set([1]),
      (function* () {
        yield 2;
      })(),
    ],
    now: () => ++added,
  },
  Mutation: {
    add: (_: unknown, { title }: { title: string }) => {
      added++;
      return { id: String(added), title };
    },
  },
  Subscription: {
    count: {
      async *subscribe() {
        yield { count: 1 };
        yield { count: 'not a number' };
        yield { count: 3 };
      },
    },
  },
  Node: { __resolveType: (node: object) => ('title' in node ? 'Book' : 'Author') },
  Book: {
    author: batch(async (parents: readonly { author: string }[]) =>
      parents.map(({ author }) => (author === 'a' ? { id: 'a', name: 'Jane' } : new GraphQLError('no such author'))),
    ),
  },
  Author: { books: async () => books.slice(0, 1) },
};

const operations = [
  '{ books { id title author { name books { title author { id } } } } }',
  '{ books(first: 3) { id title } }',
  '{ required { title } json }',
  '{ a: book(id: "1") { ...B } b: book(id: "2") { ...B } c: book(id: "3") { id ...C } } fragment B on Book { method(upper: true) author { id } } fragment C on Book { method author { id } }',
  '{ nodes { __typename id ... on Author { name } } }',
  '{ generated asynchronous nested now }',
  '{ schema: __schema { types { name fields { name type { kind name ofType { name } } } } } __type(name: "Book") { name } }',
  'query ($skip: Boolean = true) { now @skip(if: $skip) json @include(if: $skip) }',
  'mutation { one: add(title: "One") { id title } two: add(title: "Two") { id author { name } } }',
];

describe('createTester with verify', () => {
  const { run, subscribe } = createTester({ typeDefs, resolvers, introspection: true }, { verify: true });

  for (const operation of operations)
    test(`is silent for ${operation.slice(0, 60)}`, async () => {
      const { status, errors } = await run(operation);
      assert.ok(status < 400, JSON.stringify(errors));
    });

  test('runs the fields of mutations once', async () => {
    const before = added;
    await run('mutation { add(title: "Once") { id } }');

    assert.equal(added, before + 1);
  });

  test('compares each event of a subscription', async () => {
    const results: unknown[] = [];
    for await (const { data, errors } of subscribe('subscription { count }')) results.push([data, errors?.length]);

    assert.deepEqual(results, [
      [{ count: 1 }, undefined],
      [{ count: null }, 1],
      [{ count: 3 }, undefined],
    ]);
  });

  test('is for options, and says what to do for a handler', () => {
    assert.throws(() => createTester(createHandler({ typeDefs, resolvers }), { verify: true }), /GRAPHQL_FUNCTIONS_VERIFY=1/);
  });

  test('leaves servers with graphqlJSExecutor() alone', async () => {
    const tester = createTester({ typeDefs, resolvers, executor: graphqlJSExecutor() }, { verify: true });

    assert.deepEqual((await tester.run('{ json }')).data, { json: { list: [1, 2], nested: { deep: true } } });
  });
});

/** Values that can be read only once, that change while the operation runs, or that never arrive. */
describe('createTester with verify is silent', () => {
  let answers = 0;
  let queries = 0;
  const counter = { count: 0 };
  class Price {
    readonly #cents = 250;
    toJSON(): string {
      return (this.#cents / 100).toFixed(2);
    }
  }
  // oxlint-disable-next-line unicorn/no-thenable -- what query builders return
  const query = { then: (resolve: (value: number) => void): void => resolve(++queries) };
  const never = new Promise<never>(() => {});
  const { run, subscribe } = createTester(
    {
      incrementalDelivery: incrementalDelivery(),
      typeDefs: gql`
        scalar JSON
        input Range {
          from: Int! = 1
          days: [Int!] = [1]
        }
        type Query {
          counter: JSON
          price: JSON
          range(range: Range): Int
          parts: [Part!]
          generators: [[Int]]
          queries: [Int]
          rejected: [Int]
          unfinished: Unfinished
          failures: [Unfinished]
        }
        type Subscription {
          same: Int
        }
        interface Part {
          id: ID
        }
        type Wheel implements Part {
          id: ID
        }
        type Door implements Part {
          id: ID
        }
        type Unfinished {
          failing: Int!
          failure: Int
          never: Int
        }
      `,
      resolvers: {
        Query: {
          counter: () => Object.assign(counter, { count: counter.count + 1 }),
          price: () => ({ price: new Price(), list: [new Price()] }),
          range: (_: unknown, { range }: { range: { from: number; days: number[] } }) => ++range.from + range.days.push(1),
          parts: () => [counter, counter, counter],
          generators: function* () {
            yield [1, query][Symbol.iterator]();
            yield new Set([2]);
          },
          queries: () => [query, query],
          async *rejected() {
            yield 1;
            yield* [query, Promise.reject(new Error('rejected'))];
          },
          unfinished: () => ({ failing: Promise.reject(new Error('failed')), never }),
          failures: () => Array.from({ length: 2000 }, () => ({ failure: new Error('failed') })),
        },
        Subscription: {
          same: {
            subscribe: async function* () {
              yield* [counter, counter];
            },
            resolve: (event: unknown) => (event === counter ? 1 : 0),
          },
        },
        Part: { __resolveType: () => (answers++ % 2 === 0 ? 'Wheel' : 'Door') },
      },
    },
    { verify: true },
  );

  const silent: Record<string, [query: string, data: unknown]> = {
    'for an object that another field of the operation changes': ['{ a: counter b: counter }', { a: { count: 2 }, b: { count: 2 } }],
    'for instances of classes in custom scalars': ['{ price }', { price: { price: '2.50', list: ['2.50'] } }],
    'for a resolver that changes its arguments': [
      'query ($range: Range = { from: 5 }) { a: range(range: $range) b: range(range: $range) c: range(range: {}) d: range(range: {}) }',
      { a: 8, b: 10, c: 4, d: 4 },
    ],
    'for a resolveType with changing answers': [
      '{ parts { __typename } }',
      { parts: [{ __typename: 'Wheel' }, { __typename: 'Door' }, { __typename: 'Wheel' }] },
    ],
    'for iterators in iterators, and thenables, which run once': ['{ generators queries }', { generators: [[1, 1], [2]], queries: [2, 3] }],
    'for an asynchronous generator that fails': ['{ rejected }', { rejected: null }],
    'for a field below a null that never resolves': ['{ unfinished { never failing } }', { unfinished: null }],
  };
  for (const [name, [text, data]] of Object.entries(silent))
    test(name, async () => {
      assert.deepEqual((await run(text)).data, data);
    });

  test('for more errors than a response contains', async () => {
    assert.equal((await run('{ failures { failure } }')).data.failures.length, 2000);
  });

  test('for one event that occurs twice', async () => {
    const results: unknown[] = [];
    for await (const { data } of subscribe('subscription { same }')) results.push(data);

    assert.deepEqual(results, [{ same: 1 }, { same: 1 }]);
  });
});

describe('a planted wrong answer is found', () => {
  const query = '{ books(first: 2) { id title author { name } } json now }';
  const wrongs: Record<
    string,
    [query: string, (result: ExecutionResult<any>, execution: PlannedExecution) => ExecutionResult | void, RegExp]
  > = {
    'a wrong null': [query, ({ data }) => void (data.json = null), /other data/],
    'another order of keys': [query, ({ data: { books: list, json, now } }) => ({ data: { json, books: list, now } }), /other data/],
    'a lost item': ['{ books { id } }', ({ data }) => void data.books.pop(), /other data/],
    'a number that became text': ['{ now }', ({ data }) => void (data.now = String(data.now)), /other data/],
    'an argument that another request has changed': [
      '{ books(first: 2) { id } }',
      (_, { prepared }) => {
        const observer = prepared!.run.fieldObserver!;
        const field: typeof observer.field = ({ definition, parentType, path, source, parents, info }, resolve) =>
          observer.field({ definition, parentType, path, source, parents, info, args: { first: 3 } }, resolve);
        prepared!.run.fieldObserver = { field };
      },
      /a resolver got other arguments than with graphql-js: books/,
    ],
    'another type of object': ['{ nodes { __typename } }', ({ data }) => void (data.nodes[1].__typename = 'Book'), /other data/],
    'a lost error': ['{ b: book(id: "2") { method } json }', ({ data }) => ({ data }), /missing error/],
    'an invented error': [
      '{ json }',
      ({ data }) => ({ data, errors: [new GraphQLError('invented', { path: ['json'] })] }),
      /invented error/,
    ],
    'another path': [
      '{ nodes { id } }',
      ({ data, errors }) => ({
        data,
        errors: errors!.map(({ message, nodes = null }) => new GraphQLError(message, { nodes, path: ['nodes', 2] })),
      }),
      /missing error/,
    ],
    'a resolver that was not called': [
      '{ json }',
      (_, { observer, prepared }) => {
        void observer;
        prepared!.run.fieldObserver = undefined;
        return undefined;
      },
      /graphql-js calls a function that was not called: json/,
    ],
    'a resolveType that was not called': [
      '{ nodes { id } }',
      (_, { prepared }) => void (prepared!.run.observer = undefined),
      /graphql-js calls a function that was not called: nodes/,
    ],
    'a resolver of a field that was not selected': [
      '{ json }',
      (_, { prepared, schema }) => {
        const parentType = schema.getQueryType()!;
        const call = { definition: parentType.getFields()['now']!, parentType, path: { prev: undefined, key: 'now', typename: 'Query' } };
        prepared!.run.fieldObserver!.field({ ...call, source: undefined, args: {}, parents: undefined, info: undefined as never }, () => 1);
      },
      /a resolver was called that graphql-js does not call: now/,
    ],
  };

  for (const [name, [text, spoil, message]] of Object.entries(wrongs))
    test(name, async () => {
      let isPlanted = false;
      const run = async (execution: PlannedExecution): Promise<ExecutionResult> => {
        const isBefore = /that was not called|argument/.test(name);
        if (isBefore) spoil({}, execution);
        const result = await executePlanned(execution);
        isPlanted = true;
        return isBefore ? result : (spoil(result, execution) ?? result);
      };
      const { run: send } = createTester({ typeDefs, resolvers, executor: createVerifier({ run }) });

      const { status, errors } = await send(text);

      assert.equal(isPlanted, true);
      assert.equal(status, 500);
      assert.match(errors![0]!.message, message);
    });
});

test('GRAPHQL_FUNCTIONS_VERIFY=1 verifies every handler that is created under NODE_ENV=test', async (context) => {
  process.env['GRAPHQL_FUNCTIONS_VERIFY'] = '1';
  context.after(() => delete process.env['GRAPHQL_FUNCTIONS_VERIFY']);
  const resolveType = mock.fn(resolvers.Node.__resolveType);
  const handler = createHandler({ typeDefs, resolvers: { ...resolvers, Node: { __resolveType: resolveType } }, nodeEnv: 'test' });
  const request = new Request('https://example.com/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ nodes { id } }"}',
  });

  assert.equal((await handler.fetch(request)).status, 200);
  assert.equal(resolveType.mock.callCount(), 2);
});

test('the last line says how many operations were verified, and why others were not', async (context) => {
  const source = `
    import { createTester } from './src/entries/testing.ts';
    const resolvers = { Query: { ok: () => true } };
    const { run } = createTester({ typeDefs: 'type Query { ok: Boolean }', resolvers }, { verify: true });
    await run('{ ok }');
    await run('{ ok }', {}, { onError: 'HALT' });`;

  const { code, stderr } = await startCommand(context, ['--input-type=module', '-e', source], { cwd: process.cwd() }).ended;

  assert.equal(code, 0, stderr);
  assert.match(stderr, /1 operations verified with graphql-js, 1 \(onError: HALT\) skipped\./);
});

test('a handler starts under NODE_ENV=test where the environment must not be read, as in Deno', (context) => {
  const environment = Object.getOwnPropertyDescriptor(process, 'env')!;
  const get = (): never => {
    throw new Error('Requires env access');
  };
  Object.defineProperty(process, 'env', { configurable: true, get });
  context.after(() => Object.defineProperty(process, 'env', environment));

  assert.doesNotThrow(() => createHandler({ typeDefs, resolvers, nodeEnv: 'test' }));
});
