import { batch, byKey, createHandler, DataSource, gql } from 'graphql-functions';

import type { Author, Book } from '../generated/prisma/client.ts';
import { prisma } from '../lib/prisma.ts';

class Library extends DataSource {
  books(): Promise<Book[]> {
    return prisma.book.findMany({ orderBy: { title: 'asc' } });
  }

  /** The author of each id, in the order of the ids. */
  async authors(ids: readonly string[]): Promise<(Author | null)[]> {
    const rows = await prisma.author.findMany({ where: { id: { in: [...new Set(ids)] } } });
    return byKey(ids, rows, 'id');
  }
}

export default createHandler({
  csrfPrevention: true,
  typeDefs: gql`
    type Query {
      books: [Book!]!
    }

    type Book {
      title: String!
      author: Author
    }

    type Author {
      name: String!
    }
  `,
  dataSources: () => ({ library: new Library() }),
  resolvers: {
    Query: { books: (_, _args, { dataSources }) => dataSources.library.books() },
    Book: {
      author: batch({ maxSize: 1000 }, (books: readonly Book[], _args, { dataSources }) =>
        dataSources.library.authors(books.map(({ authorId }) => authorId)),
      ),
    },
  },
});
