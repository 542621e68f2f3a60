/**
 * What the edge costs, in one process and in turns. Ratios to the same handler without a plugin, and to one with a plugin that
 * does nothing in the same hooks.
 *
 *     node bench/edge.ts
 */
import { createHandler } from '../src/aws-lambda.ts';
import { cacheControlDefinitions, edge } from '../src/edge.ts';
import type { ServerPlugin } from '../src/operation/plugin.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 31);
/** Milliseconds of CPU for which each contestant runs in a round. */
const slice = 30;

const hint = '@cacheControl(maxAge: 60)';
const schemaWith = (given: string): string => `
  type Query { hello: String ${given} items: [Item] ${given} rows: [Item] ${given} }
  type Item ${given} { id: ID! name: String title(short: Boolean): String }`;
const items = Array.from({ length: 50 }, (_, id) => ({ id: String(id), name: `item ${id}` }));
const resolvers: any = {
  Query: { hello: () => 'world', items: () => items, rows: () => items },
  Item: { title: ({ name }: { name: string }) => name },
};
const queries = { hello: '{ hello }', '50 rows': '{ rows { id name } }', '50 resolvers': '{ items { id title } }' };

const nothing: ServerPlugin = {
  viewRequest: (call) => call,
  aroundRequest: (_call, next) => next(),
  aroundOperation: (_call, next) => next(),
  requestDidStart: () => ({ didResolveOperation: () => undefined }),
};
/** The same event as a GET, which may be public. */
function getEvents(query: string): () => never {
  const event: any = createEvent('');
  const rawQueryString = new URLSearchParams({ query }).toString();
  const { 'content-length': _length, 'content-type': _type, ...headers } = event.headers;
  const http = { ...event.requestContext.http, method: 'GET' };
  return () =>
    ({ ...event, rawQueryString, headers: { ...headers }, requestContext: { ...event.requestContext, http }, body: undefined }) as never;
}

/** Microseconds that this thread has worked: what else the machine does makes no difference. */
function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

const contestants: readonly { readonly name: string; readonly hints: string; readonly plugins: () => readonly ServerPlugin[] }[] = [
  { name: 'no plugin', hints: hint, plugins: () => [] },
  { name: 'no plugin, again', hints: hint, plugins: () => [] },
  { name: 'a plugin that does nothing', hints: hint, plugins: () => [nothing] },
  { name: 'edge, private', hints: '', plugins: () => [edge({ cdn: 'varnish' })] },
  { name: 'edge, public', hints: hint, plugins: () => [edge({ cdn: 'varnish' })] },
];

for (const [workload, query] of Object.entries(queries)) {
  const runners = contestants.map(({ name, hints, plugins }) => {
    const handler = createHandler({ typeDefs: [cacheControlDefinitions, schemaWith(hints)], resolvers, plugins: plugins() });
    const nextEvent = getEvents(query);
    const time = async (): Promise<number> => {
      const start = cpuTime();
      let count = 0;
      for (; cpuTime() - start < slice * 1_000; count += 20) for (let at = 0; at < 20; at++) await handler(nextEvent(), {} as never);
      return (cpuTime() - start) / count;
    };
    return { name, time };
  });
  for (let warmUp = 0; warmUp < 8; warmUp++) for (const { time } of runners) await time();
  const times = new Map(runners.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < runners.length; at++) {
      const { name, time } = runners[(round + at) % runners.length]!;
      times.get(name)!.push(await time());
    }
  const base = times.get('no plugin')!;
  for (const [name, all] of times) {
    const ratio = median(all.map((one, at) => one / base[at]!));
    console.log(
      `${workload.padEnd(14)} ${name.padEnd(26)} ${rounded(median(all))} µs  min ${rounded(Math.min(...all))}  ${rounded(ratio)}`,
    );
  }
}
