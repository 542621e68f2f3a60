/**
 * What telemetry costs, in one process and in turns: hello, and 50 objects with 100 asynchronous fields each.
 *
 *     node bench/telemetry.ts
 *
 * Ratios to the same handler without subscribers: a listener on graphql:execute, one on graphql:resolve, and the plugins
 * openTelemetry (with an SDK that keeps nothing) and costLine (which writes nowhere). Takes a minute.
 */
import { tracingChannel } from 'node:diagnostics_channel';

import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

import { createHandler } from '../src/entries/aws-lambda.ts';
import { costLine } from '../src/entries/cost-line.ts';
import { openTelemetry } from '../src/entries/opentelemetry.ts';
import type { ServerPlugin } from '../src/server/operation/plugin.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 31);
/** Milliseconds for which each contestant runs in a round. */
const slice = 40;

const fields = Array.from({ length: 100 }, (_, at) => `f${at}`);
const typeDefs = `type Query { hello: String items: [Item] } type Item { ${fields.map((name) => `${name}: Int`).join(' ')} }`;
const resolvers = {
  Query: { hello: () => 'world', items: () => Array.from({ length: 50 }, () => ({})) },
  Item: Object.fromEntries(fields.map((name, at) => [name, async () => at])),
};
const bodies = { hello: '{ hello }', 'async fields': `{ items { ${fields.join(' ')} } }` };

interface Contestant {
  readonly name: string;
  readonly plugins?: readonly ServerPlugin[];
  /** Subscribes, and returns a function that unsubscribes. */
  readonly listen?: () => () => void;
}

const ignore = (): void => {};
const provider = new NodeTracerProvider();
const contestants: readonly Contestant[] = [
  { name: 'none' },
  { name: 'none, again' },
  { name: 'execute', listen: () => listenTo('graphql:execute') },
  { name: 'resolve', listen: () => listenTo('graphql:resolve') },
  { name: 'openTelemetry', plugins: [openTelemetry({ tracerProvider: provider })] },
  { name: 'costLine', plugins: [costLine({ write: ignore })] },
];

function listenTo(name: string): () => void {
  const channel = tracingChannel(name);
  const subscriber = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd: ignore, error: ignore };
  channel.subscribe(subscriber);
  return () => channel.unsubscribe(subscriber);
}

for (const [workload, query] of Object.entries(bodies)) {
  const runners = contestants.map(({ name, plugins = [], listen = () => ignore }) => {
    const handler = createHandler({ typeDefs, resolvers: resolvers as never, plugins });
    const body = JSON.stringify({ query });
    const time = async (): Promise<number> => {
      const stop = listen();
      const start = performance.now();
      let count = 0;
      for (; performance.now() - start < slice; count++) await handler(createEvent(body) as never, {} as never);
      const microseconds = ((performance.now() - start) / count) * 1000;
      stop();
      return microseconds;
    };
    return { name, time };
  });
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const { time } of runners) await time();
  const times = new Map(runners.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < runners.length; at++) {
      const { name, time } = runners[(round + at) % runners.length]!;
      times.get(name)!.push(await time());
    }
  }
  const base = times.get('none')!;
  for (const [name, all] of times) {
    const ratio = median(all.map((one, at) => one / base[at]!));
    console.log(`${workload.padEnd(14)} ${name.padEnd(26)} ${rounded(median(all))} µs  ${rounded(ratio)}`);
  }
}
