// Warm invocations, from the event to the result. All servers run in turn within each round of one process.
// Run alone for one workload: node bench/warm.ts 'hello'
import { createRequire } from 'node:module';

import { bundle, contestants, reference, webContestants } from './contestants.ts';
import type { Entry } from './contestants.ts';
import { createEvent, createRequest } from './event.ts';
import type { Contestant } from './event.ts';
import { median, rounded } from './statistics.ts';
import { warmWorkloads } from './workloads.ts';
import type { Workload } from './workloads.ts';

export interface WarmResult {
  readonly workload: string;
  /** By server: microseconds per invocation, and the median of the rounds' ratios to bare graphql-js 17. */
  readonly contestants: Readonly<Record<string, { readonly microseconds: number; readonly ratio: number }>>;
}

const rounds = Number(process.env['ROUNDS'] ?? 15);
/** Milliseconds for which each contestant runs in a round. */
const slice = Number(process.env['SLICE'] ?? 60);

export async function measureWarm(workload: Workload): Promise<WarmResult> {
  const runners = await Promise.all(
    (workload.isWeb ? webContestants : contestants).map((contestant) => createRunner(contestant, workload)),
  );
  await assertSameAnswers(runners, workload);
  for (const runner of runners) await runner.calibrate();

  const times = new Map<string, number[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // Another one goes first each time: whoever follows a big allocation pays for its garbage.
    const order = [...runners.slice(round % runners.length), ...runners.slice(0, round % runners.length)];
    for (const runner of order) times.get(runner.name)!.push(await runner.time());
  }
  return { workload: workload.name, contestants: summarise(times) };
}

interface Runner {
  readonly name: string;
  readonly answer: (body: string) => Promise<string>;
  calibrate(): Promise<void>;
  time(): Promise<number>;
}

async function createRunner(contestant: Entry, workload: Workload): Promise<Runner> {
  const file = await bundle(contestant, 'warm', (path) => `export { create } from ${JSON.stringify(path)};`);
  const { create } = createRequire(import.meta.url)(file) as { create: Contestant };
  const handle = create(workload);
  let nth = 0;
  let count = 1;
  const createInput = workload.isWeb ? createRequest : createEvent;
  const answer = async (body: string) => (await handle(createInput(body), {})).body;
  const time = async (): Promise<number> => {
    const events = Array.from({ length: count }, () => createInput(workload.body(nth++)));
    const start = process.hrtime.bigint();
    for (const event of events) await handle(event, {});
    return Number(process.hrtime.bigint() - start) / count / 1000;
  };
  const calibrate = async (): Promise<void> => {
    for (let warmUp = 0; warmUp < 5; warmUp++) count = Math.max(1, Math.min(5000, Math.round((slice * 1000) / (await time()))));
  };
  return { name: contestant.name, answer, calibrate, time };
}

async function assertSameAnswers(runners: readonly Runner[], workload: Workload): Promise<void> {
  const asked = workload.body(0);
  const expected = dataOf(await runners.find(({ name }) => name === reference)!.answer(asked));
  for (const { name, answer } of runners) {
    if (name === 'no GraphQL' && (workload.fails || workload.isUnseen)) continue;
    const body = await answer(asked);
    if (workload.fails ? !body.includes('"errors"') : dataOf(body) !== expected) {
      throw new Error(`${name} answers differently to ${workload.name}: ${body.slice(0, 300)}`);
    }
  }
}

function dataOf(body: string): string {
  const answer = JSON.parse(body);
  return JSON.stringify(Array.isArray(answer) ? answer.map(({ data }) => data) : answer.data);
}

function summarise(times: ReadonlyMap<string, readonly number[]>): WarmResult['contestants'] {
  const base = times.get(reference)!;
  return Object.fromEntries(
    [...times].map(([name, own]) => [
      name,
      {
        microseconds: rounded(median(own)),
        ratio: rounded(median(own.map((time, round) => time / base[round]!))),
      },
    ]),
  );
}

if (import.meta.main) {
  for (const workload of warmWorkloads.filter(({ name }) => process.argv[2] === undefined || name === process.argv[2])) {
    const result = await measureWarm(workload);
    if (process.env['AS_JSON']) console.log(JSON.stringify(result));
    else {
      console.log(`\n${result.workload}`);
      for (const [name, { microseconds, ratio }] of Object.entries(result.contestants))
        console.log(`  ${name.padEnd(32)} ${String(microseconds).padStart(10)} µs   ${ratio}×`);
    }
  }
  process.exit(0);
}
