// A GraphQL server for the REST API in catalogue.ts. Copy this file, and replace the API with your own.
// Keep the default export the only one: Netlify treats a file that exports `handler` as a function of version 1.

import { GraphQLError } from 'graphql';
import { batch, createHandler, gql, groupByKey, RESTDataSource } from 'graphql-functions';
import { cacheControlDefinitions, edge } from 'graphql-functions/edge';
import { rest } from 'graphql-functions/rest';

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

  # The catalogue is the same for all users, so a CDN may cache it. Reviews change often, so answers that contain them are not cached.
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

// The address of the REST API. `npm run dev`, netlify.toml and template.yaml set CATALOGUE_URL. Functions deployed to Netlify
// do not get the variables of netlify.toml. Netlify sets URL to the address of the site, which also serves the catalogue.
const { URL: site, CATALOGUE_URL: catalogueURL = `${site}/.netlify/functions/catalogue/` } = process.env;

class CatalogueAPI extends RESTDataSource {
  override baseURL = catalogueURL;

  books(author?: string): Promise<Book[]> {
    return this.get('books', { author });
  }

  // Encodes the id because it comes from a client: a slash in it would change the path.
  book(id: string): Promise<Book | null> {
    return this.get(`books/${encodeURIComponent(id)}`).catch(nullIfMissing);
  }

  authors(): Promise<Author[]> {
    return this.get('authors');
  }

  // If one operation reads three books by Jane Austen, the data source fetches her once.
  author(id: string): Promise<Author | null> {
    return this.get(`authors/${encodeURIComponent(id)}`).catch(nullIfMissing);
  }

  // Reviews are not cached, so one request for all books is better than one request for each book.
  async reviews(books: readonly string[]): Promise<Review[][]> {
    const reviews = await this.get<Review[]>('reviews', { book: [...books] });
    return groupByKey(books, reviews, 'book');
  }

  addReview(book: string, review: Pick<Review, 'stars' | 'text' | 'by'>): Promise<Review> {
    return this.post(`books/${encodeURIComponent(book)}/reviews`, review);
  }
}

/** Turns a 404 into null. */
function nullIfMissing(error: GraphQLError): null {
  const response = error.extensions?.['response'] as { status: number } | undefined;
  if (response?.status === 404) return null;
  throw error;
}

// An operation with @http has a URL for clients that do not speak GraphQL: GET /.netlify/functions/graphql/rest/books/emma
const documents = {
  book: gql`
    "Finds a book by its id."
    query GetBook($id: ID!) @http(method: GET, route: "/books/{id}") {
      book(id: $id) {
        id
        title
        year
        author {
          name
        }
      }
    }
  `,
};

export default createHandler({
  csrfPrevention: true,
  typeDefs: [cacheControlDefinitions, typeDefs],
  // Runs for every operation. Verify a token here in a real application. `user` is a function so that the header is read only when
  // a resolver needs it: an answer that does not depend on the user can be cached for all users.
  context: ({ request }) => ({ user: () => request.headers.get('x-user') ?? 'anonymous' }),
  // Creates new data sources for every operation, so that operations share no state.
  dataSources: () => ({ catalogue: new CatalogueAPI() }),
  // Clients may run other operations, too.
  trustedDocuments: { documents },
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
  // Lets Netlify's CDN cache the answers to GET requests, as the schema's @cacheControl allows. docs/edge.md describes other CDNs and purging.
  plugins: [edge({ cdn: 'netlify' }), rest({ info: { title: 'Catalogue', version: '1' } })],
});
