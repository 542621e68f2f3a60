/**
 * The first requests of a fresh process, as function platforms run it: CPU for loading the bundle and for the first 100, 1,000 and 5,000
 * requests of mixed traffic, less that of the same resolvers without GraphQL. Ratios are to bare graphql-js 17.
 *
 *     npm run build && node bench/first-requests.ts [folder of another build …]
 *
 * A folder is a checkout in which `npm run build` has run. Every run is a new process; contestants take turns. RUNS (5) sets how many.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { bundle, bundles } from './contestants.ts';
import { median, rounded } from './statistics.ts';

const run = promisify(execFile);
const counts = [100, 1000, 5000];
const runs = Number(process.env['RUNS'] ?? 5);

const program = `
  const file = process.argv[2], counts = ${JSON.stringify(counts)};
  const before = process.cpuUsage();
  const { handler, trafficEvent } = require(file);
  (async () => {
    const times = [];
    for (let nth = 0; nth < counts.at(-1); nth++) {
      const { statusCode, body } = await handler(trafficEvent(nth), {});
      if (statusCode !== 200 || body.includes('"errors"')) throw new Error(body);
      if (!counts.includes(nth + 1)) continue;
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    process.stdout.write(JSON.stringify(times));
  })();`;

const folders = [join(import.meta.dirname, '..'), ...process.argv.slice(2)].map((folder) => resolve(folder));
const script = `${bundles}first-requests.cjs`;
const traffic = "export { trafficEvent } from './first-traffic.ts';";
const handlerOf = (
  path: string,
): string => `import { create } from ${JSON.stringify(path)}; import { createServer } from './first-traffic.ts';
  export const handler = createServer(create); ${traffic}`;
const byHand = (): string => `import { createByHand } from './first-traffic.ts'; export const handler = createByHand(); ${traffic}`;

const contestants = [
  { name: 'no GraphQL', file: await bundle({ name: 'no GraphQL', file: 'no-graphql', graphql: 17 }, 'first', byHand) },
  { name: 'bare graphql-js 17', file: await bundle({ name: 'bare', file: 'bare', graphql: 17 }, 'first', handlerOf) },
  ...(await Promise.all(
    folders.map(async (folder, at) => ({
      name: folder,
      file: await bundle({ name: folder, file: 'ours', graphql: 17 }, `first-${at}`, handlerOf, folder),
    })),
  )),
];
await writeFile(script, program);
const samples = contestants.map((): number[][] => []);
for (let round = 0; round <= runs; round++) {
  // Each round begins with another contestant, because what ran before a process changes its time by some percent.
  for (let turn = 0; turn < contestants.length; turn++) {
    const at = (round + turn) % contestants.length;
    const { file } = contestants[at]!;
    const { stdout } = await run(process.execPath, [script, file], { env: { ...process.env, NODE_ENV: 'production' } });
    // The first round only fills the file system's cache.
    if (round > 0) samples[at]!.push(JSON.parse(stdout) as number[]);
  }
}

/** For each count of requests: CPU since the start, and the median of the rounds' ratios to bare graphql-js 17. */
interface FirstResult {
  readonly requests: number;
  readonly cpuMilliseconds: number;
  readonly ratio: number;
}

const [floor, bare] = samples as [number[][], number[][]];
const results = samples.map((own): FirstResult[] =>
  counts.map((requests, nth) => {
    const times = own.map((sample) => sample[nth]!);
    const ratios = times.map((time, round) => (time - floor[round]![nth]!) / (bare[round]![nth]! - floor[round]![nth]!));
    return { requests, cpuMilliseconds: rounded(median(times)), ratio: rounded(median(ratios)) };
  }),
);
if (process.env['AS_JSON']) {
  const [, reference, ours] = results;
  const toRow = ({ requests, ...own }: FirstResult, at: number): object => ({
    requests,
    contestants: { 'graphql-functions': own, 'bare graphql-js 17': { cpuMilliseconds: reference![at]!.cpuMilliseconds, ratio: 1 } },
  });
  console.log(JSON.stringify(ours!.map(toRow)));
} else {
  console.log(`${''.padEnd(40)}${counts.map((count) => `first ${count}`.padStart(22)).join('')}`);
  for (const [at, { name }] of contestants.entries()) {
    const cells = results[at]!.map(({ cpuMilliseconds, ratio }) => `${cpuMilliseconds} ms ${ratio}×`);
    console.log(`${name.padEnd(40)}${cells.map((cell) => cell.padStart(22)).join('')}`);
  }
}
