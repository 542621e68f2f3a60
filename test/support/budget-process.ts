// One of several processes that run operations of one client at once, until a line arrives on stdin. Then it prints how many have run.
// The arguments: the port of Redis, the capacity, and the points per second.
import { createClient } from '@keyv/redis';

// Imports the built files, as a deployed function does.
const { budget, redisStore } = (await import(builtEntry('budget'))) as typeof import('../../src/entries/budget.ts');
const { createHandler } = (await import(builtEntry('aws-lambda'))) as typeof import('../../src/entries/aws-lambda.ts');

function builtEntry(name: string): string {
  return new URL(`../../dist/esm/${name}.js`, import.meta.url).href;
}

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
process.stdin.once('data', () => stop.abort());
await Promise.all(
  Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) await handler({ query: '{ a }' }, {});
  }),
);
console.log(runs);
client.destroy();
process.exit();
