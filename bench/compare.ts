// Compares two builds of this package and bare graphql-js, in one process that serves all shapes in turn, like a function. Slices of
// all three alternate, so that other processes on the machine slow all of them. Measures CPU time from the event to the result.
// Run: node bench/compare.ts <folder of one build> <folder of the other> [shape …]
// A folder is a checkout in which `npm run build` has run. ROUNDS (40) and SLICE (25 ms) set how long it takes: about a minute.
// OPTIONS='{ "maxDepth": 10 }' gives the other one these options: pass the same folder twice to see what they cost.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { compareShapes } from './compare-shapes.ts';
import type { CompareShape } from './compare-shapes.ts';
import { create as createBare } from './contestants/bare.ts';
import { median, rounded } from './statistics.ts';

const [base, other, ...wanted] = process.argv.slice(2);
if (base === undefined || other === undefined) throw new Error('Expected two folders: node bench/compare.ts <base> <other> [shape …]');
const rounds = Number(process.env['ROUNDS'] ?? 40);
/** Milliseconds for which each runs in a round. */
const slice = Number(process.env['SLICE'] ?? 25);

type Handler = (event: any, context: object) => Promise<any>;

interface Runner {
  readonly name: string;
  readonly shape: CompareShape;
  readonly handler: Handler;
  nth: number;
  count: number;
  /** Microseconds of CPU per call, slice by slice. */
  readonly times: number[];
}

type HandlerOf = (entry: CompareShape['entry']) => Handler | undefined;
const bare = createBare(compareShapes[0]!) as Handler;
const contestants: Readonly<Record<string, HandlerOf>> = {
  base: await createOurs(base),
  other: await createOurs(other, JSON.parse(process.env['OPTIONS'] ?? '{}') as object),
  bare: (entry) => (entry === 'fetch' ? undefined : bare),
};
const groups = compareShapes
  .filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  .map((shape) =>
    Object.entries(contestants).flatMap(([name, handlerOf]): Runner[] => {
      const handler = handlerOf(shape.entry);
      return handler === undefined ? [] : [{ name, shape, handler, nth: 0, count: 1, times: [] }];
    }),
  );
await assertSameAnswers();
for (let warmUp = 0; warmUp < 6; warmUp++) for (const group of groups) for (const runner of group) await calibrate(runner);
for (let round = 0; round < rounds; round++) {
  for (const group of groups) {
    // Another one goes first each time: whoever follows pays for the garbage.
    for (let at = 0; at < group.length; at++) {
      const runner = group[(at + round) % group.length]!;
      runner.times.push(await time(runner));
    }
  }
}
report();

/** One handler for each entry, of one copy of the package. */
async function createOurs(folder: string, more: object = {}): Promise<HandlerOf> {
  const { typeDefs, resolvers } = compareShapes[0]!;
  const options = { typeDefs, resolvers, ...more };
  const load = async (file: string): Promise<{ createHandler: (options: object) => Handler }> =>
    import(pathToFileURL(resolve(folder, 'dist/esm', file)).href);
  const { createHandler } = await load('aws-lambda.js');
  const handlers = {
    lambda: createHandler(options),
    context: createHandler({ ...options, context: ({ request }: any) => ({ user: request.headers.get('x-user') }) }),
    fetch: (await load('fetch.js')).createHandler(options),
  };
  return (entry) => handlers[entry];
}

async function assertSameAnswers(): Promise<void> {
  for (const group of groups) {
    const answers = await Promise.all(group.map(async ({ handler, shape }) => textOf(await handler(shape.event(0), {}))));
    if (new Set(answers).size !== 1) throw new Error(`${group[0]!.shape.name} is answered differently: ${answers.join('\n')}`);
  }
}

async function textOf(result: any): Promise<string> {
  return typeof result.body === 'string' ? result.body : result.text();
}

async function calibrate(runner: Runner): Promise<void> {
  runner.count = Math.max(1, Math.min(5000, Math.round((slice * 1000) / (await time(runner)))));
}

async function time(runner: Runner): Promise<number> {
  const { handler, shape, count } = runner;
  const events = Array.from({ length: count }, () => shape.event(runner.nth++));
  const before = process.cpuUsage();
  for (const event of events) {
    const result = await handler(event, {});
    if (shape.entry === 'fetch') await result.text();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function report(): void {
  const columns = ['base µs', 'other µs', 'other/base', 'min', 'other/bare', 'min'];
  console.log(`${''.padEnd(24)}${columns.map((column) => column.padStart(12)).join('')}`);
  for (const group of groups) {
    const times = Object.fromEntries(group.map((runner) => [runner.name, runner.times])) as Record<string, number[]>;
    const row = [median(times['base']!), median(times['other']!), ...ratios(times['other']!, times['base']!)];
    if (times['bare'] !== undefined) row.push(...ratios(times['other']!, times['bare']));
    console.log(`${group[0]!.shape.name.padEnd(24)}${row.map((value) => String(rounded(value)).padStart(12)).join('')}`);
  }
}

/** The median of the slices' ratios, and the ratio of the shortest slices. */
function ratios(some: readonly number[], others: readonly number[]): [ofMedian: number, ofMinima: number] {
  return [median(some.map((time, at) => time / others[at]!)), Math.min(...some) / Math.min(...others)];
}
