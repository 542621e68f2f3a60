import { eq, getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { integer, pgTable, serial, text } from 'drizzle-orm/pg-core';
import { createHandler, DataSource, gql, selectedFields } from 'graphql-functions';

import { pool } from '../lib/pool.ts';

const authors = pgTable('authors', { id: serial('id').primaryKey(), name: text('name').notNull() });
const books = pgTable('books', {
  id: serial('id').primaryKey(),
  title: text('title').notNull(),
  summary: text('summary').notNull(),
  author: integer('author').notNull(),
});

const { author: _key, ...columns } = getTableColumns(books);
const database = drizzle(pool);

class Library extends DataSource {
  books(fields: ReadonlySet<string>): Promise<object[]> {
    // The key is always read.
    const asked = Object.entries<PgColumn>(columns).filter(([name]) => name === 'id' || fields.has(name));
    const selected = Object.fromEntries(asked);
    if (!fields.has('author')) return database.select(selected).from(books).orderBy(books.id);
    return database
      .select({ ...selected, author: { id: authors.id, name: authors.name } })
      .from(books)
      .leftJoin(authors, eq(authors.id, books.author))
      .orderBy(books.id);
  }
}

export default createHandler({
  csrfPrevention: true,
  typeDefs: gql`
    type Query {
      books: [Book!]!
    }
    type Book {
      id: ID!
      title: String!
      summary: String!
      author: Author!
    }
    type Author {
      id: ID!
      name: String!
    }
  `,
  dataSources: () => ({ library: new Library() }),
  resolvers: {
    Query: { books: (_, _args, { dataSources }, info) => dataSources.library.books(selectedFields(info)) },
  },
});
