// A GraphQL server in one function, over the REST API in catalogue.ts. Copy it and put your own API in its place.
// Only a default export: an export called `handler` would make it a version-1 function on Netlify.

import { GraphQLError } from 'graphql';
import { batch, createHandler, gql, groupByKey, RESTDataSource } from 'graphql-functions';
import { cacheControlDefinitions, edge } from 'graphql-functions/edge';

import type { Author } from './catalogue-data/authors.ts';
import type { Book } from './catalogue-data/books.ts';
import type { Review } from './catalogue-data/reviews.ts';

const typeDefs = gql`
  type Query {
    books(author: ID): [Book!]! @cacheControl(maxAge: 300)
    book(id: ID!): Book @cacheControl(maxAge: 300)
    authors: [Author!]! @cacheControl(maxAge: 300)
    author(id: ID!): Author @cacheControl(maxAge: 300)
  }

  type Mutation {
    addReview(book: ID!, stars: Int!, text: String!): Review!
  }

  # The catalogue is the same for everybody, and may be kept by a CDN. Reviews come and go: who asks for them gets an answer of their own.
  type Book @cacheControl(inheritMaxAge: true) {
    id: ID!
    title: String!
    year: Int!
    author: Author!
    reviews: [Review!]!
  }

  type Author @cacheControl(inheritMaxAge: true) {
    id: ID!
    name: String!
    born: Int!
    died: Int
    books: [Book!]!
  }

  type Review {
    id: ID!
    stars: Int!
    text: String!
    by: String!
  }
`;

// Where the REST API is. `npm run dev`, netlify.toml and template.yaml say so in CATALOGUE_URL. A deployed Netlify
// function gets no variables from netlify.toml, but its site's address in URL, and the catalogue is a part of that site.
const { URL: site, CATALOGUE_URL: catalogueURL = `${site}/.netlify/functions/catalogue/` } = process.env;

class CatalogueAPI extends RESTDataSource {
  override baseURL = catalogueURL;

  books(author?: string): Promise<Book[]> {
    return this.get('books', { author });
  }

  // Encoded, because the id comes from a client: one with a slash in it would be another path.
  book(id: string): Promise<Book | null> {
    return this.get(`books/${encodeURIComponent(id)}`).catch(nullIfMissing);
  }

  authors(): Promise<Author[]> {
    return this.get('authors');
  }

  // Three books by Jane Austen ask for her three times in one operation: she is fetched once.
  author(id: string): Promise<Author | null> {
    return this.get(`authors/${encodeURIComponent(id)}`).catch(nullIfMissing);
  }

  // Reviews cannot be cached, so that one request for all books of an answer is better than one for each.
  async reviews(books: readonly string[]): Promise<Review[][]> {
    const reviews = await this.get<Review[]>('reviews', { book: [...books] });
    return groupByKey(books, reviews, 'book');
  }

  addReview(book: string, review: Pick<Review, 'stars' | 'text' | 'by'>): Promise<Review> {
    return this.post(`books/${encodeURIComponent(book)}/reviews`, review);
  }
}

/** What is not there is null, and no error. */
function nullIfMissing(error: GraphQLError): null {
  const response = error.extensions?.['response'] as { status: number } | undefined;
  if (response?.status === 404) return null;
  throw error;
}

export default createHandler({
  csrfPrevention: true,
  typeDefs: [cacheControlDefinitions, typeDefs],
  // Called for every operation. A real one verifies a token here, and takes the user from it. A function, because an answer for
  // which nobody has asked who the user is may be given to everybody.
  context: ({ request }) => ({ user: () => request.headers.get('x-user') ?? 'anonymous' }),
  // New ones for every operation, so that no operation sees what another one was told.
  dataSources: () => ({ catalogue: new CatalogueAPI() }),
  resolvers: {
    Query: {
      books: (_, { author }, { dataSources }) => dataSources.catalogue.books(author),
      book: (_, { id }, { dataSources }) => dataSources.catalogue.book(id),
      authors: (_, _arguments, { dataSources }) => dataSources.catalogue.authors(),
      author: (_, { id }, { dataSources }) => dataSources.catalogue.author(id),
    },
    Mutation: {
      addReview(_, { book, stars, text }, { dataSources, user }) {
        if (stars < 1 || stars > 5) throw new GraphQLError('Expected stars from 1 to 5.', { extensions: { code: 'BAD_USER_INPUT' } });
        return dataSources.catalogue.addReview(book, { stars, text, by: user() });
      },
    },
    Book: {
      author: (book: Book, _, { dataSources }) => dataSources.catalogue.author(book.author),
      reviews: batch((books: readonly Book[], _, { dataSources }) => dataSources.catalogue.reviews(books.map(({ id }) => id))),
    },
    Author: {
      books: (author: Author, _, { dataSources }) => dataSources.catalogue.books(author.id),
    },
  },
  // Answers to GET of what is marked above may be kept by Netlify's CDN. docs/edge.md has the others, and how to take answers back.
  plugins: [edge({ cdn: 'netlify' })],
});
