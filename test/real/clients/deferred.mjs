// A server with @defer and @stream: the built package on loopback, with the graphql of the repository instead of the clients'.
import { serve } from '../../../dist/esm/node.js';
import { incrementalDelivery } from '../../../dist/esm/incremental.js';

/** Starts the server on a free port. Slow fields wait until `open()` is called; `accepts` has the Accept header of each request. */
export async function startDeferringServer() {
  const accepts = [];
  let open;
  let gate;
  const close = () => {
    gate = new Promise((resolve) => {
      open = resolve;
    });
  };
  close();
  const server = await serve(
    {
      csrfPrevention: true,
      incrementalDelivery: incrementalDelivery(),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: /* GraphQL */ `
        type Query {
          book: Book
          books: [Book!]!
        }
        type Book {
          id: ID!
          title: String!
          review: String
          broken: String
        }
      `,
      context: ({ request }) => {
        accepts.push(request.headers.get('accept'));
        return {};
      },
      resolvers: {
        Query: {
          book: () => ({ id: '1', title: 'Middlemarch' }),
          async *books() {
            yield { id: '1', title: 'Middlemarch' };
            await gate;
            yield { id: '2', title: 'Emma' };
            yield { id: '3', title: 'Persuasion' };
          },
        },
        Book: {
          review: () => gate.then(() => 'Long, and worth it'),
          broken: async () => {
            await gate;
            throw new Error('the database password is hunter2');
          },
        },
      },
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  return { url: `${server.url}graphql`, accepts, open: () => open(), shut: close, close: () => server.close() };
}
