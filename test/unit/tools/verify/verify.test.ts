import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLError } from 'graphql';

import { batch, createHandler } from '../../../../src/entries/index.ts';
import { createTester } from '../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const typeDefs = `
  type Query { books(first: Int): [Book!]! nodes: [Node] generated: [Int!] now: Int! mixed: [Int!] }
  type Mutation { add: Int }
  interface Node { id: ID! }
  type Book implements Node { id: ID! title: String! author: Author }
  type Author implements Node { id: ID! name: String }
`;

const books = [
  { id: '1', title: 'Emma', author: 'a' },
  { id: '2', title: 'Persuasion', author: 'b' },
  { id: '3', title: null, author: 'b' },
];
let added = 0;

const resolvers = {
  Query: {
    books: async (_: unknown, { first }: { first?: number }) => books.slice(0, first ?? 2),
    nodes: () => [books[0], Promise.resolve({ id: 'a', name: 'Jane' }), null, new Error('a failed item')],
    generated: function* () {
      yield 1;
    },
    now: () => 12,
    mixed: () => [Promise.resolve(1), null, Promise.resolve(2)],
  },
  Mutation: { add: () => ++added },
  Node: { __resolveType: (node: object) => ('title' in node ? 'Book' : 'Author') },
  Book: {
    author: batch(async (parents: readonly { author: string }[]) =>
      parents.map(({ author }) => (author === 'a' ? { id: 'a', name: 'Jane' } : new GraphQLError('no such author'))),
    ),
  },
};

const operations = [
  '{ books { ...B } } fragment B on Book { id title author { name } }',
  '{ books(first: 3) { id title } }',
  '{ nodes { __typename id ... on Author { name } } generated mixed }',
  '{ __schema { types { name fields { name type { kind name ofType { name } } } } } }',
  'query ($skip: Boolean = true) { now @skip(if: $skip) generated @include(if: $skip) }',
];

describe('createTester with verify', () => {
  const { run } = createTester({ typeDefs, resolvers, introspection: true }, { verify: true });

  for (const operation of operations)
    test(`is silent for ${operation.slice(0, 60)}`, async () => {
      const { status, errors } = await run(operation);
      assert.ok(status < 400, JSON.stringify(errors));
    });

  test('runs the fields of mutations once', async () => {
    await run('mutation { add }');

    assert.equal(added, 1);
  });

  test('is for options, and says what to do for a handler', () => {
    assert.throws(() => createTester(createHandler({ typeDefs, resolvers }), { verify: true }), /GRAPHQL_FUNCTIONS_VERIFY=1/);
  });

  test('runs a query again with a context, data sources and response of its own', async () => {
    const contexts: { dataSources: { books: object } }[] = [];
    const tester = createTester(
      {
        typeDefs: 'type Query { user: String }',
        context: ({ request, response, ...others }) => {
          response.headers.set('x-run', `${response.headers.get('x-run') ?? ''}1`);
          return { user: request.headers.get('x-user'), others };
        },
        dataSources: () => ({ books: { initialize() {} } }),
        resolvers: { Query: { user: (_, __, context) => (contexts.push(context as never), context.user) } },
      },
      { verify: true },
    );

    const { data, headers } = await tester.run('{ user }', {}, { headers: { 'x-user': 'u' } });

    assert.deepEqual(data, { user: 'u' });
    assert.equal(headers.get('x-run'), '1');
    assert.equal(contexts.length, 2);
    assert.notEqual(contexts[0], contexts[1]);
    assert.notEqual(contexts[0]!.dataSources.books, contexts[1]!.dataSources.books);
  });
});

describe('createTester with verify is silent', () => {
  const { run } = createTester(
    {
      typeDefs: `
        scalar JSON
        type Query { price: JSON unfinished: Unfinished failures: [Unfinished] }
        type Unfinished { failing: Int! failure: Int never: Int }`,
      resolvers: {
        Query: {
          price: () => ({ price: { toJSON: () => '2.50' } }),
          unfinished: () => ({ failing: Promise.reject(new Error('failed')), never: new Promise<never>(() => {}) }),
          failures: () => Array.from({ length: 2000 }, () => ({ failure: new Error('failed') })),
        },
      },
    },
    { verify: true },
  );

  test('for objects in custom scalars, a field below a null that never resolves, and more errors than a response contains', async () => {
    assert.deepEqual((await run('{ price }')).data, { price: { price: '2.50' } });
    assert.deepEqual((await run('{ unfinished { never failing } }')).data, { unfinished: null });
    assert.equal((await run('{ failures { failure } }')).data.failures.length, 2000);
  });
});

describe('a difference is found', () => {
  /** The status and the message for an operation whose resolvers are called with the number of the run. */
  async function verify(type: string, resolve: (run: number) => unknown, query = '{ field }', variables = {}): Promise<[number, string]> {
    let runs = 0;
    const schema = { typeDefs: `scalar JSON type Query { field${type} }`, resolvers: { Query: { field: () => resolve(++runs) } } };
    const { status, errors } = await createTester(schema, { verify: true }).run(query, variables);
    return [status, errors?.[0]?.message ?? 'none'];
  }
  const failed = new Error('failed');
  for (const [name, resolve, message] of [
    ['in a value', (run) => run, /^This query has another result with graphql-js \(other data\)\. .*please report it/],
    ['in the order of keys', (run) => (run === 1 ? { a: 1, b: 1 } : { b: 1, a: 1 }), /other data/],
    ['in a lost item', (run) => (run === 1 ? [1] : [1, 2]), /other data/],
    ['in a lost error', (run) => (run === 1 ? null : failed), /missing error/],
    ['in an invented error', (run) => (run === 1 ? failed : null), /invented error/],
    ['in the message of an error', (run) => new Error(`failed ${run}`), /missing error: .*failed 2/],
  ] as [string, (run: number) => unknown, RegExp][])
    test(name, async () => {
      assert.match((await verify(': JSON', resolve))[1], message);
    });

  test('and the message has the operation, its variables and both answers', async () => {
    const [status, message] = await verify('(by: Int): Int', (run) => run, 'query Q($by: Int) { field(by: $by) }', { by: 2 });

    assert.equal(status, 500);
    assert.match(
      message,
      /query Q\(\$by: Int\) \{\n {2}field\(by: \$by\)\n\}\nvariables: \{"by":2\}\ngraphql-functions: \{"data":\{"field":1\}\}\ngraphql-js: {8}\{"data":\{"field":2\}\}/,
    );
  });

  test('and the message names only the resolvers that read the time or random numbers', async () => {
    let time = 0;
    const resolvers = { Query: { now: () => Date.now() + ++time, dice: () => Math.random(), steady: () => 1 } };
    const { run } = createTester({ typeDefs: 'type Query { now: Float dice: Float steady: Int }', resolvers }, { verify: true });

    assert.match((await run('{ steady now dice }')).errors![0]!.message, /random numbers: Query\.now, Query\.dice\.\n/);
  });

  test('for a handler by GRAPHQL_FUNCTIONS_VERIFY=1 under NODE_ENV=test, which then answers with status 500', async (context) => {
    process.env['GRAPHQL_FUNCTIONS_VERIFY'] = '1';
    context.after(() => delete process.env['GRAPHQL_FUNCTIONS_VERIFY']);
    let runs = 0;
    const logger = recordingLogger()[0];
    const handler = createHandler({ typeDefs, resolvers: { Query: { now: () => ++runs } }, logger, nodeEnv: 'test' });

    const { status, errors } = await createTester(handler).run('{ now }');

    assert.equal(status, 500);
    assert.match(errors![0]!.message, /This query has another result with graphql-js \(other data\)/);
  });
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
