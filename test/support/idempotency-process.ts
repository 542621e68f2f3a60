// The server for the test of killed processes. It records charges in Redis, whose port is the argument.
import { createServer } from 'node:http';

// Imports the built files, because many processes load them.
import { createClient } from '@keyv/redis';
import { idempotency, redisStore } from 'graphql-functions/idempotency';
import { createListener } from 'graphql-functions/node';

const client = createClient({ url: `redis://127.0.0.1:${process.argv[2]}` }).on('error', () => {});
await client.connect();

const listener = createListener({
  nodeEnv: 'production',
  // The server would log thousands of refusals as warnings.
  logger: { ...console, warn() {} },
  deadline: { ms: 600, reserveMs: 100 },
  typeDefs: 'type Query { a: Int } type Mutation { charge(order: ID!): Int }',
  resolvers: {
    Mutation: {
      // The effect is atomic: when the process is killed, it has either happened or not.
      charge: async (_: unknown, { order }: { order: string }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        const count = await client.incr(`charges:${order}`);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        return count;
      },
    },
  },
  plugins: [
    idempotency({
      store: redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args })),
      identity: (_context, request) => request?.headers.get('x-client'),
    }),
  ],
});
const server = createServer(listener);
server.listen(0, '127.0.0.1', () => console.log(`Ready at ${(server.address() as { port: number }).port}`));
