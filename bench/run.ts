/**
 * Runs all benchmarks, and writes the figures of the documentation:
 *
 *     npm run build && node bench/run.ts [--runs 3] [--quick] [--only mixed,first] [file]
 *
 * `--quick` runs two rounds of each, in about two minutes: it shows that all parts work, but its figures are noise.
 * `--only`: measures these, and keeps the other figures of the file.
 * `--runs`: how often ratios are measured. Each figure is the median of the runs. Sizes are measured once.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import { coldSizes, measureCold } from './cold.ts';
import type { DatabaseResult } from './database.ts';
import type { DataSourceResult } from './datasource.ts';
import type { MixedResult } from './mixed.ts';
import { measureSizes } from './size.ts';
import { medianOfRuns } from './statistics.ts';
import type { WarmResult } from './warm.ts';
import { warmWorkloads } from './workloads.ts';

const run = promisify(execFile);
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** A new process for each, without the garbage and the optimized code of another. */
async function script<T>(file: string, args: readonly string[] = []): Promise<T> {
  console.error(`${new Date().toISOString().slice(11, 19)}  ${file} ${args.join(' ')}`);
  const { stdout } = await run(process.execPath, [here(file), ...args], {
    env: { ...process.env, NODE_ENV: 'production', AS_JSON: '1', ...(values.quick && { ROUNDS: '2', SLICE: '5', RUNS: '1' }) },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as T;
}

/** The measurements whose figures are ratios. */
const measurements = {
  async warm() {
    const warm: WarmResult[] = [];
    for (const { name } of warmWorkloads) warm.push(await script<WarmResult>('warm.ts', [name]));
    return warm;
  },
  mixed: async () => script<MixedResult[]>('mixed.ts'),
  first: async () => script<object[]>('first-requests.ts'),
  async cold() {
    const cold = [];
    for (const [types, processes, sdl] of coldSizes) {
      console.error(`${new Date().toISOString().slice(11, 19)}  cold, ${types} types, ${sdl} SDL`);
      cold.push(await measureCold(types, values.quick ? 2 : processes, sdl));
    }
    return cold;
  },
  dataSources: async () => script<DataSourceResult>('datasource.ts'),
  database: async () => script<DatabaseResult>('database.ts'),
};

async function measureRatios(): Promise<object> {
  const results: Record<string, unknown> = {};
  for (const [name, measure] of Object.entries(measurements)) if (isWanted(name)) results[name] = await measure();
  return results;
}

function isWanted(name: string): boolean {
  return values.only === undefined || values.only.split(',').includes(name);
}

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '1' }, quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`Expected --runs to be a whole number from 1, got "${values.runs}".`);

const file = positionals[0] ?? here('results.json');
const kept = values.only === undefined ? {} : (JSON.parse(await readFile(file, 'utf8')) as object);
const measured = [await measureRatios()] as [object];
while (measured.length < runs) measured.push(await measureRatios());
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
};
const results = {
  date: new Date().toISOString().slice(0, 10),
  command: runs === 1 ? 'node bench/run.ts' : `node bench/run.ts --runs ${runs}`,
  runs,
  machine,
  ...kept,
  ...medianOfRuns(measured),
  ...(isWanted('sizes') && { sizes: await measureSizes() }),
};
// An object of numbers takes one line.
const text = JSON.stringify(results, null, 2).replaceAll(
  /\{\n([^{}[\]]*)\n *\}/g,
  (_, members: string) => `{ ${members.trim().replaceAll(/\n */g, ' ')} }`,
);
await writeFile(file, `${text}\n`);
