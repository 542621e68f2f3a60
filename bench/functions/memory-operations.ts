// Sends operations to the example, and their memory use to the parent process. For bench/small-memory.ts.
import { readFileSync } from 'node:fs';

import handler from '../../functions/graphql.ts';
import { createEvent } from '../event.ts';

const operations = Number(process.env['OPERATIONS']);
const before = process.cpuUsage();
let first = 0;
let peak = 0;
for (let nth = 0; nth < operations; nth++) {
  const { body } = (await handler(createEvent(bodyOf(nth)), {})) as { body: string };
  if (!body.startsWith('{"data":')) throw new Error(`Operation ${nth} was answered with ${body.slice(0, 300)}`);
  if (nth === 100) first = process.memoryUsage.rss();
  if (nth % 500 === 0) peak = Math.max(peak, process.memoryUsage.rss());
}
const { user, system } = process.cpuUsage(before);
const { rss } = process.memoryUsage();
globalThis.gc?.();
const { heapUsed } = process.memoryUsage();
const toMiB = (bytes: number): number => Math.round(bytes / 1024 / 1024);
process.send!({
  firstMiB: toMiB(first),
  rssMiB: toMiB(rss),
  peakMiB: toMiB(Math.max(peak, rss)),
  ownMiB: toMiB(ownMemory() ?? rss),
  heapMiB: toMiB(heapUsed),
  microseconds: Math.round((user + system) / operations),
});

/** Mostly the same few documents. Each tenth is new, and each fiftieth selects reviews, which the API does not allow to be stored. */
function bodyOf(nth: number): string {
  if (nth % 10 === 0) return JSON.stringify({ query: `query New${nth} { new${nth}: authors { name books { title year } } }` });
  if (nth % 50 === 1)
    return JSON.stringify({ query: 'query ($id: ID!) { book(id: $id) { title reviews { stars text } } }', variables: { id: 'emma' } });
  return JSON.stringify({ query: 'query ($id: ID!) { author(id: $id) { name born books { title year } } }', variables: { id: 'austen' } });
}

/** Resident memory without the pages of Node's executable, which the system may drop. Only Linux reports it. */
function ownMemory(): number | undefined {
  try {
    return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024 || undefined;
  } catch {
    return undefined;
  }
}
