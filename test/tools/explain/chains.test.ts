import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';

import { createHandler } from '../../../src/entries/index.ts';
import type { ServerOptions } from '../../../src/server/startup/options.ts';
import { API } from '../../datasources/api.ts';
import { startOrigin } from '../../datasources/origin.ts';
import { startExplaining } from './explained.ts';
import { graphqlJSExecutor } from '../../../src/entries/graphql-js.ts';

const reply = (): { body: object } => ({ body: {} });

describe('calls that were made twice', () => {
  test('names a disabled memo', async (t) => {
    const server = await startExplaining(t, reply);
    const { duplicates, advice } = await server.explainRun(async (api) => {
      api.memoizeGetRequests = false;
      await api.read('book');
      await api.read('book');
    });

    deepEqual(duplicates[0]?.calls, [0, 1]);
    match(advice[0] ?? '', /^GET http:\/\/127\.0\.0\.1:\d+\/book was sent 2 times\. memoizeGetRequests of API is false/);
  });

  test('names differing headers, without their values', async (t) => {
    const server = await startExplaining(t, reply);
    const { advice } = await server.explainRun(async (api) => {
      await api.read('book', undefined, { headers: { 'x-part': 'one' } });
      await api.read('book', undefined, { headers: { 'x-part': 'two' } });
    });

    match(advice[0] ?? '', /The memo treats the requests as different, because these headers differ: x-part\.$/);
  });

  test('names a cache mode that bypasses the memo', async (t) => {
    const server = await startExplaining(t, reply);
    const { advice } = await server.explainRun(async (api) => {
      await api.read('book');
      await api.read('book', undefined, { cache: 'reload' });
    });

    match(advice[0] ?? '', /cache: 'reload'/);
  });

  test('names a write between them', async (t) => {
    const server = await startExplaining(t, reply);
    const { advice } = await server.explainRun(async (api) => {
      await api.read('book');
      await api.replace('book', {});
      await api.read('book');
    });

    match(advice[0] ?? '', /A PUT to the same URL was sent in between/);
  });

  test('memo hits and different URLs are not duplicates', async (t) => {
    const server = await startExplaining(t, reply);
    const { duplicates, advice } = await server.explainRun(async (api) => {
      await Promise.all([api.read('book'), api.read('book'), api.read('author')]);
    });

    deepEqual([duplicates, advice], [[], []]);
  });
});

describe('calls that waited for one another', () => {
  test('reports a loop that awaits each call, with its field', async (t) => {
    const server = await startExplaining(t, reply);
    const { chains, advice } = await server.explainRun(async (api) => {
      for (const id of ['1', '2', '3']) await api.read(`books/${id}`);
    });

    deepEqual(
      chains.map(({ calls, field }) => ({ calls, field })),
      [{ calls: [0, 1, 2], field: 'run' }],
    );
    match(advice[0] ?? '', /^The resolver of run made 3 similar calls \(GET\), one after another, \d+ ms in total\./);
  });

  test('calls that started together are not a chain', async (t) => {
    const server = await startExplaining(t, reply);
    const { chains } = await server.explainRun((api) => Promise.all(['1', '2', '3', '4'].map((id) => api.read(`books/${id}`))));

    deepEqual(chains, []);
  });

  test('two consecutive calls are not a chain, because the second may need the first response', async (t) => {
    const server = await startExplaining(t, reply);
    const { chains, longestChain } = await server.explainRun(async (api) => {
      await api.read('books/1');
      await api.read('books/2');
    });

    deepEqual(chains, []);
    deepEqual(longestChain?.calls, [0, 1]);
  });

  test('calls that fail before they are sent are not a chain', async (t) => {
    const server = await startExplaining(t, reply);
    const { chains, longestChain } = await server.explainRun(async (api) => {
      api.baseURL = 'https://user:password@example.com/';
      for (const id of ['1', '2', '3']) await api.read(`books/${id}`).catch(() => {});
    });

    deepEqual([chains, longestChain], [[], undefined]);
  });

  test('calls of different kinds are not a chain', async (t) => {
    const server = await startExplaining(t, reply);
    const { chains } = await server.explainRun(async (api) => {
      await api.read('books/1');
      await api.read('authors/austen/books');
      await api.read('shops?near=bath');
    });

    deepEqual(chains, []);
  });

  const library = (url: string, one: (api: API, id: string) => unknown): Partial<ServerOptions> => ({
    typeDefs: `type Query { books: [Book] } type Book { title: String author: Author } type Author { name: String } # ${url}`,
    dataSources: () => ({ api: new API(url) }),
    resolvers: {
      Query: { books: () => [{ id: '1' }, { id: '2' }, { id: '3' }] },
      Book: { author: ({ id }: { id: string }, _: unknown, { dataSources }: any) => one(dataSources.api, id) },
    },
  });

  test('items of a list that load concurrently are not a chain, and each call has its field', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { name: 'Jane Austen' } }));
    const server = await startExplaining(
      t,
      reply,
      library(origin.url, (api, id) => api.read(`authors/${id}`)),
    );

    const { calls, chains } = await server.explain('{ books { author { name } } }');

    deepEqual(
      calls.map(({ field }) => field),
      ['books.0.author', 'books.1.author', 'books.2.author'],
    );
    deepEqual(chains, []);
  });

  test('items that wait for each other are reported as one field', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { name: 'Jane Austen' } }));
    let queue: Promise<unknown> = Promise.resolve();
    const oneByOne = (api: API, id: string): Promise<unknown> => (queue = queue.then(() => api.read(`authors/${id}`)));
    const server = await startExplaining(t, reply, library(origin.url, oneByOne));

    const { chains, longestChain } = await server.explain('{ books { author { name } } }');

    deepEqual(
      chains.map(({ calls, field }) => ({ calls, field })),
      [{ calls: [0, 1, 2], field: 'books.*.author' }],
    );
    match(chains[0]?.advice ?? '', /^The items of books\.\*\.author waited for each other: 3 similar calls/);
    deepEqual(longestChain?.fields, ['books.0.author', 'books.1.author', 'books.2.author']);
  });

  test('with a frozen schema, calls are reported without fields', async (t) => {
    const origin = await startOrigin(t, () => ({ body: 'Emma' }));
    const resolve = (_: unknown, __: unknown, { dataSources }: any): unknown => dataSources.api.read('title');
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { title: { type: GraphQLString, resolve } } }),
    });
    Object.freeze(schema.getQueryType()?.getFields()['title']);
    const { typeDefs: _, resolvers: __, ...rest } = library(origin.url, () => undefined);
    const server = await startExplaining(t, reply, { ...rest, typeDefs: undefined as never, resolvers: undefined as never, schema });

    const { calls } = await server.explain('{ title }');

    deepEqual(
      calls.map(({ field, status }) => [field, status]),
      [[undefined, 200]],
    );
  });

  test('with graphql-js as the executor, fields are also known, including those of interfaces and fragments', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { name: 'Jane Austen' } }));
    const read = async (_: unknown, __: unknown, { dataSources }: any): Promise<string> => (await dataSources.api.read('name')).name;
    const handler = createHandler({
      nodeEnv: 'development',
      executor: graphqlJSExecutor(),
      typeDefs: `type Query { thing: Thing } interface Thing { name: String } type Book implements Thing { name: String title: String } # ${origin.url}`,
      dataSources: () => ({ api: new API(origin.url) }),
      resolvers: { Query: { thing: () => ({ __typename: 'Book' }) }, Book: { name: read, title: read } },
    } as ServerOptions);

    const answer: any = await (
      await handler(
        new Request('https://example.com/', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'graphql-functions-explain': '1' },
          body: JSON.stringify({ query: '{ thing { ...N ... on Book { alias: title } } } fragment N on Thing { name }' }),
        }),
      )
    ).json();

    deepEqual(
      answer.extensions.explain.calls.map(({ field }: { field: string }) => field),
      ['thing.name', 'thing.alias'],
    );
    equal(answer.extensions.explain.executor.ran, 'graphql-js');
  });
});
