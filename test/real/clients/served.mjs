// The server for all clients: the built package on loopback, with the graphql of the repository instead of the clients'.
import { serve } from '../../../dist/esm/node.js';

/** classic.test.mjs sets it, and imports the other tests. */
export const httpStatusProfile = process.env.HTTP_STATUS_PROFILE ?? '2026-09';

/** Starts the server on a free port. `seen` has the method and the parsed body or query of each request that reached an operation. */
export async function startServer() {
  const reviews = [];
  const seen = [];
  const books = [
    { id: '1', title: 'Middlemarch', author: { name: 'George Eliot' }, price: 12.5 },
    { id: '2', title: 'Ромео и Джульетта 🎭', author: { name: 'William Shakespeare' }, price: 9 },
  ];
  const server = await serve(
    {
      csrfPrevention: true,
      httpStatusProfile,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: /* GraphQL */ `
        type Query {
          books(title: String, first: Int = 10): [Book!]!
          book(id: ID!): Book
          broken: String
        }
        type Mutation {
          addReview(review: ReviewInput!): Review!
        }
        type Book {
          id: ID!
          title: String!
          author: Author!
          price: Float
        }
        type Author {
          name: String!
        }
        type Review {
          bookId: ID!
          text: String!
          stars: Int
        }
        input ReviewInput {
          bookId: ID!
          text: String!
          stars: Int
        }
      `,
      context: ({ request }) => {
        seen.push({ method: request.method, accept: request.headers.get('accept'), queryString: request.queryString });
        return {};
      },
      resolvers: {
        Query: {
          books: (_, { title, first }) => books.filter((book) => title === undefined || book.title.includes(title)).slice(0, first),
          book: (_, { id }) => books.find((book) => book.id === id) ?? null,
          broken: () => {
            throw new Error('the database password is hunter2');
          },
        },
        Mutation: {
          addReview: (_, { review }) => {
            reviews.push(review);
            return review;
          },
        },
      },
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  return { url: `${server.url}graphql`, seen, reviews, close: () => server.close() };
}
