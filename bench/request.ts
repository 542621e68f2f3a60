/**
 * The web's `Request` and `Response`, on every runtime that is installed (node test/real/install.ts test:real): Node, workerd,
 * Deno and Bun. Each serves ours and bare graphql-js 17 in one process, in turns; workerd's clock stands still while it works,
 * so that all of them are timed from outside, by the CPU time of the process if the system reports it.
 *
 *     node bench/request.ts [runtime]
 *
 * The time to create the Requests is subtracted. Takes a minute.
 */
import { readdirSync, readFileSync } from 'node:fs';

import { build } from 'esbuild';

import { createFolder } from '../test/real/bundle.ts';
import { bun, deno, workerd } from '../test/real/fetch-runtimes.ts';
import type { FetchRuntime, ServedModule } from '../test/real/fetch-runtimes.ts';
import { needs } from '../test/real/parts.ts';
import { startProgram } from '../test/real/program.ts';
import { requestWorkloads } from './request-workloads.ts';
import { median, rounded } from './statistics.ts';

/** By runtime and workload. */
export type RequestResult = Readonly<Record<string, Readonly<Record<string, RequestFigures>>>>;

export interface RequestFigures {
  readonly microseconds: number;
  /** The medians of the rounds' ratios to bare graphql-js 17 and 16. */
  readonly ratio: number;
  readonly ratio16: number;
  /** The ratio to bare graphql-js 17 of a handler that reads the request and sends a constant response with our header fields: the cost of the runtime. */
  readonly none: number;
}

const rounds = Number(process.env['ROUNDS'] ?? 15);
/** Milliseconds for which each contestant runs in a round. */
const slice = Number(process.env['SLICE'] ?? 60);

const node: Pick<FetchRuntime, 'name' | 'serve'> = {
  name: 'Node',
  serve: async (folder) => {
    const program = startProgram(process.execPath, [`${import.meta.dirname}/functions/serve-request.ts`, `${folder}/worker.mjs`]);
    const [, port] = await program.printed(/:(\d+)/);
    return { program, url: `http://127.0.0.1:${port}/` };
  },
};
const runtimes = { Node: node, workerd, Deno: deno, Bun: bun };

export async function measureRequests(only?: string): Promise<RequestResult> {
  const folder = await createFolder();
  const results: Record<string, RequestResult[string]> = {};
  try {
    await bundleFor(`${folder.path}/worker.mjs`);
    for (const [name, runtime] of Object.entries(runtimes)) {
      if ((only !== undefined && only !== name) || ('part' in runtime && needs(runtime.part).skip !== false)) continue;
      const served = await runtime.serve(folder.path);
      results[name] = await measureRuntime(served).finally(() => served.program.end());
    }
  } finally {
    await folder.remove();
  }
  return results;
}

/** Bundled like wrangler does, for all four runtimes. */
async function bundleFor(outfile: string): Promise<void> {
  await build({
    entryPoints: [`${import.meta.dirname}/functions/request.ts`],
    outfile,
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
}

async function measureRuntime(served: ServedModule): Promise<RequestResult[string]> {
  const results: Record<string, RequestResult[string][string]> = {};
  const timed = requestWorkloads.map(({ name }) => ({
    name,
    ours: timer(served, name, 'ours'),
    bare: timer(served, name, 'bare'),
    bare16: timer(served, name, 'bare16'),
    none: timer(served, name, 'none'),
    ratios: [] as number[],
    ratios16: [] as number[],
    floors: [] as number[],
    times: [] as number[],
  }));
  const nothing = timer(served, requestWorkloads[0]!.name, 'nothing');
  // All workloads in turns, as a function serves them: code that they share has seen the shapes of all.
  for (let round = -6; round < rounds; round++) {
    const making = await nothing();
    for (const { ours, bare, bare16, none, ratios, ratios16, floors, times } of timed) {
      const mine = (await ours()) - making;
      const other = (await bare()) - making;
      const other16 = (await bare16()) - making;
      const floor = (await none()) - making;
      if (round < 0) continue;
      ratios.push(mine / other);
      ratios16.push(mine / other16);
      floors.push(floor / other);
      times.push(mine);
    }
  }
  for (const { name, ratios, ratios16, floors, times } of timed) {
    const [microseconds, ratio, ratio16, none] = [times, ratios, ratios16, floors].map((values) => rounded(median(values)));
    results[name] = { microseconds: microseconds!, ratio: ratio!, ratio16: ratio16!, none: none! };
  }
  return results;
}

/** Microseconds of a request; how many there are in a row is found out on the way. */
function timer({ url, program }: ServedModule, workload: string, contestant: string): () => Promise<number> {
  let count = 20;
  return async () => {
    const query = new URLSearchParams({ workload, contestant, count: String(count) });
    const before = usedBy(program.pid);
    const response = await fetch(`${url}?${query}`);
    const text = await response.text();
    if (contestant !== 'nothing' && !text.startsWith('{"data"')) throw new Error(`${contestant} answered ${text}`);
    const time = (usedBy(program.pid) - before) / count;
    count = Math.max(20, Math.min(20_000, Math.round((slice * 1000) / time)));
    return time;
  };
}

/** Microseconds of CPU time if Linux reports it, else of wall-clock time. */
function usedBy(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + nanosecondsOf(`/proc/${pid}/task/${thread}/schedstat`), 0) / 1000;
  } catch {
    return performance.now() * 1000;
  }
}

function nanosecondsOf(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]);
}

if (import.meta.main) {
  const results = await measureRequests(process.argv[2]);
  if (process.env['AS_JSON']) console.log(JSON.stringify(results));
  else
    for (const [runtime, workloads] of Object.entries(results)) {
      console.log(`\n${runtime}`);
      for (const [workload, { microseconds, ratio, ratio16, none }] of Object.entries(workloads))
        console.log(
          `  ${workload.padEnd(56)} ${String(microseconds).padStart(8)} µs   ${ratio}×   ${ratio16}× of 16   no GraphQL ${none}×`,
        );
    }
  process.exit(0);
}
