import { compareShapes, productList } from './compare-shapes.ts';
import type { CompareShape } from './compare-shapes.ts';
import { createEvent } from './event.ts';
import { createRows } from './rows.ts';

/** A kind of request, of which a process serves some in each round. */
export interface MixedShape extends Pick<CompareShape, 'name' | 'event' | 'entry'> {
  /** Requests in a row. */
  readonly count: number;
}

const authors = Array.from({ length: 200 }, (_, id) => ({ id: `a${id}`, name: `Author ${id}` }));
const books = Array.from({ length: 1000 }, (_, id) => ({ id: `b${id}`, title: `Book ${id}`, authorId: id % 200 }));
const joined = books.map((book) => ({ ...book, author: authors[book.authorId] }));
const rows = createRows(20_000);

/** The authors of many books, as a database returns them. */
export async function authorsOf(ids: readonly number[]): Promise<object[]> {
  return ids.map((id) => authors[id]!);
}

export const mixedTypeDefs: string = `${compareShapes[0]!.typeDefs}
  extend type Query {
    books(count: Int!): [Book!]!
    joinedBooks(count: Int!): [JoinedBook!]!
    manyRows(count: Int!): [Row!]!
  }
  type Book { id: ID! title: String! author: Author }
  type JoinedBook { id: ID! title: String! author: Author }
  type Author { id: ID! name: String! }
`;

/** `author`: resolves the author of a book as the contestant reads many of them. */
export function mixedResolvers(author: unknown): CompareShape['resolvers'] {
  const { Query, ...others } = compareShapes[0]!.resolvers;
  return {
    ...others,
    Query: {
      ...Query,
      books: (_, { count }) => books.slice(0, count),
      joinedBooks: (_, { count }) => joined.slice(0, count),
      manyRows: (_, { count }) => rows.slice(0, count),
    },
    Book: { author: author as (parent: any, args: any) => unknown },
  };
}

const of = (name: string): CompareShape => compareShapes.find((shape) => shape.name === name)!;
const post = (name: string, count: number, query: string, variables?: object): MixedShape => {
  const body = JSON.stringify({ query, variables });
  return { name, count, entry: 'lambda', event: () => createEvent(body) };
};
const rowsOf = (field: string, more = ''): string =>
  `query ($count: Int!) { ${field}(count: $count) { id name price count active sku tag rank ${more} } }`;

/** All kinds of requests, in the order of a round. */
export const mixedShapes: readonly MixedShape[] = [
  { ...of('hello'), count: 5000 },
  post('20 products', 400, productList, { first: 20 }),
  { ...of('mutation'), count: 4000 },
  { ...of('batch of 10'), count: 500 },
  post('syntax error', 1000, '{ hello'),
  { ...of('unseen documents'), count: 500 },
  post('10 rows', 2000, rowsOf('rows'), { count: 10 }),
  post('1,000 rows', 40, rowsOf('rows'), { count: 1000 }),
  // 3.5 MB, which may be more than 6 MB when the platform counts the result as JSON.
  post('20,000 rows', 3, rowsOf('manyRows', 'title: name label: name code: sku'), { count: 20_000 }),
  { ...of('50 objects'), count: 200 },
  { ...of('hello, context'), count: 2000 },
  { ...of('batch, context'), count: 300 },
  { ...of('Request hello'), count: 800 },
  post('joined, 1,000 rows', 20, '{ joinedBooks(count: 1000) { id title author { id name } } }'),
  post('batched, 1,000 rows', 20, '{ books(count: 1000) { id title author { id name } } }'),
];
