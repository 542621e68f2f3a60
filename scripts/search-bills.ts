// Searches for small requests with large bills: at most 1 MiB, default options, anonymous. A half of the requests is random,
// the others are like the dearest so far. Reports the dearest, and exits with 1 when one breaks a promise of docs/security.md.
//
//     npm run search-bills -- --requests 2000 --seed 7 --schema wide
//
// In process, without a socket, bounded by --requests for each server (default 1,000). Where the machine is busy, CPU is reckoned
// back to an idle core by a piece of work that is always the same. What graphql-js executes takes ten times as long for each field,
// and has no promise of CPU, nor has introspection for everybody: where you choose one of them, choose `maxCost` and `maxAliases` too.

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
