/**
 * Steady traffic: one process serves all kinds of requests in turn, as a function does, so that V8 optimizes the shared code for all of
 * them. CPU per request, and its ratio to bare graphql-js 17.
 *
 *     npm run build && node bench/mixed.ts [folder of another build …]
 *
 * A folder is a checkout in which `npm run build` has run. In each generation every contestant gets a new process; the processes take
 * turns, a round of all shapes each, and the time of a shape includes a collection of its young garbage. A ratio is the median of the
 * rounds' ratios. "states" are those of the generations: when they differ, V8 has taken different decisions in equal processes.
 * GENERATIONS (3) and ROUNDS (15) set how long it takes: two minutes for this build, and half a minute more for each other.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

import { bundle } from './contestants.ts';
import { mixedShapes } from './mixed-shapes.ts';
import { median, rounded } from './statistics.ts';

const generations = Number(process.env['GENERATIONS'] ?? 3);
const rounds = Number(process.env['ROUNDS'] ?? 15);
/** Rounds before the first that counts. */
const warmUp = 3;

const bare = `import { create } from './contestants/bare.ts';
  import { serveRounds } from './mixed-process.ts';
  import { authorsOf, mixedResolvers, mixedTypeDefs } from './mixed-shapes.ts';
  import DataLoader from 'dataloader';
  const author = ({ authorId }, _, context) => (context.authors ??= new DataLoader(authorsOf)).load(authorId);
  const lambda = create({ typeDefs: mixedTypeDefs, resolvers: mixedResolvers(author) });
  const fetch = async (request) => {
    const { body } = await lambda({ body: await request.text() }, {});
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  serveRounds({ lambda, context: lambda, fetch });`;

const ours = `import { createHandler } from 'graphql-functions/aws-lambda';
  import { createHandler as createFetch } from 'graphql-functions/fetch';
  import { batch } from 'graphql-functions/index';
  import { serveRounds } from './mixed-process.ts';
  import { authorsOf, mixedResolvers, mixedTypeDefs } from './mixed-shapes.ts';
  const author = batch((books) => authorsOf(books.map(({ authorId }) => authorId)));
  const options = { typeDefs: mixedTypeDefs, resolvers: mixedResolvers(author) };
  serveRounds({
    lambda: createHandler(options),
    context: createHandler({ ...options, context: ({ request }) => ({ user: request.headers.get('x-user') }) }),
    fetch: createFetch(options),
  });`;

interface Contestant {
  readonly name: string;
  readonly file: string;
  /** By generation, round and shape: microseconds per request. */
  readonly times: number[][][];
}

/** What is printed of a shape. */
export interface MixedResult {
  readonly shape: string;
  readonly microseconds: number;
  /** To bare graphql-js 17: the median, and that of each generation. */
  readonly ratio: number;
  readonly states: readonly number[];
  /** Of the rounds' times, in microseconds. */
  readonly quartiles: readonly [lower: number, upper: number];
  readonly minimum: number;
}

/** Runs all generations: the first contestant is bare graphql-js 17, the second this build. */
export async function measureMixed(folders: readonly string[]): Promise<MixedResult[][]> {
  const contestants: Contestant[] = [
    { name: 'bare', file: await bundle({ name: 'bare', file: 'bare', graphql: 17 }, 'mixed', () => bare), times: [] },
    ...(await Promise.all(
      folders.map(async (folder, at) => ({
        name: folder,
        file: await bundle({ name: folder, file: 'ours', graphql: 17 }, `mixed-${at}`, () => ours, folder),
        times: [],
      })),
    )),
  ];
  for (let generation = 0; generation < generations; generation++) await runGeneration(contestants);
  const [reference, ...builds] = contestants;
  return builds.map((build) => mixedShapes.map((_, at) => resultOf(at, build, reference!)));
}

async function runGeneration(contestants: readonly Contestant[]): Promise<void> {
  const processes = contestants.map(({ file }) =>
    fork(file, { execArgv: ['--expose-gc'], env: { ...process.env, NODE_ENV: 'production' } }),
  );
  try {
    const answers: string[][] = [];
    for (const child of processes) answers.push(await ask(child, 'answers'));
    for (const [at, { name }] of mixedShapes.entries())
      if (new Set(answers.map((texts) => texts[at])).size > 1) throw new Error(`"${name}" is answered differently.`);
    for (const { times } of contestants) times.push([]);
    for (let round = -warmUp; round < rounds; round++)
      for (let turn = 0; turn < processes.length; turn++) {
        // Each round begins with another contestant, because V8's threads of the process before still run.
        const at = (round + warmUp + turn) % processes.length;
        const times = await ask<number>(processes[at]!, 'round');
        if (round >= 0) contestants[at]!.times.at(-1)!.push(times);
      }
  } finally {
    for (const child of processes) child.kill();
  }
}

async function ask<T>(child: ChildProcess, message: string): Promise<T[]> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [T[]];
  return answer;
}

function resultOf(shape: number, build: Contestant, reference: Contestant): MixedResult {
  const ratios = build.times.map((samples, generation) =>
    samples.map((times, round) => times[shape]! / reference.times[generation]![round]![shape]!),
  );
  const times = build.times.flat().map((sample) => sample[shape]!);
  const sorted = times.toSorted((one, other) => one - other);
  return {
    shape: mixedShapes[shape]!.name,
    microseconds: rounded(median(times)),
    ratio: rounded(median(ratios.flat())),
    states: ratios.map((one) => rounded(median(one))),
    quartiles: [rounded(sorted[Math.floor(sorted.length * 0.25)]!), rounded(sorted[Math.floor(sorted.length * 0.75)]!)],
    minimum: rounded(sorted[0]!),
  };
}

if (import.meta.main) {
  const folders = [join(import.meta.dirname, '..'), ...process.argv.slice(2)].map((folder) => resolve(folder));
  const results = await measureMixed(folders);
  if (process.env['AS_JSON']) console.log(JSON.stringify(results[0]));
  else {
    const columns = ['median µs', 'minimum', 'quartiles', '', 'q3/min', 'to bare'];
    for (const [at, folder] of folders.entries()) {
      console.log(`\n${folder}\n${''.padEnd(24)}${columns.map((column) => column.padStart(10)).join('')}   states`);
      for (const { shape, microseconds, minimum, quartiles, ratio, states } of results[at]!) {
        const values = [microseconds, minimum, ...quartiles, rounded(quartiles[1] / minimum), ratio];
        const cells = values.map((cell) => String(cell).padStart(10));
        console.log(`${shape.padEnd(24)}${cells.join('')}   ${states.join(' ')}`);
      }
    }
  }
}
