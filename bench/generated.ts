/**
 * Random workloads: schema, resolvers, query and entry. Measures whole requests to this library and to bare graphql-js 17 and 16, in one
 * process and in turns: the same document with other variables in each request ("warm"), and a new document in each request ("unseen":
 * parsed, validated, planned and executed once).
 *
 *     NODE_ENV=production node bench/generated.ts [seed] [how many]
 *
 * The result is the distribution of the ratios. Takes two minutes for 48.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

import { createRandom } from '../test/support/random.ts';
import { bundle } from './contestants.ts';
import { entriesWithout } from './contestants/none-entries.ts';
import { createEvent, createRESTEvent } from './event.ts';
import type { EntriesOf, Result } from './event.ts';
import { generateWorkload } from './generate-workload.ts';
import type { GeneratedWorkload } from './generate-workload.ts';
import { RawClient } from './raw-client.ts';
import { browserHeaders } from './request-workloads.ts';
import { pairedRatio, pairedRatios, rounded } from './statistics.ts';
import type { Timed, Turns } from './statistics.ts';

/** The distribution over workloads of the ratios to one version of bare graphql-js. */
export interface Spread {
  readonly workloads: number;
  readonly median: number;
  /** Nine in ten are below. */
  readonly worstTenth: number;
  readonly worst: number;
}

export interface GeneratedResult {
  readonly seed: number;
  /** By a common property of the workloads; the first is for all of them. */
  readonly spreads: Readonly<Record<string, Readonly<Record<Figure, Spread>>>>;
}

const figures = ['warm', 'warm16', 'none', 'unseen', 'unseen16'] as const;
/** Ratios of this library to bare graphql-js 17 or 16; `none`: of a handler that only reads the request and sends a constant response, to 17. */
type Figure = (typeof figures)[number];

/** For each workload. SLICE: milliseconds of a contestant in a round. */
const turns: Turns = { slice: Number(process.env['SLICE'] ?? 25), rounds: 9, warmUps: 8, most: 1000 };

/** For handlers without GraphQL, whose times hardly vary. */
const fewTurns: Turns = { ...turns, rounds: 5, warmUps: 5 };

type Measured = { readonly workload: GeneratedWorkload } & Readonly<Record<Figure, number>>;

export async function measureGenerated(seed: number, count: number): Promise<{ result: GeneratedResult; all: readonly Measured[] }> {
  const random = createRandom(seed);
  const workloads = Array.from({ length: count }, (_, at) => generateWorkload(random, at));
  const [ours, bare, bare16] = [await load('ours-entries', 17), await load('bare-entries', 17), await load('bare-entries', 16)];
  const runners = [];
  for (const workload of workloads) {
    const others = [await connect(workload, bare), await connect(workload, bare16)] as const;
    runners.push({ workload, ours: await connect(workload, ours), others });
  }
  for (const { workload, ours: mine, others } of runners) for (const theirs of others) await assertSame(workload, mine, theirs);

  const all: Measured[] = [];
  for (const { workload, ours: mine, others } of runners) {
    const [theirs] = others;
    const answer = await theirs.answer(workload.body(0, 0));
    const without = await connect(workload, () => entriesWithout(answer));
    const known = others.map((other) => other.warm);
    const [warm = NaN, warm16 = NaN] = await pairedRatios(mine.warm, known, turns);
    const none = await pairedRatio(without.warm, theirs.warm, fewTurns);
    const fresh = others.map((other) => other.unseen);
    const [unseen = NaN, unseen16 = NaN] = await pairedRatios(mine.unseen, fresh, turns);
    all.push({ workload, warm, warm16, none, unseen, unseen16 });
    without.close();
  }
  for (const { ours: mine, others } of runners) for (const { close } of [mine, ...others]) close();
  return { result: { seed, spreads: spreadsOf(all) }, all };
}

async function load(file: string, graphql: 16 | 17): Promise<EntriesOf> {
  const bundled = await bundle({ name: file, file, graphql }, 'generated', (path) => `export { entriesOf } from ${JSON.stringify(path)};`);
  return (createRequire(import.meta.url)(bundled) as { entriesOf: EntriesOf }).entriesOf;
}

/** Serves a number of requests; resolves to the microseconds of CPU time of one. */
interface Connected {
  readonly warm: Timed;
  readonly unseen: Timed;
  answer(body: string): Promise<string>;
  close(): void;
}

async function connect({ entry, typeDefs, resolvers, body }: GeneratedWorkload, entriesOf: EntriesOf): Promise<Connected> {
  const { serve, answer, close } = await opened(entry, entriesOf({ typeDefs, resolvers }));
  let nth = 0;
  const timed =
    (bodyOf: () => string): Timed =>
    async (count) => {
      const requests = serve(Array.from({ length: count }, bodyOf));
      const before = process.cpuUsage();
      await requests();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / count;
    };
  return { warm: timed(() => body(0, ++nth)), unseen: timed(() => body(++nth, nth)), answer, close };
}

/** Creates requests with these bodies. Returns a function that sends them one after another. */
type Serve = (bodies: readonly string[]) => () => Promise<void>;

async function opened(
  entry: GeneratedWorkload['entry'],
  entries: ReturnType<EntriesOf>,
): Promise<{ serve: Serve } & Pick<Connected, 'answer' | 'close'>> {
  if (entry === 'node:http') return overSocket(entries.listener());
  const close = (): void => {};
  if (entry === 'Request') {
    const serve = entries.fetch();
    return { serve: inTurn(toRequest, serve), answer: async (body) => (await serve(toRequest(body))).text(), close };
  }
  const handler = entries.event();
  const toEvent = entry === 'HTTP API event' ? createEvent : createRESTEvent;
  const serve = (event: object): Promise<Result> => handler(event, {});
  return { serve: inTurn(toEvent, serve), answer: async (body) => (await serve(toEvent(body))).body, close };
}

function inTurn<T>(toInput: (body: string) => T, serve: (input: T) => Promise<unknown>): Serve {
  return (bodies) => {
    const inputs = bodies.map(toInput);
    return async () => {
      for (const input of inputs) await serve(input);
    };
  };
}

function toRequest(body: string): Request {
  return new Request('https://api.example.com/graphql', { method: 'POST', headers: browserHeaders, body });
}

/** A real server on loopback. Its client takes little time, and the same for both servers. */
async function overSocket(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ serve: Serve } & Pick<Connected, 'answer' | 'close'>> {
  const server = createServer({ keepAliveTimeout: 0 }, listener as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await RawClient.connect((server.address() as AddressInfo).port);
  return {
    serve: (bodies) => async () => void (await client.post(bodies)),
    answer: async (body) => (await client.post([body]))[0]!,
    close: () => {
      client.close();
      server.close();
    },
  };
}

async function assertSame({ name, body }: GeneratedWorkload, ours: Connected, bare: Connected): Promise<void> {
  const [mine, theirs] = [await ours.answer(body(0, 0)), await bare.answer(body(0, 0))];
  if (mine !== theirs || !mine.startsWith('{"data":{'))
    throw new Error(`${name} is answered differently:\n${mine.slice(0, 600)}\n${theirs.slice(0, 600)}`);
}

function spreadsOf(all: readonly Measured[]): GeneratedResult['spreads'] {
  const traits = [...new Set(all.flatMap(({ workload }) => workload.traits))].toSorted();
  const rows: [string, readonly Measured[]][] = [
    ['all', all],
    ...traits.map((trait): [string, readonly Measured[]] => [trait, all.filter(({ workload }) => workload.traits.includes(trait))]),
  ];
  return Object.fromEntries(
    rows.map(([name, some]) => [name, Object.fromEntries(figures.map((figure) => [figure, spreadOf(some.map((one) => one[figure]))]))]),
  ) as GeneratedResult['spreads'];
}

function spreadOf(ratios: readonly number[]): Spread {
  const sorted = ratios.toSorted((one, other) => one - other);
  const at = (part: number): number => rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!);
  return { workloads: sorted.length, median: at(0.5), worstTenth: at(0.9), worst: at(1) };
}

if (import.meta.main) {
  const { result, all } = await measureGenerated(Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 48));
  if (process.env['AS_JSON']) {
    console.log(JSON.stringify(result));
  } else {
    for (const { workload, ...ratios } of all)
      console.log(`${workload.name.padEnd(92)} ${figures.map((figure) => `${figure} ${ratios[figure].toFixed(2)}`).join('  ')}`);
    for (const [name, spreads] of Object.entries(result.spreads)) {
      const cells = figures.map((figure) => `${figure} ${spreads[figure].median}, ${spreads[figure].worstTenth}, ${spreads[figure].worst}`);
      console.log(`${name.padEnd(48)} ${String(spreads.warm.workloads).padStart(3)}  ${cells.join('  ')}`);
    }
  }
  process.exit(0);
}
