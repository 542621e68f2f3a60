/**
 * What V8's code cache saves a cold start: CPU from loading the bundle to the first answer, in milliseconds.
 *
 *     node bench/code-cache.ts [runs]
 *
 * Every run is a fresh process with --expose-gc; the variants take turns; figures are medians. "ours" is the folder that
 * `build` writes; "ours, Lambda's heap" the same with flags for the sizes of the heap, as Lambda sets them;
 * "node's" is `module.enableCompileCache`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { coldWorkload } from './cold-workload.ts';
import { bundle, cachedFunction, coldFunction } from './contestants.ts';
import { median, rounded } from './statistics.ts';

export interface CodeCacheResult {
  readonly types: number;
  readonly cpuMilliseconds: Readonly<Record<string, number>>;
}

const asJSON = process.env['AS_JSON'] !== undefined;
const runs = Number(process.argv[2] ?? 9);
const folder = mkdtempSync(join(tmpdir(), 'code-cache-'));

const program = `
  const [, , file, event, cache] = process.argv;
  const asked = JSON.parse(require('node:fs').readFileSync(event, 'utf8'));
  const before = process.cpuUsage();
  if (cache) require('node:module').enableCompileCache(cache);
  require(file).handler(asked, {}).then(({ body }) => {
    const { user, system } = process.cpuUsage(before);
    if (!body.includes('"name":"Product 49"')) throw new Error(body);
    if (cache) require('node:module').flushCompileCache();
    console.log((user + system) / 1000);
    process.exit(0);
  });`;

const event = join(folder, 'event.json');
const script = join(folder, 'measure.cjs');
try {
  writeFileSync(script, program);
  if (!asJSON) console.log(`${process.version}, ${runs} runs, CPU ms`);
  const results: CodeCacheResult[] = [];
  for (const types of [10, 300, 3000]) results.push(await measure(types));
  if (asJSON) console.log(JSON.stringify(results));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(types: number): Promise<CodeCacheResult> {
  const { file, ours } = await bundlesOf(types);
  writeFileSync(event, JSON.stringify(coldWorkload(types).event));
  const variants = {
    plain: () => runOnce([script, file, event]),
    "node's": () => runOnce([script, file, event, join(folder, `${types}.node`)]),
    ours: () => runOnce([script, ours, event]),
    "ours, Lambda's heap": () => runOnce(['--max-semi-space-size=6', '--max-old-space-size=112', script, ours, event]),
  };
  const figures = Object.entries(variants).map(([name, run]) => ({ name, run, samples: [] as number[] }));
  // The first round fills caches.
  for (const { run } of figures) run();
  for (let round = 0; round < runs; round += 1) for (const { run, samples } of figures) samples.push(run());
  const cells = figures.map(({ name, samples }) => `${name} ${median(samples).toFixed(1).padStart(5)}`);
  if (!asJSON) console.log(`${String(types).padStart(5)} types  ${cells.join('   ')}`);
  return { types, cpuMilliseconds: Object.fromEntries(figures.map(({ name, samples }) => [name, rounded(median(samples))])) };
}

/** The bundle, and the folder with its cache. */
async function bundlesOf(types: number): Promise<{ readonly file: string; readonly ours: string }> {
  const entry = { name: 'ours', file: 'ours', graphql: 17 } as const;
  const code = coldFunction(coldWorkload(types));
  return { file: await bundle(entry, `code-cache-${types}`, code), ours: await cachedFunction(entry, code, `code-cache-${types}`) };
}

function runOnce(argv: readonly string[]): number {
  const env = { ...process.env, NODE_ENV: 'production' };
  return Number(execFileSync(process.execPath, ['--expose-gc', ...argv], { encoding: 'utf8', env }));
}
