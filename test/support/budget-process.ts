// One of several processes that run operations of one client at once, until SIGTERM. Then it prints how many have run.
// The arguments: the port of Redis, the capacity, and the points per second.
// Imports the built files, as a deployed function does.
import { createClient } from '@keyv/redis';
import { createHandler } from 'graphql-functions/aws-lambda';
import { budget, redisStore } from 'graphql-functions/budget';

const [port, capacity, refillPerSecond] = process.argv.slice(2).map(Number) as [number, number, number];
const client = createClient({ url: `redis://127.0.0.1:${port}` }).on('error', () => {});
await client.connect();

let runs = 0;
function run(): number {
  // By then it shares the points: on a busy machine, the other process may have taken many.
  if (runs === 0) console.log('running');
  return ++runs;
}

const handler = createHandler({
  nodeEnv: 'production',
  typeDefs: 'type Query { a: Int }',
  resolvers: { Query: { a: run } },
  plugins: [
    budget({
      store: redisStore((script, key, args) => client.eval(script, { keys: [key], arguments: args })),
      identity: () => 'ada',
      capacity,
      refillPerSecond,
      whenStoreFails: 'refuse',
      storeTimeout: 60_000,
    }),
  ],
}) as unknown as (event: object, context: object) => Promise<unknown>;

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await Promise.all(
  Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) await handler({ query: '{ a }' }, {});
  }),
);
console.log(runs);
client.destroy();
process.exit();
