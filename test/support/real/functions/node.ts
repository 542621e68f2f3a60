import { serve } from 'graphql-functions/node';

import { probe } from './probe.ts';

/** A server for shutdown tests: it prints its state, and delays a response until SIGUSR2. */
const released = new Promise<string>((resolve) => {
  process.once('SIGUSR2', () => resolve('released'));
});

const { url } = await serve(
  {
    ...probe,
    typeDefs: [probe.typeDefs, 'extend type Query { held: String! }'],
    resolvers: [probe.resolvers, { Query: { held: () => (console.log('holding'), released) } }],
    plugins: [
      ...probe.plugins,
      {
        serverWillStart: () => ({
          drainServer: () => console.log('draining'),
          serverWillStop: () => console.log('stopped'),
        }),
      },
    ],
  },
  { port: 0, host: '127.0.0.1', shutdownTimeout: Number(process.env['SHUTDOWN_TIMEOUT'] ?? 10_000) },
);
console.log(`listening on ${url}`);
