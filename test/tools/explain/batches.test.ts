import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import { batch } from '../../../src/entries/index.ts';
import type { API } from '../../datasources/api.ts';
import { startExplaining } from './explained.ts';

interface Context {
  readonly dataSources: { readonly api: API };
}

const typeDefs = 'type Query { books(count: Int = 5): [Book] } type Book { author: String batched: String }';
const resolvers = {
  Query: { books: (_: unknown, { count }: { count: number }) => Array.from({ length: count }, (_unused, id) => ({ id })) },
  Book: {
    author: async ({ id }: { id: number }, _: unknown, { dataSources }: Context) =>
      JSON.stringify(await dataSources.api.read(`authors/${id}`)),
    batched: batch({ maxSize: 3 }, async (books, _args, { dataSources }: Context) => {
      await dataSources.api.read(`authors?ids=${books.map(({ id }) => id).join()}`);
      return books.map(() => 'A');
    }),
  },
};

test('explain counts the calls of a batched field and their parents, and names the field of a call', async (t) => {
  const server = await startExplaining(t, () => ({ body: {} }), { typeDefs, resolvers });

  const { batches, calls } = await server.explain('{ books { batched } }');

  deepEqual(batches, [{ field: 'books.batched', calls: 2, parents: 5 }]);
  deepEqual(
    calls.map(({ field }) => field),
    ['books.batched', 'books.batched'],
  );
});
