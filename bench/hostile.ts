/**
 * The CPU time, memory and status of hostile requests. Each has a new process, which is warmed up with ordinary requests and then gets
 * the request five times.
 *
 *     node bench/hostile.ts              all of them
 *     node bench/hostile.ts batch        those with "batch" in their name
 *
 * Expected: no request or batch of up to 1 MiB takes more than 100 ms of CPU or 30 MB on an idle core; 300 ms if graphql's limit of
 * validation errors stops it ("Validation aborted."), which our limits leave to few. First: the first time that this process gets such a
 * request, before V8 compiles the code. Median: of all five. Held: the heap after a garbage collection, with the response. Peak: the
 * growth of resident memory, including garbage, which V8 collects when its young generation (32 MB) is full.
 */
import { spawnSync } from 'node:child_process';

import { createHandler } from '../src/entries/aws-lambda.ts';
import { hostileEvent, hostileRequests, ordinaryEvent, resolvers, typeDefs } from './hostile-requests.ts';

const [wanted = '', mode] = process.argv.slice(2);
if (mode === 'one') await measureHere(wanted);
else measureAll(wanted);

function measureAll(part: string): void {
  console.log(
    `${'request'.padEnd(36)} status   first  median     held     peak  answer\n${' '.repeat(36)}             ms      ms       MB       MB`,
  );
  for (const name of Object.keys(hostileRequests).filter((one) => one.includes(part))) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, name, 'one'], { encoding: 'utf8' });
    process.stdout.write(stdout || stderr);
  }
}

async function measureHere(name: string): Promise<void> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const handler = createHandler({ typeDefs, resolvers, nodeEnv: '', logger: quiet });
  for (let index = 0; index < 500; index++) await handler(ordinaryEvent(index));
  const event = hostileEvent(hostileRequests[name]!());
  globalThis.gc!();
  const before = { heap: process.memoryUsage().heapUsed, resident: process.resourceUsage().maxRSS };

  const times: number[] = [];
  let result = { statusCode: 0, body: '' };
  let held = 0;
  let peak = 0;
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    result = (await handler(event)) as typeof result;
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    if (round === 0) peak = process.resourceUsage().maxRSS - before.resident;
    globalThis.gc!();
    held = Math.max(held, process.memoryUsage().heapUsed - before.heap);
  }
  const median = times.toSorted((one, other) => one - other)[2]!;
  const figures = [
    times[0]!.toFixed(0).padStart(7),
    median.toFixed(0).padStart(7),
    (held / 1e6).toFixed(1).padStart(8),
    (peak / 1e3).toFixed(0).padStart(8),
  ];
  console.log(
    `${name.padEnd(36)} ${result.statusCode}   ${figures.join(' ')}  ${result.body.length} bytes, ${result.body.slice(0, 60).replaceAll('\n', ' ')}`,
  );
}
