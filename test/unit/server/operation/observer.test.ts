import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createHandler as createFetchHandler } from '../../../../src/entries/fetch.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { batch, createHandler } from '../../../../src/entries/index.ts';
import type { ExecutionObserver, ObservedCall, ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { webRequest } from '../../../support/events.ts';
import { post } from '../../../support/plain-http.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { before } from '../../../support/stages.ts';

const typeDefs = `
  type Query { book(id: ID = 1): Book books: [Book!]! later: String failing: String }
  type Book { id: ID! title: String author: Author info: String method(of: Int = 2): String }
  type Author { name: String }`;

interface Row {
  readonly id: number;
}

const resolvers = {
  Query: {
    book: (_: unknown, { id }: Row) => ({ id, title: 'Emma' }),
    books: () => Array.from({ length: 3 }, (_, id) => ({ id, title: 'Emma', method: ({ of }: { of: number }) => `${of}` })),
    later: async () => 'later',
    failing: () => {
      throw new Error('the password is hunter2');
    },
  },
  Book: {
    author: batch((books: readonly Row[]) => books.map(({ id }) => ({ name: `A${id}` }))),
    info: (_: unknown, __: unknown, ___: unknown, info: { seen?: string }) => info.seen,
  },
};

const observing = (observer: ExecutionObserver): ServerPlugin => ({ execution: before(() => ({ observer })) });

/** Creates a function that answers queries with these observers. */
function serving(observers: readonly ExecutionObserver[], options: Partial<ServerOptions> = {}): (query: string) => Promise<any> {
  const logger = recordingLogger()[0];
  const plugins = observers.map(observing);
  const handler = createHandler({ nodeEnv: 'production', typeDefs, resolvers, logger, plugins, ...options } as ServerOptions);
  return async (query) => {
    const response = await handler(webRequest(post({ query })));
    return response.json();
  };
}

/** The path of a call, with its number of parents if it is one of a batched resolver. */
function nameOf({ path, parents }: ObservedCall): string {
  const keys: (string | number)[] = [];
  for (let at: ObservedCall['path'] | undefined = path; at !== undefined; at = at.prev) keys.unshift(at.key);
  return keys.join('.') + (parents === undefined ? '' : ` for ${parents}`);
}

test('an observer of types is called in place of each resolveType and isTypeOf, and the default resolveType is one call', async () => {
  const calls: string[] = [];
  const note = (name: string): ExecutionObserver => ({
    type: ({ type, value, info }, resolve) => {
      const answer = resolve();
      calls.push(`${name}: ${info.fieldName} ${type.name} ${(value as Row).id} ${String(answer)}`);
      return answer;
    },
  });
  const ask = serving([note('outer'), note('inner')], {
    typeDefs: 'type Query { nodes: [Node] any: Any } interface Node { id: ID } union Any = Page type Page implements Node { id: ID }',
    resolvers: {
      Query: { nodes: () => [{ id: 1 }, { id: 2, __typename: 'Page' }], any: () => ({ id: 3 }) },
      Node: { __resolveType: () => 'Page' },
      Page: { __isTypeOf: ({ id }: Row) => id !== 2 },
    },
  });

  const answer = await ask('{ nodes { id } any { __typename } }');

  deepEqual(answer.data, { nodes: [{ id: '1' }, null], any: { __typename: 'Page' } });
  deepEqual(
    calls.filter((call) => call.startsWith('outer')),
    ['nodes Node 1 Page', 'nodes Page 1 true', 'nodes Node 2 Page', 'nodes Page 2 false', 'any Any 3 Page', 'any Page 3 true'].map(
      (call) => `outer: ${call}`,
    ),
  );
  deepEqual(calls.slice(0, 2), ['inner: nodes Node 1 Page', 'outer: nodes Node 1 Page']);
});

test('an observer of types is called for every object of a long list, also in a deferred part whose errors are null', async () => {
  let calls = 0;
  const handler = createFetchHandler({
    nodeEnv: 'production',
    logger: recordingLogger()[0],
    plugins: [observing({ type: (_, resolve) => (calls++, resolve()) })],
    incrementalDelivery: incrementalDelivery(),
    typeDefs: 'type Query { nodes: [Node] now: Int } interface Node { id: ID! } type Page implements Node { id: ID! }',
    resolvers: {
      Query: { nodes: () => Array.from({ length: 2_000 }, (_, id) => (id === 7 ? {} : { id })), now: () => 1 },
      Node: { __resolveType: () => 'Page' },
    },
  });
  const query = '{ now ... @defer { nodes { id } } }';
  const request = post({ query, onError: 'NULL' }, { headers: [['accept', 'multipart/mixed;incrementalSpec=v0.2']] });

  // Functions are generated during the first answer.
  for (const total of [2_000, 4_000]) {
    const answer = await (await handler(webRequest(request))).text();

    ok(answer.includes('{"id":"6"},{"id":null},{"id":"8"}'), answer.slice(0, 300));
    equal(calls, total);
  }
});

describe('an observer of fields', () => {
  test('is called in place of each resolver, including default resolvers, methods and __typename; for a batched resolver, once for each call', async () => {
    const calls: string[] = [];
    const ask = serving([{ field: (call, resolve) => (calls.push(nameOf(call)), resolve()) }]);
    const query = '{ book(id: 7) { id } books { title method author { name } } __typename }';

    const answer = await ask(query);

    deepEqual(answer, await serving([])(query));
    deepEqual(calls, [
      'book',
      'book.id',
      'books',
      ...[0, 1, 2].flatMap((at) => [`books.${at}.title`, `books.${at}.method`]),
      '__typename',
      'books.author for 3',
      ...[0, 1, 2].map((at) => `books.${at}.author.name`),
    ]);
  });

  test('sees parent, arguments, info and result', async () => {
    const seen: unknown[] = [];
    const ask = serving([
      {
        field({ definition, parentType, source, args, info }, resolve) {
          const result = resolve();
          if (definition.name === 'method' || definition.name === 'later')
            seen.push([parentType.name, info.fieldName, (source as { title?: string } | undefined)?.title, { ...args }, typeof result]);
          return result;
        },
      },
    ]);

    await ask('{ books { method(of: 5) } later }');

    deepEqual(seen, [
      ...Array.from({ length: 3 }, () => ['Book', 'method', 'Emma', { of: 5 }, 'string']),
      ['Query', 'later', undefined, {}, 'object'],
    ]);
  });

  test('is called for rows, also after many operations ran without it', async () => {
    let calls = 0;
    let isObserved = false;
    const observer: ExecutionObserver = { field: (_, resolve) => (calls++, resolve()) };
    const plugin: ServerPlugin = { execution: before(() => (isObserved ? { observer } : undefined)) };
    const rows = Array.from({ length: 2_000 }, (_, id) => ({ id }));
    const ask = serving([], { plugins: [plugin], resolvers: { Query: { books: () => rows } } });
    for (let time = 0; time < 3; time++) await ask('{ books { id title } }');

    isObserved = true;
    await ask('{ books { id title } }');

    equal(calls, 4_001);
  });

  test('sees what resolvers throw, and its own error is the masked error of its field', async () => {
    const seen: unknown[] = [];
    const ask = serving([
      {
        field(call, resolve) {
          if (call.definition.name === 'title') throw new Error('the password is hunter2');
          try {
            return resolve();
          } catch (error) {
            seen.push(error);
            throw error;
          }
        },
      },
    ]);

    const { data, errors } = await ask('{ book { id title } failing }');

    deepEqual(data, { book: { id: '1', title: null }, failing: null });
    deepEqual(
      errors.map(({ path, message }: { path: unknown; message: string }) => [path, message]),
      [
        [['book', 'title'], 'Internal server error'],
        [['failing'], 'Internal server error'],
      ],
    );
    match(String(seen), /hunter2/);
  });

  test('the observer of the first plugin is the outermost', async () => {
    const notes: string[] = [];
    const noting = (name: string): ExecutionObserver => ({
      field(_, resolve) {
        notes.push(`${name} starts`);
        const value = resolve();
        notes.push(`${name} ends`);
        return value;
      },
    });

    await serving([noting('one'), { info: () => {} }, noting('two')])('{ later }');

    deepEqual(notes, ['one starts', 'two starts', 'two ends', 'one ends']);
  });

  test('is called for the fields of each event of a subscription', async () => {
    const calls: string[] = [];
    const events = async function* (): AsyncGenerator<object> {
      yield { tick: 1 };
      yield { tick: 2 };
    };
    const handler = createHandler({
      typeDefs: 'type Query { tick: Int } type Subscription { tick: Int }',
      resolvers: { Subscription: { tick: { subscribe: events } } },
      plugins: [observing({ field: (call, resolve) => (calls.push(nameOf(call)), resolve()) })],
    });

    const request = post({ query: 'subscription { tick }' }, { headers: [['accept', 'text/event-stream']] });
    const response = await handler(webRequest(request));
    await response.text();

    deepEqual(calls, ['tick', 'tick']);
  });
});

describe('an observer of info', () => {
  test('adds properties before a resolver gets it, and is not called for resolvers that do not see it', async () => {
    let calls = 0;
    const ask = serving([{ info: (info) => (calls++, Object.assign(info, { seen: info.fieldName })) }]);

    const { data } = await ask('{ books { title info } book { info } }');

    ok(data.books.every(({ info }: { info: string }) => info === 'info'));
    equal(data.book.info, 'info');
    equal(calls, 4);
  });

  test('sees one info of a batched resolver, whose path has no indexes', async () => {
    const paths: unknown[] = [];
    const author = batch((books, _args, _context, info: any) => books.map(() => ({ name: info.seen })));
    const ask = serving([{ info: (info) => (paths.push(info.path.prev?.key), Object.assign(info, { seen: 'here' })) }], {
      resolvers: { ...resolvers, Book: { author } },
    } as Partial<ServerOptions>);

    const { data } = await ask('{ books { author { name } } }');

    deepEqual(data.books[2].author, { name: 'here' });
    deepEqual(paths, ['books']);
  });
});
