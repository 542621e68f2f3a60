// Sends generated events to the handler, and reports calls that throw or break a platform's contract, 5xx, answers for another
// request, slow calls, and a growing heap.
//
//     npm run fuzz -- --events 25000 --source 'HTTP API 2.0' --seed 7 --concurrency 8
//
// Limited by --events for each source (default 2,000). Runs in one process, without a socket. Exits with 1 if it reports anything.

import { parseArgs } from 'node:util';

import { createHandler } from '../src/entries/index.ts';
import type { Handler } from '../src/entries/index.ts';
import { fetchAPI } from '../src/server/platform/fetch.ts';
import { findAdapter } from '../src/server/platform/adapter.ts';
import { lambdaAdapters } from '../src/server/platform/aws.ts';
import { netlifyV1 } from '../src/server/platform/netlify.ts';
import { assertWithinContract } from '../test/support/answer-contract.ts';
import { echoServer } from '../test/support/echo-server.ts';
import { generateEvent, markedEvent } from '../test/support/event-generator.ts';
import type { GeneratedEvent } from '../test/support/event-generator.ts';
import { createRandom } from '../test/support/random.ts';
import { sources } from '../test/support/sources.ts';
import type { Source } from '../test/support/sources.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '2000' },
    source: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    concurrency: { type: 'string', default: '8' },
  },
});
const events = Number(values.events);
const seed = Number(values.seed);
const concurrency = Math.min(8, Number(values.concurrency));
/** Limit of CPU time for a request of up to 1 MiB, in milliseconds. */
const slowCall = 100;
/** Limit of heap growth in MiB: caches fill up to their limits. */
const growth = 60;

const adapters = [fetchAPI, ...lambdaAdapters, netlifyV1];
const chosen = sources.filter(({ name }) => values.source === undefined || name === values.source);
if (chosen.length === 0) throw new Error(`Unknown source ${values.source}. Known: ${sources.map(({ name }) => name).join(', ')}.`);

interface Findings {
  throws: number;
  contract: number;
  isolation: number;
  slow: number;
  slowest: number;
  readonly stories: string[];
}

console.log(`${events} events a source, seed ${seed}, up to ${concurrency} at once, Node ${process.version}`);
let problems = 0;
for (const source of chosen) problems += await fuzz(source);
process.exit(problems === 0 ? 0 : 1);

async function fuzz(source: Source): Promise<number> {
  const random = createRandom(seed);
  const handler = createHandler(echoServer().options);
  const findings: Findings = { throws: 0, contract: 0, isolation: 0, slow: 0, slowest: 0, stories: [] };
  const before = heap();
  const start = performance.now();
  for (let step = 0; step < events;) {
    const together = step % 50 === 0 ? concurrency : 1;
    const batch = Array.from({ length: together }, (_, at) => (at % 2 === 1 ? markedEvent(source, random) : generateEvent(source, random)));
    const cpu = process.cpuUsage();
    await Promise.all(batch.map((generated) => judge(handler, generated, findings)));
    note(process.cpuUsage(cpu), batch, findings);
    step += together;
  }
  return report(source.name, findings, heap() - before, performance.now() - start);
}

async function judge(handler: Handler, { event, story, expected }: GeneratedEvent, findings: Findings): Promise<void> {
  let result: unknown;
  try {
    result = await handler(event, {});
  } catch (error) {
    if (expected.kind === 'rejection') return;
    findings.throws += 1;
    findings.stories.push(`throws: ${story}: ${String(error)}`);
    return;
  }
  if (expected.kind === 'rejection') {
    findings.contract += 1;
    findings.stories.push(`answers an event of no known source: ${story}`);
    return;
  }
  try {
    const body = await assertWithinContract(findAdapter(adapters, event).name, event, result);
    if (expected.kind !== 'mark' || body === JSON.stringify({ data: { header: expected.mark } })) return;
    findings.isolation += 1;
    findings.stories.push(`another's answer: ${body}`);
  } catch (error) {
    findings.contract += 1;
    findings.stories.push(`contract: ${story}: ${String(error).split('\n')[0]}`);
  }
}

function note({ user, system }: NodeJS.CpuUsage, batch: readonly GeneratedEvent[], findings: Findings): void {
  const spent = (user + system) / 1000 / batch.length;
  findings.slowest = Math.max(findings.slowest, spent);
  if (spent <= slowCall) return;
  findings.slow += 1;
  findings.stories.push(`slow, ${spent.toFixed(0)} ms: ${batch.map(({ story }) => story).join('; ')}`);
}

function report(name: string, findings: Findings, grown: number, took: number): number {
  const { throws, contract, isolation, slow, slowest, stories } = findings;
  const grows = grown > growth;
  console.log(
    `${name.padEnd(28)} throws ${throws}, contract breaks or 5xx ${contract}, foreign answers ${isolation}, over ${slowCall} ms ${slow} ` +
      `(slowest ${slowest.toFixed(0)} ms), heap ${grown >= 0 ? '+' : ''}${grown.toFixed(0)} MiB${grows ? ' (grows)' : ''}, ${(took / 1000).toFixed(1)} s`,
  );
  for (const story of stories.slice(0, 10)) console.log(`    ${story}`);
  return throws + contract + isolation + slow + (grows ? 1 : 0);
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
