/**
 * The cost of telemetry in a cold start: CPU time of a new process from reading the bundle to its first response.
 *
 *     npm run build && node bench/telemetry-cold.ts [runs]
 *
 * Bundles of one handler, as esbuild makes them for Lambda: without telemetry, with @opentelemetry/api loaded and nothing done
 * with it, with the plugin openTelemetry (no SDK registered, which has a cost of its own), and with costLine. Each run is a new
 * process; the bundles take turns; differences are medians of the rounds.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { build } from 'esbuild';

import { bundles } from './contestants.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

const run = promisify(execFile);
const runs = Number(process.argv[2] ?? 31);

const handler = (plugins: string): string => `
  import { createHandler } from '../dist/esm/aws-lambda.js';
  export const handler = createHandler({
    typeDefs: 'type Query { hello: String }', resolvers: { Query: { hello: () => 'world' } }, plugins: [${plugins}],
  });`;

const contestants = {
  none: handler(''),
  api: `import * as api from '@opentelemetry/api'; globalThis.api = api; ${handler('')}`,
  openTelemetry: `import { openTelemetry } from '../dist/esm/opentelemetry.js'; ${handler('openTelemetry()')}`,
  costLine: `import { costLine } from '../dist/esm/cost-line.js'; ${handler('costLine({ write: () => {} })')}`,
} as const;
type Name = keyof typeof contestants;
const names = Object.keys(contestants) as Name[];

const program = `
  const cpu = process.cpuUsage();
  require(process.argv[2]).handler(${JSON.stringify(createEvent(JSON.stringify({ query: '{ hello }' })))}, {}).then(({ statusCode }) => {
    if (statusCode !== 200) throw new Error(String(statusCode));
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(String((user + system) / 1000));
    process.exit(0);
  });`;

await mkdir(bundles, { recursive: true });
const script = `${bundles}telemetry-cold.cjs`;
await writeFile(script, program);
for (const name of names) {
  await build({
    stdin: { contents: contestants[name], resolveDir: import.meta.dirname },
    outfile: fileOf(name),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    logLevel: 'error',
  });
}

const samples: Record<Name, number[]> = { none: [], api: [], openTelemetry: [], costLine: [] };
for (let round = 0; round <= runs; round++) {
  for (let at = 0; at < names.length; at++) {
    const name = names[(round + at) % names.length]!;
    const { stdout } = await run(process.execPath, [script, fileOf(name)], { env: { ...process.env, NODE_ENV: 'production' } });
    // The first round only fills the file system's cache.
    if (round > 0) samples[name].push(Number(stdout));
  }
}

for (const name of names)
  console.log(`${name.padEnd(14)} ${rounded(median(samples[name]))} ms CPU, at least ${rounded(Math.min(...samples[name]))}`);
for (const [name, base] of [
  ['api', 'none'],
  ['openTelemetry', 'api'],
  ['costLine', 'none'],
] as const) {
  const difference = median(samples[name].map((one, at) => one - samples[base][at]!));
  const ofMinima = Math.min(...samples[name]) - Math.min(...samples[base]);
  console.log(`${name} above ${base}: ${rounded(difference)} ms CPU, of minima ${rounded(ofMinima)}`);
}

function fileOf(name: Name): string {
  return `${bundles}telemetry-cold-${name}.cjs`;
}
