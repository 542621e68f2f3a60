/**
 * The CPU time of a function behind a real Varnish and without it: the trace of test/real/varnish.test.ts, 20,000 requests with a Zipf
 * distribution, 5 % of them mutations. The function is a warm process, and purges Varnish. Needs `varnishd` with xkey.
 *
 * Paced: clients send the same number of requests per second with Varnish and without, as in production.
 * Saturated: eight clients, each of which sends the next request when it has a response. Without Varnish, the function reads many
 * requests in each turn of the event loop. With Varnish, it sleeps between most requests, and waking up takes CPU time.
 * The minimum: this process sends the purges, and those of the function do nothing.
 *
 *     node bench/edge-origin.ts
 */
import { startVarnish } from '../test/real/varnish.ts';
import { runPacedTrace, runTrace } from '../test/real/zipf-trace.ts';
import type { Traced } from '../test/real/zipf-trace.ts';
import { startOrigin } from './origin/start-origin.ts';
import type { EdgeSettings, Usage } from './origin/start-origin.ts';
import { rounded } from './statistics.ts';

const requests = Number(process.env['REQUESTS'] ?? 20_000);
/** Requests a second. */
const rates = (process.env['RATES'] ?? '200,500').split(',').map(Number);
const clients = 8;

interface Setup {
  /** Undefined: without Varnish */
  readonly edge?: EdgeSettings;
  /** Default: the function */
  readonly purgedBy?: 'this process';
  /** Undefined: each client sends its next request when it has a response */
  readonly rate?: number;
}

async function run({ edge, purgedBy, rate }: Setup): Promise<Usage> {
  const origin = await startOrigin(edge);
  const direct = `http://127.0.0.1:${origin.port}/graphql`;
  const varnish = edge && (await startVarnish(origin.port));
  if (varnish !== undefined && purgedBy === undefined) await origin.isBehind(varnish.url);
  // With Varnish it gets an eighth of the requests: too few for V8 to compile all code during the trace.
  await saturate({ url: direct }, 1);
  const before = await origin.usage();
  const url = varnish?.url ?? direct;
  const purged = purgedBy && ((id: string) => varnish!.purge([`e:Product:${id}`, 'u:Product', 'l:Product']));
  if (rate === undefined) await saturate({ url, purged }, 15);
  else await runPacedTrace(url, 15, { requests, rate });
  const after = await origin.usage();
  origin.end();
  await varnish?.end();
  return { cpu: after.cpu - before.cpu, asked: after.asked - before.asked };
}

async function saturate(traced: Traced, seed: number): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, client) => runTrace(traced, seed + client, requests / clients)));
}

const byRequests: EdgeSettings = {};
const inAnswers: EdgeSettings = { inAnswers: true };
const setups: readonly (readonly [string, Setup])[] = [
  ['with Varnish, purged by requests', { edge: byRequests }],
  ['with Varnish, purged by answers', { edge: inAnswers }],
];
const saturated: typeof setups = [
  ['with Varnish, each purge sent at once', { edge: { interval: 0 } }],
  ['with Varnish, the minimum', { edge: {}, purgedBy: 'this process' }],
];

async function compare(title: string, rate: number | undefined, compared: typeof setups): Promise<void> {
  const without = await run(rate === undefined ? {} : { rate });
  console.log(title);
  console.log(`  without Varnish: ${usageText(without)}`);
  for (const [name, setup] of compared) {
    const usage = await run(rate === undefined ? setup : { ...setup, rate });
    const factors = `1/${rounded(without.asked / usage.asked)} of the requests, 1/${rounded(without.cpu / usage.cpu)} of the CPU`;
    console.log(`  ${name}: ${usageText(usage)}; ${factors}`);
  }
}

function usageText({ asked, cpu }: Usage): string {
  return `asked ${asked} times, ${rounded(cpu)} ms of CPU, ${rounded((cpu * 1_000) / asked)} µs each`;
}

for (const rate of rates) await compare(`${rate} requests a second`, rate, setups);
await compare('Saturated', undefined, [...setups, ...saturated]);
process.exit(0);
