import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { batch } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { API } from '../../../support/datasources/api.ts';
import { startOrigin } from '../../../support/datasources/origin.ts';
import { startExplaining } from '../../../support/explained.ts';
import { graphqlJSExecutor } from '../../../../src/entries/graphql-js.ts';

const reply = (): { body: object } => ({ body: {} });

for (const [executor, fields] of [
  [undefined, 'books.0.author books.1.author books.2.author'],
  [graphqlJSExecutor(), '  '],
] as const)
  test(`each call of the items of a list has ${executor === undefined ? 'its field' : 'no field with graphql-js as the executor'}`, async (t) => {
    const origin = await startOrigin(t, () => ({ body: { name: 'Jane Austen' } }));
    const server = await startExplaining(t, reply, {
      executor,
      typeDefs: `type Query { books: [Book] } type Book { title: String author: Author } type Author { name: String } # ${origin.url}`,
      dataSources: () => ({ api: new API(origin.url) }),
      resolvers: {
        Query: { books: () => [{ id: '1' }, { id: '2' }, { id: '3' }] },
        Book: { author: ({ id }: { id: string }, _: unknown, { dataSources }: any) => dataSources.api.read(`authors/${id}`) },
      },
    } as Partial<ServerOptions>);

    const { calls } = await server.explain('{ books { author { name } } }');

    equal(calls.map(({ field }) => field).join(' '), fields);
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

  equal(calls.map(({ field }) => field).join(' '), 'books.author books.author');
});
