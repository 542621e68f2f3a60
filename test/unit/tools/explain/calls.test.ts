import { deepEqual } from 'node:assert/strict';
import { describe, test } from 'node:test';

import { batch, createHandler } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { API } from '../../../support/datasources/api.ts';
import { startOrigin } from '../../../support/datasources/origin.ts';
import { startExplaining } from '../../../support/explained.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';

const reply = (): { body: object } => ({ body: {} });

describe('the fields of calls', () => {
  const library = (url: string, one: (api: API, id: string) => unknown): Partial<ServerOptions> => ({
    typeDefs: `type Query { books: [Book] } type Book { title: String author: Author } type Author { name: String } # ${url}`,
    dataSources: () => ({ api: new API(url) }),
    resolvers: {
      Query: { books: () => [{ id: '1' }, { id: '2' }, { id: '3' }] },
      Book: { author: ({ id }: { id: string }, _: unknown, { dataSources }: any) => one(dataSources.api, id) },
    },
  });

  test('each call of the items of a list has its field', async (t) => {
    const origin = await startOrigin(t, () => ({ body: { name: 'Jane Austen' } }));
    const server = await startExplaining(
      t,
      reply,
      library(origin.url, (api, id) => api.read(`authors/${id}`)),
    );

    const { calls } = await server.explain('{ books { author { name } } }');

    deepEqual(
      calls.map(({ field }) => field),
      ['books.0.author', 'books.1.author', 'books.2.author'],
    );
  });

  test('with graphql-js as the executor, calls are reported without fields', async (t) => {
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
      [undefined, undefined],
    );
  });
});

test('the calls of a batched field are counted with their parents, and calls of data sources have its name', async (t) => {
  const server = await startExplaining(t, reply, {
    typeDefs: 'type Query { books: [Book] } type Book { author: String }',
    resolvers: {
      Query: { books: () => Array.from({ length: 5 }, (_, id) => ({ id })) },
      Book: {
        author: batch({ maxSize: 3 }, async (books, _args, { dataSources }: any) => {
          await dataSources.api.read(`authors?ids=${books.map(({ id }) => id).join()}`);
          return books.map(() => 'A');
        }),
      },
    } as never,
  });

  const { calls } = await server.explain('{ books { author } }');

  deepEqual(
    calls.map(({ field }) => field),
    ['books.author', 'books.author'],
  );
});
