/**
 * What edge() costs, in one process and in turns: CPU time of each, and the median of its ratios to the same round of the handler
 * without a plugin, of edge() over a schema without hints, and of public answers without edge().
 *
 *     node bench/edge.ts
 */
import { createHandler } from '../src/entries/aws-lambda.ts';
import { cacheControlDefinitions, edge } from '../src/entries/edge.ts';
import type { ContextArgument } from '../src/entries/index.ts';
import type { ServerPlugin } from '../src/server/operation/plugin.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const rounds = Number(process.env['ROUNDS'] ?? 31);
/** Milliseconds of CPU for which each contestant runs in a round. */
const slice = 30;

const schemaWith = (hint: string): string => `
  type Query { hello: String ${hint} product(id: ID!): Item ${hint} items(first: Int!): [Item] ${hint} resolved(first: Int!): [Item] ${hint} }
  type Item ${hint} { id: ID! name: String price: Int stock: Int title(short: Boolean): String maker: Maker }
  type Maker ${hint} { id: ID! name: String }`;
const items = Array.from({ length: 1_000 }, (_, id) => ({
  id: String(id),
  name: `item ${id}`,
  price: id,
  stock: 3,
  maker: { id: String(id % 20), name: 'x' },
}));
const first = (_: unknown, { first: count }: { first: number }): object[] => items.slice(0, count);
const resolvers: any = {
  Query: { hello: () => 'world', product: (_: unknown, { id }: { id: string }) => items[Number(id)], items: first, resolved: first },
  Item: { title: ({ name }: { name: string }) => name },
};
const queries = {
  hello: '{ hello }',
  'hello, with context': '{ hello }',
  product: '{ product(id: "1") { id name price } }',
  'product, without id': '{ product(id: "1") { name price } }',
  '50 rows, without id': '{ items(first: 50) { name price } }',
  '50 objects of 20 makers': '{ items(first: 50) { id name maker { name } } }',
  '50 resolvers': '{ resolved(first: 50) { id title } }',
  '1,000 rows': '{ items(first: 1000) { id name price stock } }',
};

/** By GET, whose response may be public, or by POST, whose response may not. */
function events(query: string, method: string): () => never {
  const event: any = createEvent(method === 'POST' ? JSON.stringify({ query }) : '');
  const http = { ...event.requestContext.http, method };
  if (method === 'POST')
    return () => ({ ...event, headers: { ...event.headers }, requestContext: { ...event.requestContext, http } }) as never;
  const rawQueryString = new URLSearchParams({ query }).toString();
  const { 'content-length': _length, 'content-type': _type, ...headers } = event.headers;
  return () =>
    ({ ...event, rawQueryString, headers: { ...headers }, requestContext: { ...event.requestContext, http }, body: undefined }) as never;
}

/** Microseconds of CPU time of this thread, which do not depend on other processes. */
function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

interface Contestant {
  readonly name: string;
  readonly hint: string;
  readonly method: string;
  readonly plugins: () => readonly ServerPlugin[];
}

const none = (): ServerPlugin[] => [];
const withEdge = (): ServerPlugin[] => [edge({ cdn: 'varnish' })];
/** The fields of RFC 9213 have no tags: this is the cost of hints and header fields. */
const withoutTags = (): ServerPlugin[] => [edge({ cdn: 'rfc9213' })];
/** Marks all responses public. Their ETags and header fields cost the same without edge. */
const marking = (): ServerPlugin[] => [
  {
    async request(_call, next) {
      const response = await next();
      response.headers.set('cache-control', 'public, max-age=60');
      return response;
    },
  },
];
const contestants: readonly Contestant[] = [
  { name: 'no plugin', hint: '', method: 'GET', plugins: none },
  { name: 'no edge, public', hint: '', method: 'GET', plugins: marking },
  { name: 'edge, no hints', hint: '', method: 'GET', plugins: withEdge },
  { name: 'edge, hints: private', hint: '@cacheControl(maxAge: 60, scope: PRIVATE)', method: 'GET', plugins: withEdge },
  { name: 'edge, hints: public, no tags', hint: '@cacheControl(maxAge: 60)', method: 'GET', plugins: withoutTags },
  { name: 'edge, hints: public', hint: '@cacheControl(maxAge: 60)', method: 'GET', plugins: withEdge },
  { name: 'POST, no plugin', hint: '', method: 'POST', plugins: none },
  { name: 'POST, edge, no hints', hint: '', method: 'POST', plugins: withEdge },
  { name: 'POST, edge, hints: public', hint: '@cacheControl(maxAge: 60)', method: 'POST', plugins: withEdge },
];

/** Reads the parts of the request that a public response may depend on. */
const context = ({ request }: ContextArgument): object => ({ path: request.path, accept: request.headers.get('accept') });

interface Runner {
  readonly name: string;
  /** Microseconds of CPU for one request. */
  readonly time: () => Promise<number>;
}

function runnerOf({ name, hint, method, plugins }: Contestant, workload: keyof typeof queries): Runner {
  const typeDefs = [cacheControlDefinitions, schemaWith(hint)];
  const handler = createHandler({ typeDefs, resolvers, plugins: plugins(), ...(workload.endsWith('context') && { context }) });
  const nextEvent = events(queries[workload], method);
  const time = async (): Promise<number> => {
    const start = cpuTime();
    let count = 0;
    for (; cpuTime() - start < slice * 1_000; count += 10) for (let at = 0; at < 10; at++) await handler(nextEvent(), {} as never);
    return (cpuTime() - start) / count;
  };
  return { name, time };
}

for (const workload of Object.keys(queries) as (keyof typeof queries)[]) {
  const runners = contestants.map((contestant) => runnerOf(contestant, workload));
  for (let warmUp = 0; warmUp < 8; warmUp++) for (const { time } of runners) await time();
  const times = new Map(runners.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (let at = 0; at < runners.length; at++) {
      const { name, time } = runners[(round + at) % runners.length]!;
      times.get(name)!.push(await time());
    }
  const ratio = (name: string, base: string): number => rounded(median(times.get(name)!.map((one, at) => one / times.get(base)![at]!)));
  for (const [name, all] of times) {
    const post = name.startsWith('POST') ? 'POST, ' : '';
    const ratios = `${ratio(name, `${post}no plugin`)} of no plugin, ${ratio(name, `${post}edge, no hints`)} of no hints, ${ratio(name, 'no edge, public')} of public without edge`;
    console.log(`${workload.padEnd(24)} ${name.padEnd(28)} ${rounded(median(all))} µs, min ${rounded(Math.min(...all))}: ${ratios}`);
  }
}
