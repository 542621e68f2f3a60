import assert from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { makeExecutableSchema } from '@graphql-tools/schema';
import { graphql, GraphQLScalarType } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { batch, byKey, createHandler, groupByKey } from '../../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../../src/entries/index.ts';
import { graphqlJSExecutor } from '../../../../../src/entries/graphql-js.ts';
import { incrementalDelivery } from '../../../../../src/entries/incremental.ts';
import { createTester } from '../../../../../src/entries/testing.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import type { LogLine } from '../../../../support/recording-logger.ts';
import { functionWrappers } from '../../../../support/resolver-wrappers.ts';
import { unhandledRejections } from '../../../../support/unhandled-rejections.ts';

const typeDefs = `
  type Query {
    books(count: Int = 3): [Book]!  shelves: [[Book!]!]!  one: Book  things: [Thing!]!
  }
  interface Thing { id: ID!  label: String }
  type Book implements Thing { id: ID!  label: String  author(upper: Boolean): Author!  maybe: Author }
  type Film implements Thing { id: ID!  label: String  maybe: Author }
  type Author { id: ID!  name: String! }
`;

interface Row {
  readonly id: number;
}

type Rows = readonly Row[];
const rows = (...ids: readonly number[]): Rows => ids.map((id) => ({ id }));

interface Batches {
  readonly run: ReturnType<typeof createTester>['run'];
  /** "Type.field: number of parents" of each call, in order. */
  readonly calls: string[];
  readonly lines: LogLine[];
}

type Resolvers = Record<string, Record<string, unknown>>;

/** Creates a server whose batched resolvers record their calls. `more` replaces some of them. */
function createServer(more: Resolvers = {}, options: Partial<ServerOptions<any, any, any, any>> = {}): Batches {
  const calls: string[] = [];
  const [logger, lines] = recordingLogger();
  const noting = (name: string, resolve: (parents: Rows, args: any) => unknown): unknown =>
    batch((parents, args) => {
      calls.push(`${name}: ${parents.length}`);
      return resolve(parents, args) as readonly unknown[];
    });
  const base: Resolvers = {
    Query: {
      books: (_: unknown, { count }: { count: number }) => rows(...Array.from({ length: count }, (_, at) => at)),
      shelves: () => [rows(1, 2), [], rows(3)],
      one: () => ({ id: 7 }),
      things: () => [1, 2, 3, 4].map((id) => ({ __typename: id % 2 === 0 ? 'Film' : 'Book', id })),
    },
    Book: {
      label: noting('Book.label', (books) => books.map(({ id }) => `book ${id}`)),
      author: noting('Book.author', (books, { upper }) =>
        books.map(({ id }) => ({ id: id + 100, name: upper === true ? `AUTHOR ${id}` : `author ${id}` })),
      ),
      maybe: noting('Book.maybe', async (books) => books.map(({ id }) => (id === 2 ? null : { id, name: 'maybe' }))),
    },
    Film: { label: noting('Film.label', (films) => films.map(({ id }) => `film ${id}`)) },
  };
  const resolvers: Resolvers = { ...base };
  for (const [type, fields] of Object.entries(more)) resolvers[type] = { ...base[type], ...fields };
  const { run } = createTester(
    createHandler({ nodeEnv: 'test', csrfPrevention: true, typeDefs, resolvers, logger, ...options } as ServerOptions),
  );
  return { run, calls, lines };
}

describe('a batched resolver', () => {
  test('is called once for all objects of a list, and of lists of lists, once for each alias, and once for each concrete type', async () => {
    const { run, calls } = createServer();

    const { data } = await run(
      '{ shelves { upper: author(upper: true) { name } author { name } } things { label ... on Book { maybe { name } } } }',
    );

    assert.deepEqual(calls, ['Book.author: 3', 'Book.author: 3', 'Book.label: 2', 'Book.maybe: 2', 'Film.label: 2']);
    assert.deepEqual((data as any).shelves[2], [{ upper: { name: 'AUTHOR 3' }, author: { name: 'author 3' } }]);
    for (const { label, maybe } of (data as any).things) assert.match(label, maybe === undefined ? /^film [24]$/ : /^book [13]$/);
  });

  test('has one set of arguments, the context, and an info whose path has no indexes', async () => {
    const seen: unknown[] = [];
    const { run } = createServer(
      {
        Book: {
          author: batch((books, args, { user }, info) => {
            const path: unknown[] = [];
            for (let at: typeof info.path | undefined = info.path; at !== undefined; at = at.prev) path.unshift(at.key);
            seen.push({ ...args }, user, path, info.parentType.name, info.returnType.toString(), info.fieldName);
            return books.map(() => ({ name: 'A' }));
          }),
        },
      },
      { context: () => ({ user: 'ada' }) },
    );

    await run('query ($upper: Boolean) { shelves { by: author(upper: $upper) { name } } }', { upper: true });

    assert.deepEqual(seen, [{ upper: true }, 'ada', ['shelves', 'by'], 'Book', 'Author!', 'author']);
  });

  test('with maxSize is called concurrently for slices', async () => {
    const sizes: number[] = [];
    const open: (() => void)[] = [];
    const { run } = createServer({
      Book: {
        label: batch({ maxSize: 2 }, async (books) => {
          sizes.push(books.length);
          await new Promise<void>((resolve) => {
            open.push(resolve);
            if (open.length === 3) for (const one of open) one();
          });
          return books.map(({ id }) => `${id}`);
        }),
      },
    });

    const { data } = await run('{ books(count: 5) { label } }');

    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual(data, { books: ['0', '1', '2', '3', '4'].map((label) => ({ label })) });
  });
});

describe('the result of a batched resolver', () => {
  for (const [what, result, got] of [
    ['a list of another length', [1, 2], 'a list of 2'],
    ['no list', 'text', '"text"'],
  ] as const)
    test(`that is ${what} fails the field of every parent, with one line in the log`, async () => {
      for (const value of [result, Promise.resolve(result)]) {
        const { run, lines } = createServer({ Book: { maybe: batch(() => value as never) } }, { nodeEnv: 'production' });

        const { data, errors = [] } = await run('{ books { maybe { name } } }');

        assert.deepEqual(data, { books: [{ maybe: null }, { maybe: null }, { maybe: null }] });
        assert.equal(errors.length, 3);
        assert.equal(new Set(errors.map(({ extensions }) => extensions?.['errorId'])).size, 1);
        assert.equal(lines.length, 1);
        assert.match(
          lines[0]!.message,
          /^Unexpected error \w+ \(errorHash \w+\) at books\.0\.maybe and 2 more: The batched resolver of Book\.maybe must return a list of 3 \(one value for each parent\), got /,
        );
        if (got !== undefined) assert.ok(lines[0]!.message.endsWith(`${got}.`), lines[0]!.message);
      }
    });

  test('that is thrown or rejected is the error of every parent, and is logged once', async () => {
    const down = new Error('down');
    const fail = (): never => {
      throw down;
    };
    for (const failing of [() => Promise.reject(down), fail]) {
      const { run, lines } = createServer({ Book: { maybe: batch(failing) } });

      const { errors = [] } = await run('{ books { maybe { name } } }');

      assert.deepEqual(
        errors.map(({ message, path }) => `${message} ${path?.join('.')}`),
        [0, 1, 2].map((at) => `down books.${at}.maybe`),
      );
      assert.equal(lines.length, 1);
    }
  });

  test('that is too short, and has a getter that throws and a promise that rejects, leaves no rejection unhandled', async () => {
    const list = (): never =>
      Object.defineProperty([1, Promise.reject(new Error('later'))], 0, {
        get() {
          throw new Error('It cannot be read.');
        },
      }) as never;
    for (const values of [list, () => setImmediate().then(list)]) {
      const { run } = createServer({ Book: { label: batch(values) } });

      const unhandled = await unhandledRejections(async () => {
        assert.deepEqual((await run<any>('{ books { label } }')).data.books[0], { label: null });
      });

      assert.equal(unhandled, 0);
    }
  });

  test('that is one error for 7,000 fields counts as one error, so that the rest of the answer is kept', async () => {
    const failing = batch(() => {
      throw new Error('The database is gone.');
    });
    for (const field of ['maybe', 'author']) {
      const { run, lines } = createServer({ Book: { [field]: failing } }, { nodeEnv: 'production' });

      const { data, errors = [] } = await run<any>(`{ books(count: 7000) { ${field} { name } } one { id } }`);

      assert.deepEqual(data.one, { id: '7' });
      assert.deepEqual(data.books[6_999], field === 'maybe' ? { maybe: null } : null);
      assert.deepEqual([errors.length, errors.at(-1)!.extensions!['code']], [1_001, 'TOO_MANY_ERRORS']);
      assert.equal(lines.length, 1);
    }
  });

  test('that does not arrive before the deadline fails each of its fields, and no further call is made', async () => {
    const { run, calls } = createServer({ Book: { maybe: batch(() => new Promise<never>(() => {})) } }, {
      deadline: { ms: 20 },
    } as never);

    const { data, errors = [] } = await run('{ books { id maybe { name } } }');

    assert.deepEqual(data, { books: [0, 1, 2].map((id) => ({ id: `${id}`, maybe: null })) });
    assert.deepEqual(new Set(errors.map(({ extensions }) => extensions?.['code'])), new Set(['DEADLINE_EXCEEDED']));
    assert.equal(errors.length, 3);
    assert.deepEqual(calls, []);
  });
});

describe('batch', () => {
  test('is an ordinary resolver to graphql-js, to graphqlJSExecutor() and for answers in parts', async () => {
    const sizes: number[] = [];
    const resolvers = {
      Query: { books: () => rows(1, 2) },
      Book: { label: batch(async (books) => (sizes.push(books.length), books.map(({ id }) => (id === 2 ? new Error('two') : `${id}`)))) },
    };
    const source = 'type Query { books: [Book!]! } type Book { label: String }';
    const expected = { books: [{ label: '1' }, { label: null }] };

    const bare = await graphql({ schema: makeExecutableSchema({ typeDefs: source, resolvers }), source: '{ books { label } }' });
    assert.equal(JSON.stringify(bare.data), JSON.stringify(expected));
    for (const option of [{ executor: graphqlJSExecutor() }, { incrementalDelivery: incrementalDelivery() }])
      assert.deepEqual((await createTester({ typeDefs: source, resolvers, ...option }).run('{ books { label } }')).data, expected);
    assert.deepEqual(sizes, [1, 1, 1, 1, 2]);
  });

  const makers: Readonly<Record<string, (given: { typeDefs: string; resolvers: any }) => object>> = {
    'typeDefs and resolvers': (given) => given,
    makeExecutableSchema: (given) => ({ schema: makeExecutableSchema(given) }),
  };
  for (const [maker, optionsOf] of Object.entries(makers)) {
    const read = async (label: unknown, comment = ''): Promise<unknown> => {
      const typeDefs = `type Query { books: [Book!]! } type Book { label: String } # ${maker}, ${comment}`;
      const given = optionsOf({ typeDefs, resolvers: { Query: { books: () => rows(1, 2) }, Book: { label } } });
      const handler = createHandler({ nodeEnv: 'production', logger: recordingLogger()[0], ...given } as never);
      return (await createTester(handler).run<any>('{ books { label } }')).data.books.map((book: { label: unknown }) => book.label);
    };

    test(`is batched in production, with ${maker}`, async () => {
      assert.deepEqual(await read(batch((books: Rows) => books.map(({ id }) => `${id} of ${books.length}`))), ['1 of 2', '2 of 2']);
    });

    for (const [wrapper, wrap] of Object.entries(functionWrappers))
      test(`never bypasses a guard that is ${wrapper} around it, with ${maker}`, async () => {
        const label = wrap(batch((books: Rows) => books.map(({ id }) => `secret ${id}`)) as never, (resolve, given) => {
          if (given[0].id === 2) throw new Error('Forbidden.');
          return resolve(...given);
        });

        assert.deepEqual(await read(label, wrapper), ['secret 1', null]);
      });
  }

  test('is one event of the channel for resolvers, with the number of parents', async (t) => {
    const { run } = createServer();
    const events: unknown[] = [];
    const handlers = {
      start: ({ parentType, fieldName, fieldPath, parents }: Record<string, unknown>): void => {
        if (parentType === 'Book') events.push([fieldName, fieldPath, parents]);
      },
    };
    const channel = tracingChannel<string, Record<string, unknown>>('graphql:resolve');
    channel.subscribe(handlers as never);
    t.after(() => channel.unsubscribe(handlers as never));

    const { data } = await run('{ books { id author { name } } }');

    assert.deepEqual((data as any).books[1], { id: '1', author: { name: 'author 1' } });
    assert.deepEqual(events, [
      ['id', 'books.0.id', undefined],
      ['id', 'books.1.id', undefined],
      ['id', 'books.2.id', undefined],
      ['author', 'books.author', 3],
    ]);
  });

  // test/slow/package/dist.test.ts has the CommonJS build.
  test('of another copy of this package is an ordinary resolver, and a warning says so', async () => {
    const { lines } = createServer({
      Book: {
        label: ofAnotherCopy(),
        author: new Proxy(
          batch(() => []),
          {},
        ),
      },
    });

    assert.deepEqual(
      lines.map(({ level, message }) => `${level}: ${message}`),
      [
        'warn: batch() of Book.label is from another copy of graphql-functions than this server, such as its CommonJS build, so it is called ' +
          'for each parent. Load batch and createHandler in the same way, by import or by require().',
      ],
    );
  });

  test('refuses a missing function, and a maxSize that is not a positive integer', () => {
    assert.throws(() => batch(undefined as never), new TypeError('batch expects a function that takes a list of parents, got undefined.'));
    assert.throws(() => batch({ maxSize: 0 }, () => []), new TypeError('batch expects maxSize to be a positive integer, got 0.'));
  });
});

/** A resolver with the properties of a batched one, which this copy of the package has not made. */
function ofAnotherCopy(): () => void {
  const resolve = (): void => {};
  return Object.defineProperties(resolve, { bind: { value: () => resolve }, isBatched: { value: true } });
}

describe('batch on a function that is not called for many parents is refused at start:', () => {
  const never = batch(() => []) as never;
  const typeDefs = `scalar Day interface Node { id: ID } union Any = Book type Book implements Node { id: ID }
    type Query { book: Book node: Node any: Any day: Day } type Subscription { book: Book }  type Mutation { add: ID }`;
  const day = new GraphQLScalarType({ name: 'Day', serialize: never });
  const withReference = (): GraphQLSchema => {
    const schema = makeExecutableSchema({ typeDefs });
    Object.assign(schema.getType('Book')!, { extensions: { apollo: { subgraph: { resolveReference: never } } } });
    return schema;
  };
  const inMap: readonly (readonly [path: string, resolvers: object])[] = [
    ['Book.__isTypeOf', { Book: { __isTypeOf: never } }],
    ['Any.__resolveType', { Any: { __resolveType: never } }],
    ['Day.serialize', { Day: { serialize: never } }],
    ['Day.serialize', { Day: day }],
    ['Subscription.book.subscribe', { Subscription: { book: { subscribe: never } } }],
    ['Mutation.add', { Mutation: { add: never } }],
  ];
  const rows = inMap.flatMap(([path, resolvers]): [path: string, where: string, options: () => object][] => [
    [path, 'a resolver map', () => ({ typeDefs, resolvers })],
    [path, 'a schema', () => ({ schema: makeExecutableSchema({ typeDefs, resolvers: resolvers as never }) })],
  ]);
  for (const [path, where, options] of [...rows, ['Book.__resolveReference', 'a schema', () => ({ schema: withReference() })] as const])
    test(`${path} in ${where}`, () => {
      for (const nodeEnv of ['development', 'test'])
        assert.throws(
          () => createHandler({ ...options(), nodeEnv } as never),
          new RegExp(`resolvers\\.${path.replaceAll('.', '\\.')}.* cannot be batched`),
        );
    });
});

test('byKey and groupByKey distinguish the key "null" from a row without a key', () => {
  const table = [{ id: null, name: 'lost' }, { name: 'without' } as { id?: null; name: string }, { id: 'null', name: 'Null' }];
  const [, , named] = table;

  for (const rows of [table, table.toReversed()]) {
    assert.deepEqual(byKey(['null', null, undefined, 'undefined'], rows as { id: unknown }[], 'id'), [named, null, null, null]);
    assert.deepEqual(groupByKey(['null', null, 'undefined'], rows as { id: unknown }[], 'id'), [[named], [], []]);
  }
});

test('byKey and groupByKey return rows in the order of the keys', () => {
  const table = [
    { id: 2, of: 'a' },
    { id: 1, of: 'b' },
    { id: 3, of: 'a' },
  ];

  assert.deepEqual(byKey([1, '2', 9, null, 1], table, 'id'), [table[1], table[0], null, null, table[1]]);
  const groups = groupByKey(['a', 'c', 'b'], new Set(table), ({ of }) => of);
  assert.deepEqual(groups, [[table[0], table[2]], [], [table[1]]]);
});
