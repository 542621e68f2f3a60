import { deepEqual, ok } from 'node:assert/strict';
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

test('explain has the times of the resolvers of the schema, by field; a query that runs when it is awaited runs once', async (t) => {
  let queries = 0;
  // As in Knex and Drizzle: awaiting it sends the query.
  const query = {
    // oxlint-disable-next-line unicorn/no-thenable -- the point
    then(resolve: (rows: unknown) => void) {
      queries++;
      resolve('Ada');
    },
  };
  const server = await startExplaining(t, () => ({}), {
    typeDefs: 'type Query { books(count: Int = 5): [Book] open: String } type Book { id: ID author: String slow: String }',
    resolvers: {
      ...resolvers,
      Book: { author: () => query, slow: () => new Promise((resolve) => void setTimeout(() => resolve('done'), 20)) },
    } as never,
  });

  const { resolvers: found, batches } = await server.explain('{ books(count: 3) { id author slow } }');

  deepEqual(
    found.map(({ field, calls }) => [field, calls]),
    [
      ['books', 1],
      ['books.author', 3],
      ['books.slow', 3],
    ],
  );
  deepEqual(batches, []);
  deepEqual(queries, 3);
  const slow = found[2]!;
  ok(slow.duration! >= slow.longest && slow.longest > 10 && slow.start >= found[0]!.start);
});
