// A cold process up to its first answer: CPU from the first line of the bundle, without Node's own start.
// Run alone: node bench/cold.ts, or ONLY=graphql-functions node bench/cold.ts for those of that name and the reference.
import { execFile } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { makeArtefact } from '../src/cli/project/make-artefact.ts';
import { mergeResolvers } from '../src/schema/resolvers/merge-resolvers.ts';
import { resolversMark } from '../src/schema/resolvers/resolver-shape.ts';
import { bundle, bundles, coldContestants, reference } from './contestants.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';
import { coldWorkload } from './workloads.ts';
import type { Workload } from './workloads.ts';

const run = promisify(execFile);
const chosen = coldContestants.filter(({ name }) => name === reference || name.includes(process.env['ONLY'] ?? ''));

export interface ColdResult {
  readonly types: number;
  readonly contestants: Readonly<
    Record<
      string,
      {
        readonly cpuMilliseconds: number;
        readonly wallMilliseconds: number;
        readonly ratio: number;
        readonly rssMiB: number;
        readonly bundleKB: number;
        readonly gzipKB: number;
      }
    >
  >;
}

interface Sample {
  readonly cpu: number;
  readonly wall: number;
  readonly rss: number;
  readonly data: string;
}

export async function measureCold(types: number, runs: number): Promise<ColdResult> {
  const workload = coldWorkload(types);
  const resolvers = `{ Query: { probe: (_: unknown, { id }: { id: string }) => ({ id, c0: 'zero', c1: 'one', next: { id: 'next' } }) } }`;
  const built = `${bundles}cold-${types}.build.json`;
  await writeArtefact(built, workload);
  const create = (file: string): string =>
    file.includes('built')
      ? `require(${JSON.stringify(file)}).createBuilt(require(${JSON.stringify(built)}), ${resolvers})`
      : `require(${JSON.stringify(file)}).create({ typeDefs: ${JSON.stringify(workload.typeDefs)}, resolvers: ${resolvers} })`;
  const code = (file: string): string => `
    const cpu = process.cpuUsage(), wall = process.hrtime.bigint();
    const handle = ${create(file)};
    handle(${JSON.stringify(createEvent(workload.body(0)))}, {}).then(({ body }: { body: string }) => {
      const { user, system } = process.cpuUsage(cpu);
      process.stdout.write(JSON.stringify({ cpu: (user + system) / 1000, wall: Number(process.hrtime.bigint() - wall) / 1e6, rss: process.memoryUsage.rss() / 1048576, data: JSON.stringify(JSON.parse(body).data) }));
      process.exit(0);
    });`;
  const files = await Promise.all(chosen.map((contestant) => bundle(contestant, `cold-${types}`, code)));

  const samples = chosen.map((): Sample[] => []);
  for (let round = 0; round <= runs; round++) {
    for (const [at, file] of files.entries()) {
      const { stdout } = await run(process.execPath, [file], { env: { ...process.env, NODE_ENV: 'production' }, maxBuffer: 1 << 26 });
      // The first round only fills the file system's cache.
      if (round > 0) samples[at]!.push(JSON.parse(stdout) as Sample);
    }
  }
  return { types, contestants: summarise(files, samples) };
}

/** As `graphql-functions build` writes it for a schema in files, and for the operation that is asked. */
async function writeArtefact(file: string, { typeDefs, body, resolvers }: Workload): Promise<void> {
  await mkdir(bundles, { recursive: true });
  const { query } = JSON.parse(body(0)) as { query: string };
  const from = { schema: ['schema.graphql'], documents: ['operations.json'], descriptions: false };
  await writeFile(file, JSON.stringify(makeArtefact([typeDefs], from, [query], resolversMark(mergeResolvers(resolvers)))));
}

function summarise(files: readonly string[], samples: readonly Sample[][]): ColdResult['contestants'] {
  const base = samples[chosen.findIndex(({ name }) => name === reference)]!;
  return Object.fromEntries(
    chosen.map(({ name }, at) => {
      const own = samples[at]!;
      if (name !== 'no GraphQL' && own[0]!.data !== base[0]!.data) throw new Error(`${name} answers differently: ${own[0]!.data}`);
      const bytes = readFileSync(files[at]!);
      return [
        name,
        {
          cpuMilliseconds: rounded(median(own.map(({ cpu }) => cpu))),
          wallMilliseconds: rounded(median(own.map(({ wall }) => wall))),
          ratio: rounded(median(own.map(({ cpu }, round) => cpu / base[round]!.cpu))),
          rssMiB: rounded(median(own.map(({ rss }) => rss))),
          bundleKB: rounded(bytes.length / 1000),
          gzipKB: rounded(gzipSync(bytes, { level: 9 }).length / 1000),
        },
      ];
    }),
  );
}

if (import.meta.main) {
  for (const [types, runs] of [
    [10, 11],
    [300, 9],
    [3000, 5],
  ] as const) {
    const result = await measureCold(types, Number(process.env['RUNS'] ?? runs));
    console.log(`\n${types} types`);
    for (const [name, one] of Object.entries(result.contestants)) {
      console.log(
        `  ${name.padEnd(32)} ${String(one.cpuMilliseconds).padStart(7)} ms CPU  ${String(one.wallMilliseconds).padStart(7)} ms  ${String(one.ratio).padStart(6)}×  ${one.rssMiB} MiB  ${one.gzipKB} KB gz`,
      );
    }
  }
}
