import { byKey } from 'graphql-functions';
import type { ResolverMap } from 'graphql-functions';

import { books } from './books.ts';
import type { BookRow } from './books.ts';
import type { Context } from './context.ts';
import { DateScalar } from './scalars.ts';

export const resolvers: ResolverMap<Context> = {
  Query: {
    books: (_, { first }: { first: number }) => books.slice(0, first),
  },
  Book: {
    title: ({ titles }: BookRow, _, { language }) => titles[language] ?? titles.en,
    // One call for all books that the router asks for by their keys.
    __resolveReferences: (references: readonly { readonly id: string }[]) => {
      const ids = references.map(({ id }) => id);
      const found = books.filter(({ id }) => ids.includes(id));
      return byKey(ids, found, 'id');
    },
  },
  Date: DateScalar,
};
