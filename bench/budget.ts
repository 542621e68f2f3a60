/**
 * What points cost a query, in one process and in turns, beside a handler without plugins.
 *
 *     node bench/budget.ts
 *
 * Microseconds of CPU of a request: medians of the rounds, and how many more than with a plugin that has the same hooks and does nothing. The
 * store is memoryStore(), so that a store's round trip is not in it. Takes half a minute.
 */
import { createHandler } from '../src/entries/aws-lambda.ts';
import { budget, memoryStore } from '../src/entries/budget.ts';
import type { ServerPlugin } from '../src/server/operation/plugin.ts';
import { createEvent } from './event.ts';
import { median } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 41);
const requests = 4_000;

const options = { identity: () => 'everyone', capacity: 1e9, refillPerSecond: 1e6 };
const fields = ['ratelimit-policy', 'ratelimit'];
const hooks: ServerPlugin = { position: 'first', onlyWatches: true, executionWillStart: () => undefined, responseWillBeSent: () => {} };
const contestants: Readonly<Record<string, readonly ServerPlugin[]>> = {
  'no plugin': [],
  'the same hooks': [hooks],
  'the same hooks, asynchronous': [{ ...hooks, executionWillStart: async () => undefined }],
  'the same hooks and fields': [
    { ...hooks, responseWillBeSent: (_, { headers }) => fields.forEach((name) => headers.set(name, '"default";r=1000;t=100')) },
  ],
  'budget, memory': [budget({ ...options, store: memoryStore({ isOnlyProcess: true }) })],
};

const runners = Object.entries(contestants).map(([name, plugins]) => {
  const handler = createHandler({
    typeDefs: 'type Query { hello: String }',
    resolvers: { Query: { hello: () => 'world' } },
    plugins,
    nodeEnv: 'production',
  });
  const event = createEvent('{"query":"{ hello }"}');
  const time = async (): Promise<number> => {
    const start = process.cpuUsage();
    for (let count = 0; count < requests; count++) await handler(event as never, {} as never);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / requests;
  };
  return { name, time, times: [] as number[] };
});
for (let warmUp = 0; warmUp < 8; warmUp++) for (const { time } of runners) await time();
for (let round = 0; round < rounds; round++) for (const { time, times } of runners) times.push(await time());
const base = runners[1]!.times;
for (const { name, times } of runners) {
  const more = median(times.map((one, at) => one - base[at]!));
  console.log(`${name.padEnd(30)} ${median(times).toFixed(2)} µs  ${more < 0 ? '' : '+'}${more.toFixed(2)} µs`);
}
