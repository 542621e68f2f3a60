/**
 * Lists whose objects have two fields that come from elsewhere: read by batched resolvers, with DataLoader, by a resolver for each
 * object, and joined to the rows beforehand (the minimum).
 *
 *     node bench/batch.ts
 *
 * CPU microseconds of a whole request, those of the collector included, in one process and in turns; ratios are medians of the rounds'
 * ratios. Each key occurs five times. Takes two minutes.
 */
import { makeExecutableSchema } from '@graphql-tools/schema';
import DataLoader from 'dataloader';
import { execute, parse } from 'graphql';

import { createHandler } from '../src/entries/aws-lambda.ts';
import { batch, byKey } from '../src/entries/index.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 21);
/** CPU milliseconds for which each contestant runs in a round. */
const slice = 60;

interface Row {
  readonly id: number;
  readonly title: string;
  readonly authorId: number;
  readonly publisherId: number;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

const typeDefs = `
  type Query { books(count: Int!): [Book!]! }
  type Book { id: ID!  title: String!  author: Author  publisher: Publisher! }
  type Author { id: ID!  name: String! }
  type Publisher { id: ID!  name: String! }
`;
const query = 'query ($count: Int!) { books(count: $count) { id title author { id name } publisher { id name } } }';

const most = 5_000;
const authors: readonly Named[] = Array.from({ length: most / 5 }, (_, id) => ({ id, name: `Author ${id}` }));
const publishers: readonly Named[] = Array.from({ length: most / 5 }, (_, id) => ({ id, name: `Publisher ${id}` }));
const rows: readonly Row[] = Array.from({ length: most }, (_, id) => ({
  id,
  title: `Book ${id}`,
  authorId: id % (most / 5),
  publisherId: (id * 7) % (most / 5),
}));
const joined = rows.map((row) => ({ ...row, author: authors[row.authorId], publisher: publishers[row.publisherId] }));

/** The rows of some keys as a database returns them: each row once. */
function rowsWith(table: readonly Named[], keys: readonly number[]): Named[] {
  return [...new Set(keys)].map((key) => table[key]!);
}

interface Count {
  readonly count: number;
}

interface Loaders {
  readonly authors: DataLoader<number, Named | null>;
  readonly publishers: DataLoader<number, Named | null>;
}

const createLoaders = (): Loaders => ({
  authors: new DataLoader((keys) => Promise.resolve(byKey(keys, rowsWith(authors, keys), 'id'))),
  publishers: new DataLoader((keys) => Promise.resolve(byKey(keys, rowsWith(publishers, keys), 'id'))),
});
const books = (_: unknown, { count }: Count): readonly Row[] => rows.slice(0, count);
const withLoaders = {
  Query: { books },
  Book: {
    author: (book: Row, _: object, context: Loaders) => context.authors.load(book.authorId),
    publisher: (book: Row, _: object, context: Loaders) => context.publishers.load(book.publisherId),
  },
};

/** Returns the body of the response. */
type Contestant = (count: number) => Promise<string>;

function handlerOf(resolvers: object, context: () => object = () => ({})): Contestant {
  const handler = createHandler({ typeDefs, resolvers: resolvers as never, context, nodeEnv: 'production', csrfPrevention: true });
  return async (count) => {
    const event = createEvent(JSON.stringify({ query, variables: { count } }));
    return ((await handler(event as never, {} as never)) as { body: string }).body;
  };
}

function graphqlJS(): Contestant {
  const schema = makeExecutableSchema({ typeDefs, resolvers: withLoaders });
  const document = parse(query);
  return async (count) => JSON.stringify(await execute({ schema, document, variableValues: { count }, contextValue: createLoaders() }));
}

const readBatch = (table: readonly Named[], keys: readonly number[]): (Named | null)[] => byKey(keys, rowsWith(table, keys), 'id');

const contestants: Readonly<Record<string, Contestant>> = {
  'joined rows': handlerOf({ Query: { books: (_: unknown, { count }: Count) => joined.slice(0, count) } }),
  'batch, synchronous': handlerOf({
    Query: { books },
    Book: {
      author: batch((list: readonly Row[]) =>
        readBatch(
          authors,
          list.map(({ authorId }) => authorId),
        ),
      ),
      publisher: batch((list: readonly Row[]) =>
        readBatch(
          publishers,
          list.map(({ publisherId }) => publisherId),
        ),
      ),
    },
  }),
  batch: handlerOf({
    Query: { books },
    Book: {
      author: batch(async (list: readonly Row[]) =>
        readBatch(
          authors,
          list.map(({ authorId }) => authorId),
        ),
      ),
      publisher: batch(async (list: readonly Row[]) =>
        readBatch(
          publishers,
          list.map(({ publisherId }) => publisherId),
        ),
      ),
    },
  }),
  DataLoader: handlerOf(withLoaders, createLoaders),
  'a resolver for each object': handlerOf({
    Query: { books },
    Book: {
      author: async (book: Row) => authors[book.authorId],
      publisher: async (book: Row) => publishers[book.publisherId],
    },
  }),
  'DataLoader on graphql-js': graphqlJS(),
};

function microseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

for (const count of [50, 1_000, 5_000]) {
  const runners = Object.entries(contestants).map(([name, run]) => ({ name, run, times: [] as number[] }));
  const expected = await runners[0]!.run(count);
  for (const { name, run } of runners) if ((await run(count)) !== expected) throw new Error(`${name} answers otherwise.`);
  const time = async (run: Contestant): Promise<number> => {
    const start = microseconds();
    let runs = 0;
    for (; microseconds() - start < slice * 1_000; runs++) await run(count);
    return (microseconds() - start) / runs;
  };
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const { run } of runners) await time(run);
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < runners.length; at++) {
      const { run, times } = runners[(round + at) % runners.length]!;
      times.push(await time(run));
    }
  console.log(`${count} rows`);
  const floor = runners[0]!.times;
  for (const { name, times } of runners) {
    const ratio = median(times.map((one, at) => one / floor[at]!));
    console.log(`  ${name.padEnd(28)} ${String(rounded(median(times))).padStart(8)} us  ${rounded(ratio)}`);
  }
}
