import type { ResolverMap } from 'graphql-functions';

import { books } from './books.ts';

export const resolvers: ResolverMap = {
  Query: {
    books: (_, { first }: { first: number }) => books.slice(0, first),
    book: (_, { id }: { id: string }) => books.find((book) => book.id === id),
  },
};
