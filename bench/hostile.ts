/**
 * The CPU time, memory and status of hostile requests. Each has a new process, which is warmed up with ordinary requests and then gets
 * the request five times.
 *
 *     node bench/hostile.ts                      all of them, with default options
 *     node bench/hostile.ts batch                those with "batch" in their name
 *     node bench/hostile.ts "" edge,limits       with these extensions
 *     node bench/hostile.ts "" each              with each extension alone
 *     node bench/hostile.ts "" all               with all extensions
 *     node bench/hostile.ts "" pairs             one request, with each extension beside each other one
 *
 * Expected: no request or batch of up to 1 MiB takes more than 100 ms of CPU or 30 MB on an idle core; 300 ms if graphql's limit of
 * validation errors stops it ("Validation aborted."), which our limits leave to few. First: the first time that this process gets such a
 * request, before V8 compiles the code. Median: of all five. Held: the heap after a garbage collection, with the response. Peak: the
 * growth of resident memory, including garbage, which V8 collects when its young generation (32 MB) is full. An exclamation mark follows
 * a row whose median, held memory, or peak beyond the young generation is above that.
 */
import { spawnSync } from 'node:child_process';

import { createHandler } from '../src/entries/aws-lambda.ts';
import { hostileEvent, hostileRequests, mixedRequest, ordinaryEvent } from './hostile-requests.ts';
import { extensions, serverWith } from './hostile-settings.ts';

const [wanted = '', settings = '', mode] = process.argv.slice(2);
const mixed = 'a batch of answers, errors, numbers and traces';
if (mode === 'one') await measureHere(wanted, settings === '' ? [] : settings.split(','));
else measureAll(wanted, settings);

function measureAll(part: string, given: string): void {
  console.log(
    `${'request'.padEnd(46)} status   first  median     held     peak  answer\n${' '.repeat(46)}             ms      ms       MB       MB`,
  );
  for (const names of settingsOf(given)) {
    if (names !== '') console.log(`with ${names}`);
    for (const name of given === 'pairs' ? [mixed] : Object.keys(hostileRequests).filter((one) => one.includes(part))) {
      const given = ['--expose-gc', import.meta.filename, name, names, 'one'];
      const { stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8' });
      process.stdout.write(stdout || stderr);
    }
  }
}

/** Names of extensions, joined by commas, for each server. */
function settingsOf(given: string): readonly string[] {
  if (given === 'each') return extensions;
  if (given === 'all') return [extensions.join()];
  return given === 'pairs' ? extensions.flatMap((one, at) => extensions.slice(at + 1).map((other) => `${one},${other}`)) : [given];
}

async function measureHere(name: string, names: readonly string[]): Promise<void> {
  const sent = name === mixed ? mixedRequest() : hostileRequests[name]!();
  const handler = createHandler(serverWith([...new Set([...names, ...(sent.needs ?? [])])]) as never);
  for (let index = 0; index < 500; index++) await handler(ordinaryEvent(index));
  const event = hostileEvent(sent);
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
  const isOver = median > 100 || held > 30e6 || peak > 62e3;
  console.log(
    `${name.padEnd(46)} ${result.statusCode}   ${figures.join(' ')}  ${result.body.length} bytes, ${result.body.slice(0, 60).replaceAll('\n', ' ')}${isOver ? ' !' : ''}`,
  );
}
