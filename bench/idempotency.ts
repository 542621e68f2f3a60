/**
 * What idempotency keys cost, in one process and in turns: a query, a mutation without a key, one with a new key each time, and replays.
 *
 *     node bench/idempotency.ts
 *
 * Microseconds of a request, and how many more than the same handler with a plugin that does nothing. The store is memoryStore(), so that
 * a store's two round trips are not in it. Takes a minute.
 */
import { createHandler } from '../src/entries/aws-lambda.ts';
import { idempotency, memoryStore } from '../src/entries/idempotency.ts';
import type { ServerPlugin } from '../src/server/operation/plugin.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 41);
/** Milliseconds for which each contestant runs in a round. */
const slice = 40;

const typeDefs = 'type Query { hello: String } type Mutation { charge(amount: Int): Int }';
const resolvers = { Query: { hello: () => 'world' }, Mutation: { charge: () => 1 } };
let number = 0;
const keyed = (key: string): Record<string, string> => ({ 'idempotency-key': `"${key}"` });
const mutation = (): string =>
  JSON.stringify({ query: 'mutation ($amount: Int) { charge(amount: $amount) }', variables: { amount: number++ } });
const once = mutation();

const workloads: Readonly<Record<string, () => object>> = {
  query: () => createEvent('{"query":"{ hello }"}'),
  mutation: () => createEvent(mutation()),
  'mutation with a key': () => createEvent(mutation(), keyed(String(number))),
  replay: () => createEvent(once, keyed('once')),
};
const nothing: ServerPlugin = { invalidRequestWasReceived: () => {} };
const contestants: Readonly<Record<string, () => readonly ServerPlugin[]>> = {
  'no plugin': () => [],
  'a plugin that does nothing': () => [nothing],
  'the same again': () => [nothing],
  idempotency: () => [idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: () => 'everyone', ttl: 1 })],
};

for (const [workload, event] of Object.entries(workloads)) {
  const runners = Object.entries(contestants).map(([name, plugins]) => {
    const handler = createHandler({ typeDefs, resolvers, plugins: plugins(), nodeEnv: 'production' });
    const time = async (): Promise<number> => {
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < slice; count++) await handler(event() as never, {} as never);
      return ((performance.now() - start) / count) * 1000;
    };
    return { name, time, times: [] as number[] };
  });
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const { time } of runners) await time();
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < runners.length; at++) {
      const { time, times } = runners[(round + at) % runners.length]!;
      times.push(await time());
    }
  const base = runners[1]!.times;
  for (const { name, times } of runners) {
    const more = median(times.map((one, at) => one - base[at]!));
    console.log(`${workload.padEnd(20)} ${name.padEnd(28)} ${rounded(median(times))} µs  ${more < 0 ? '' : '+'}${more.toFixed(2)} µs`);
  }
}
