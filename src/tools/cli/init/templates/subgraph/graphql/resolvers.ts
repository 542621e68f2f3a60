import { byKey } from 'graphql-functions';
import type { ResolverMap } from 'graphql-functions';

import { books } from './books.ts';

export const resolvers: ResolverMap = {
  Query: {
    books: (_, { first }: { first: number }) => books.slice(0, first),
  },
  Book: {
    // One call for all books that the router asks for by their keys.
    __resolveReferences: (references: readonly { readonly id: string }[]) => {
      const ids = references.map(({ id }) => id);
      const found = books.filter(({ id }) => ids.includes(id));
      return byKey(ids, found, 'id');
    },
  },
};
