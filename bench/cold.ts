/**
 * A cold process up to its first answer: CPU from reading the bundle on, less what the same bundle spends whose resolvers
 * are called by hand ("no GraphQL"): reading the schema's text and the resolvers costs everybody the same.
 *
 *     npm run build && node bench/cold.ts, or ONLY=graphql-functions TYPES=300 RUNS=15 node bench/cold.ts for some of it
 *
 * Every run is a new process, as Lambda starts it (--expose-gc); contestants take turns; figures are medians, ratios those
 * within one round, without that of "no GraphQL".
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { coldWorkload } from './cold-workload.ts';
import type { ColdWorkload } from './cold-workload.ts';
import { bundle, bundles, cachedFunction, coldContestants, coldFunction, reference } from './contestants.ts';
import type { ColdEntry } from './contestants.ts';
import { median, rounded } from './statistics.ts';

const run = promisify(execFile);
/** The minimum for every bundle with the user's code. */
const byHand = 'no GraphQL';
const only = process.env['ONLY']?.split(',') ?? [''];
const always: readonly string[] = [reference, byHand];
const chosen = coldContestants.filter(({ name }) => always.includes(name) || only.some((part) => name.includes(part)));

export interface ColdResult {
  readonly types: number;
  /** Kilobytes of the schema's text: with more of it, V8 spends CPU on optimizing graphql-js's parser. */
  readonly sdlKB: number;
  readonly contestants: Readonly<
    Record<
      string,
      {
        /** Without that of "no GraphQL". */
        readonly cpuMilliseconds: number;
        readonly ratio: number;
      }
    >
  >;
}

interface Sample {
  readonly cpu: number;
  readonly data: string;
}

const program = `
  const [, , file, event] = process.argv;
  const asked = JSON.parse(require('node:fs').readFileSync(event, 'utf8'));
  const cpu = process.cpuUsage();
  require(file).handler(asked, {}).then(({ body }) => {
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(JSON.stringify({ cpu: (user + system) / 1000, data: JSON.stringify(JSON.parse(body).data) }));
    process.exit(0);
  });`;

export async function measureCold(types: number, runs: number, sdl: 'short' | 'long' = 'long'): Promise<ColdResult> {
  const workload = coldWorkload(types, sdl);
  await mkdir(bundles, { recursive: true });
  const [script, event] = [`${bundles}cold.cjs`, `${bundles}cold.event.json`];
  await writeFile(script, program);
  await writeFile(event, JSON.stringify(workload.event));
  const files: string[] = [];
  for (const contestant of chosen) files.push(await bundleOf(contestant, workload, `cold-${types}-${sdl}`));

  const samples = chosen.map((): Sample[] => []);
  for (let round = 0; round <= runs; round++) {
    for (const [at, file] of files.entries()) {
      const environment = { ...process.env, NODE_ENV: 'production' };
      const { stdout } = await run(process.execPath, ['--expose-gc', script, file, event], { env: environment, maxBuffer: 1 << 26 });
      // The first round only fills the file system's cache.
      if (round > 0) samples[at]!.push(JSON.parse(stdout) as Sample);
    }
  }
  return { types, sdlKB: rounded(workload.typeDefs.length / 1000), contestants: summarise(samples) };
}

/** A file or a folder that exports `handler`. */
async function bundleOf(contestant: ColdEntry, workload: ColdWorkload, name: string): Promise<string> {
  const code = coldFunction(workload);
  return contestant.codeCache ? cachedFunction(contestant, code, name) : bundle(contestant, name, code);
}

function summarise(samples: readonly Sample[][]): ColdResult['contestants'] {
  const samplesOf = (name: string): Sample[] => samples[chosen.findIndex((one) => one.name === name)]!;
  const [base, bottom] = [samplesOf(reference), samplesOf(byHand)];
  return Object.fromEntries(
    chosen.map(({ name }, at) => {
      const own = samples[at]!;
      if (own[0]!.data !== base[0]!.data) throw new Error(`${name} answers differently: ${own[0]!.data.slice(0, 1000)}`);
      const cpu = (sample: Sample, round: number): number => (name === byHand ? sample.cpu : sample.cpu - bottom[round]!.cpu);
      return [
        name,
        {
          cpuMilliseconds: rounded(median(own.map(cpu))),
          ratio: rounded(median(own.map((sample, round) => cpu(sample, round) / (base[round]!.cpu - bottom[round]!.cpu)))),
        },
      ];
    }),
  );
}

/** Types, processes of each contestant, and the schema's text. */
export const coldSizes: readonly [types: number, processes: number, sdl: 'short' | 'long'][] = [
  [10, 11, 'short'],
  [10, 11, 'long'],
  [300, 9, 'long'],
  [3000, 5, 'long'],
];

if (import.meta.main) {
  for (const [types, runs, sdl] of coldSizes.filter(([size]) => Number(process.env['TYPES'] ?? size) === size)) {
    const result = await measureCold(types, Number(process.env['RUNS'] ?? runs), sdl);
    console.log(`\n${types} types, ${result.sdlKB} KB of SDL`);
    for (const [name, one] of Object.entries(result.contestants)) {
      console.log(`  ${name.padEnd(32)} ${String(one.cpuMilliseconds).padStart(7)} ms CPU  ${String(one.ratio).padStart(6)}×`);
    }
  }
}
