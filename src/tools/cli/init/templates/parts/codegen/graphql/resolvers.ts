import { books } from './books.ts';
import type { Resolvers } from './resolvers-types.ts';

export const resolvers: Resolvers = {
  Query: {
    books: (_, { first }) => books.slice(0, first ?? undefined),
    book: (_, { id }) => books.find((book) => book.id === id) ?? null,
  },
};
