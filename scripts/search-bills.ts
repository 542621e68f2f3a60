// Searches for small requests that are expensive: at most 1 MiB, default options, anonymous. Half of the requests are random, the
// others are variants of the most expensive so far. Reports the most expensive, and exits with 1 if one exceeds a limit of docs/security.md.
//
//     npm run search-bills -- --requests 2000 --seed 7 --schema wide
//
// Runs in one process, without a socket, limited by --requests for each server (default 1,000). On a busy machine, CPU time is
// converted to that of an idle core by means of a constant piece of work. There is no limit for graphql-js's executor, which takes ten
// times as long for each field, and for introspection that is open to everybody: with either, set `maxCost` and `maxAliases` too.

import { parseArgs } from 'node:util';

import { searchBills } from '../test/support/bills/search.ts';
import { serverKinds } from '../test/support/bills/servers.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    schema: { type: 'string' },
  },
});
const requests = Math.min(100_000, Number(values.requests));
const seed = Number(values.seed);

let problems = 0;
for (const size of serverKinds.filter((one) => values.schema === undefined || one === values.schema)) {
  console.log(`${requests} requests, the ${size} server, seed ${seed}, Node ${process.version}`);
  const findings = await searchBills({ seed, requests, size, warmUp: 60 });
  const isPromised = (one: string): boolean => (size !== 'graphql-js' && size !== 'open') || !one.endsWith('of CPU');
  for (const { story, bill, broken, genes } of findings.slice(0, 12)) {
    const { cpu, heap, status, bytes, errors, logged } = bill;
    console.log(
      `${story.padEnd(28)} ${status} ${cpu.toFixed(0).padStart(5)} ms ${heap.toFixed(0).padStart(4)} MiB ${bytes} bytes, ${errors} of errors, ${logged} logged`,
    );
    if (broken.length > 0) console.log(`    ${broken.join(', ')}: ${JSON.stringify(genes.map((gene) => Number(gene.toFixed(4))))}`);
  }
  problems += findings.filter(({ broken }) => broken.some(isPromised)).length;
}
process.exit(problems === 0 ? 0 : 1);
