import type { ResolverMap } from 'graphql-functions';

import { books } from './books.ts';

export const resolvers: ResolverMap = {
  Query: {
    books: () => books,
    book: (_, { id }: { id: string }) => books.find((book) => book.id === id),
  },
};
