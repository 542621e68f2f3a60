/**
 * Whether the objects of a request die with it: 4,000 queries of 20 products and 30,000 mutations in a new process may not cause a full
 * collection, and the old space of the heap may not grow. Takes a second.
 *
 *     npm run build && node bench/collections.ts [folder of another build …]
 *
 * V8 keeps what an object of its old space refers to until the next full collection. One such object per request, such as a function
 * literal that is assigned to a property, doubled the CPU of mutations and of what followed them. Fails if the first build does so.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { bundle, bundles } from './contestants.ts';

const run = promisify(execFile);

/** The old space may grow by this: code, feedback and caches. Without the defect it grows by less than 1 MB. */
const maxGrowthMB = 3;

const program = `
  const { GCProfiler, getHeapSpaceStatistics } = require('node:v8');
  const { handler, mutation, product } = require(process.argv[2]);
  const oldSpace = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size / 2 ** 20;
  const serve = async (times, event) => { for (let nth = 0; nth < times; nth++) await handler(event(nth), {}); };
  (async () => {
    await serve(400, product);
    await serve(3000, mutation);
    const before = oldSpace();
    const profiler = new GCProfiler();
    profiler.start();
    await serve(4000, product);
    await serve(30000, mutation);
    const grownMB = oldSpace() - before;
    const { statistics } = profiler.stop();
    const scavenges = statistics.filter(({ gcType }) => gcType === 'Scavenge');
    const microseconds = scavenges.reduce((sum, { cost }) => sum + cost, 0);
    process.stdout.write(JSON.stringify({ full: statistics.length - scavenges.length, scavenges: microseconds / 1000, grownMB }));
  })();`;

interface Collections {
  readonly full: number;
  /** Milliseconds. */
  readonly scavenges: number;
  readonly grownMB: number;
}

const script = `${bundles}collections.cjs`;
const handlerOf = (
  path: string,
): string => `import { create } from ${JSON.stringify(path)}; import { createServer } from './first-traffic.ts';
  export const handler = createServer(create); export { mutation, product } from './first-traffic.ts';`;

const folders = [join(import.meta.dirname, '..'), ...process.argv.slice(2)].map((folder) => resolve(folder));
for (const [at, folder] of folders.entries()) {
  const file = await bundle({ name: folder, file: 'ours', graphql: 17 }, `collections-${at}`, handlerOf, folder);
  await writeFile(script, program);
  const { stdout } = await run(process.execPath, [script, file], { env: { ...process.env, NODE_ENV: 'production' } });
  const { full, scavenges, grownMB } = JSON.parse(stdout) as Collections;
  console.log(`${folder}: ${full} full collections, ${Math.round(scavenges)} ms of scavenges, old space ${grownMB.toFixed(1)} MB larger`);
  if (at === 0 && (full > 0 || grownMB > maxGrowthMB)) process.exitCode = 1;
}
