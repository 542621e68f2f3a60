// A server with a subscription: the built package on loopback, with the graphql of the repository instead of the clients'.
import { serve } from '../../../dist/esm/node.js';

/** Starts the server on a free port. `ended` counts the sources that a client has closed or that have ended by themselves. */
export async function startSubscriptionServer() {
  const state = { ended: 0, opened: 0 };
  const server = await serve(
    {
      csrfPrevention: true,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      typeDefs: /* GraphQL */ `
        type Query {
          hello(name: String = "world"): String!
        }
        type Mutation {
          shout(text: String!): String!
        }
        type Subscription {
          "Counts up and ends; without a number it continues until the client leaves."
          count(to: Int): Count!
          broken: Int
        }
        type Count {
          value: Int!
          square: Int!
        }
      `,
      resolvers: {
        Query: { hello: (_, { name }) => `Hello, ${name}!` },
        Mutation: { shout: (_, { text }) => text.toUpperCase() },
        Subscription: {
          count: {
            async *subscribe(_, { to = Infinity }) {
              state.opened += 1;
              try {
                for (let value = 1; value <= to; value++) yield { count: { value } };
              } finally {
                state.ended += 1;
              }
            },
          },
          broken: {
            async *subscribe() {
              yield { broken: 1 };
              throw new Error('the database password is hunter2');
            },
          },
        },
        Count: { square: ({ value }) => value * value },
      },
    },
    { port: 0, host: '127.0.0.1', signals: false },
  );
  return { url: `${server.url}graphql`, state, close: () => server.close() };
}
