import type { ResolverMap } from 'graphql-functions';

import { books } from './books.ts';
import type { BookRow } from './books.ts';
import type { Context } from './context.ts';
import { DateScalar } from './scalars.ts';

interface BooksArguments {
  readonly first: number;
  readonly genre?: BookRow['genre'] | null;
  readonly since?: Date | null;
}

export const resolvers: ResolverMap<Context> = {
  Query: {
    books: (_, { first, genre, since }: BooksArguments) =>
      books.filter((book) => (!genre || book.genre === genre) && (!since || book.published >= since)).slice(0, first),
    book: (_, { id }: { id: string }) => books.find((book) => book.id === id),
  },
  Book: {
    title: ({ titles }: BookRow, _, { language }) => titles[language] ?? titles.en,
  },
  Date: DateScalar,
};
