/**
 * What V8's code cache saves a cold start: CPU from loading the bundle to the first answer, in milliseconds.
 *
 *     node bench/code-cache.ts [runs]
 *
 * Every run is a fresh process; the variants take turns; figures are medians. "own loader" compiles the bundle with
 * `vm.Script` and the cache that a process like it has produced after one request; "node's" is `module.enableCompileCache`.
 * The last column says whether a cache that was made without flags is taken with those that Lambda gives Node.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeArtefact } from '../src/cli/make-artefact.ts';
import { bundle } from './contestants.ts';
import { createEvent } from './event.ts';
import { median } from './statistics.ts';
import { coldWorkload } from './workloads.ts';

const runs = Number(process.argv[2] ?? 9);
const folder = mkdtempSync(join(tmpdir(), 'code-cache-'));
const lambdaFlags = ['--expose-gc', '--max-http-header-size=81920', '--max-semi-space-size=6', '--max-old-space-size=112'];

const resolvers = "{ Query: { probe: (_, { id }) => ({ id, c0: 'zero', c1: 'one', next: { id: 'next' } }) } }";

/** Measures what `load` does and the first request; then makes the cache, when a file for it is named. */
const program = (load: string): string => `
  const fs = require('node:fs'), [, , bundle, event, cache, make] = process.argv;
  const { event: asked } = JSON.parse(fs.readFileSync(event, 'utf8'));
  let script, module_ = { exports: {} };
  const before = process.cpuUsage();
  ${load}
  module_.exports.handle(asked, {}).then(({ body }) => {
    const { user, system } = process.cpuUsage(before);
    if (!body.includes('"next":{"id":"next"}')) throw new Error(body);
    if (make && script) fs.writeFileSync(cache, script.createCachedData());
    console.log(JSON.stringify({ cpu: (user + system) / 1000, rejected: script?.cachedDataRejected ?? null }));
    process.exit(0);
  });`;

const programs = {
  plain: program('module_.exports = require(bundle);'),
  "node's": program(
    "const M = require('node:module'); M.enableCompileCache(cache + '.folder'); module_.exports = require(bundle); if (make) process.on('exit', () => M.flushCompileCache());",
  ),
  'own loader': program(`
    const vm = require('node:vm');
    const source = fs.readFileSync(bundle, 'utf8');
    const cachedData = make ? undefined : fs.readFileSync(cache);
    script = new vm.Script('(function(exports,require,module){' + source + '\\n})', { filename: bundle, cachedData });
    script.runInThisContext()(module_.exports, require, module_);`),
} as const;
type Variant = keyof typeof programs;

try {
  for (const [name, text] of Object.entries(programs)) writeFileSync(programFile(name), text);
  console.log(`${process.version}, ${runs} runs, CPU ms`);
  for (const types of [10, 300, 3000]) for (const isBuilt of [false, true]) await measure(types, isBuilt);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(types: number, isBuilt: boolean): Promise<void> {
  const workload = coldWorkload(types);
  const source = await bundleOf(types, isBuilt);
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify({ event: createEvent(workload.body(0)) }));
  // The content's hash is in the names of both files: V8 itself compares nothing but the length.
  const cache = join(folder, createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16));
  const names = Object.keys(programs) as Variant[];
  for (const name of names) runOnce(name, [source, event, cache, 'make']);

  const figures = new Map(names.map((name) => [name, [] as number[]]));
  for (let run = 0; run < runs; run += 1) for (const name of names) figures.get(name)?.push(runOnce(name, [source, event, cache]).cpu);
  const { rejected } = runOnce('own loader', [source, event, cache], lambdaFlags);
  const cells = names.map(
    (name) =>
      `${name} ${median(figures.get(name) ?? [])
        .toFixed(1)
        .padStart(5)}`,
  );
  console.log(
    `${String(types).padStart(5)} types, ${isBuilt ? 'built  ' : 'no build'}  ${cells.join('   ')}   with Lambda's flags: ${rejected === true ? 'rejected' : 'taken'}`,
  );
}

async function bundleOf(types: number, isBuilt: boolean): Promise<string> {
  const { typeDefs, body } = coldWorkload(types);
  if (!isBuilt) {
    const code = (file: string): string =>
      `export const handle = require(${JSON.stringify(file)}).create({ typeDefs: ${JSON.stringify(typeDefs)}, resolvers: ${resolvers} });`;
    return bundle({ name: 'ours', file: 'ours', graphql: 17 }, `code-cache-${types}`, code);
  }
  const artefact = join(folder, `${types}.build.json`);
  const from = { schema: ['schema.graphql'], documents: ['operations.json'], descriptions: false };
  writeFileSync(artefact, JSON.stringify(makeArtefact([typeDefs], from, [(JSON.parse(body(0)) as { query: string }).query])));
  const code = (file: string): string =>
    `export const handle = require(${JSON.stringify(file)}).createBuilt(require(${JSON.stringify(artefact)}), ${resolvers});`;
  return bundle({ name: 'ours, built', file: 'ours-built', graphql: 17 }, `code-cache-${types}`, code);
}

function runOnce(name: Variant, args: readonly string[], flags: readonly string[] = []): { cpu: number; rejected: boolean | null } {
  const output = execFileSync(process.execPath, [...flags, programFile(name), ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return JSON.parse(output) as { cpu: number; rejected: boolean | null };
}

function programFile(name: string): string {
  return join(folder, `${name.replaceAll(/\W/g, '-')}.cjs`);
}
