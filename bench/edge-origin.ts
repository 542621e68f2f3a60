/**
 * The CPU time of a function, with a real Varnish before it and without: the trace of test/real/varnish.test.ts, 20,000 requests by
 * Zipf's law, 5 % of them mutations, by eight clients at once. The function is a process of its own, warm, and purges Varnish by HTTP.
 * The floor: this process sends the purges, and those of the function do nothing. Needs `varnishd` with the module xkey.
 *
 *     node bench/edge-origin.ts
 */
import { startVarnish } from '../test/real/varnish.ts';
import { runTrace } from '../test/real/zipf-trace.ts';
import { startOrigin } from './origin/start-origin.ts';
import type { Usage } from './origin/start-origin.ts';
import { rounded } from './statistics.ts';

const requests = Number(process.env['REQUESTS'] ?? 20_000);
const clients = 8;

interface Setup {
  readonly kind: 'bare' | 'edge';
  /** Seconds. Undefined: the default */
  readonly purgeInterval?: number;
  /** Default: the function */
  readonly purgedBy?: 'this process';
}

async function run({ kind, purgeInterval, purgedBy }: Setup): Promise<Usage> {
  const origin = await startOrigin(kind, purgeInterval);
  const direct = `http://127.0.0.1:${origin.port}/graphql`;
  const varnish = kind === 'bare' ? undefined : await startVarnish(origin.port);
  if (varnish !== undefined && purgedBy === undefined) origin.tell({ kind: 'varnish', url: varnish.url });
  await runTrace({ url: direct }, 1, requests / 5);
  const before = await origin.usage();
  const url = varnish?.url ?? direct;
  const purged = purgedBy && ((id: string) => varnish!.purge([`e:Product:${id}`, 'u:Product', 'l:Product']));
  await Promise.all(Array.from({ length: clients }, (_, client) => runTrace({ url, purged }, 15 + client, requests / clients)));
  const after = await origin.usage();
  origin.end();
  await varnish?.end();
  return { cpu: after.cpu - before.cpu, asked: after.asked - before.asked };
}

const without = await run({ kind: 'bare' });
for (const [name, usage] of [
  ['without Varnish', without],
  ['with Varnish', await run({ kind: 'edge' })],
  ['with Varnish, purgeInterval 0', await run({ kind: 'edge', purgeInterval: 0 })],
  ['with Varnish, the floor', await run({ kind: 'edge', purgedBy: 'this process' })],
] as const) {
  const perRequest = `${rounded((usage.cpu * 1_000) / requests)} µs for each request of a client`;
  const factors = `1/${rounded(without.asked / usage.asked)} of the requests, 1/${rounded(without.cpu / usage.cpu)} of the CPU`;
  console.log(`${name}: asked ${usage.asked} times, ${rounded(usage.cpu)} ms of CPU, ${perRequest}; ${factors}`);
}
process.exit(0);
