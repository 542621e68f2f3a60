/**
 * The CPU time of a function, with a real Varnish before it and without: the trace of test/real/varnish.test.ts, 20,000 requests by
 * Zipf's law, 5 % of them mutations, by eight clients at once. The function is a process of its own, warm, and asks Varnish by HTTP
 * for each purge. Needs `varnishd` with the module xkey.
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

async function run(kind: 'bare' | 'edge', withPurges = true): Promise<Usage> {
  const origin = await startOrigin(kind);
  const direct = `http://127.0.0.1:${origin.port}/graphql`;
  const varnish = kind === 'bare' ? undefined : await startVarnish(origin.port);
  if (varnish !== undefined && withPurges) origin.tell({ kind: 'varnish', url: varnish.url });
  await runTrace({ url: direct }, 1, requests / 5);
  const before = await origin.usage();
  const url = varnish?.url ?? direct;
  await Promise.all(Array.from({ length: clients }, (_, client) => runTrace({ url }, 15 + client, requests / clients)));
  const after = await origin.usage();
  origin.end();
  await varnish?.end();
  return { cpu: after.cpu - before.cpu, asked: after.asked - before.asked };
}

const without = await run('bare');
for (const [name, usage] of [
  ['without Varnish', without],
  ['with Varnish', await run('edge')],
  ['with Varnish, purges left out', await run('edge', false)],
] as const) {
  const perRequest = `${rounded((usage.cpu * 1_000) / requests)} µs for each request of a client`;
  const factors = `1/${rounded(without.asked / usage.asked)} of the requests, 1/${rounded(without.cpu / usage.cpu)} of the CPU`;
  console.log(`${name}: asked ${usage.asked} times, ${rounded(usage.cpu)} ms of CPU, ${perRequest}; ${factors}`);
}
process.exit(0);
