// CPU time of a GET that no cache has, as a multiple of a call by bare undici (`request` and `body.json()`): by data sources with
// undiciFetch and with fetch, and by bare fetch. The API runs in another process, whose work is not counted.
// Run: node bench/undici.ts
import { fork } from 'node:child_process';

import { request } from 'undici';

import { undiciFetch } from '../src/datasources/undici.ts';
import { InMemoryLRUCache, RESTDataSource } from '../src/entries/index.ts';
import type { HTTPFetch } from '../src/entries/index.ts';
import { rounded } from './statistics.ts';

class Books extends RESTDataSource {
  book(url: string): Promise<unknown> {
    return this.get(url);
  }
}

type Call = (url: string) => Promise<unknown>;

/** As in a server: a new instance for every operation, over one cache. */
function withDataSource(httpFetch?: HTTPFetch): Call {
  const cache = new InMemoryLRUCache();
  return (url) => {
    const books = new Books(httpFetch);
    void books.initialize({ context: {}, cache });
    return books.book(url);
  };
}

const calls: Readonly<Record<string, Call>> = {
  'bare undici': async (url) => (await request(url)).body.json(),
  'a data source with undiciFetch': withDataSource(undiciFetch()),
  'bare fetch': async (url) => (await fetch(url)).json(),
  'a data source with fetch': withDataSource(),
};

async function measure(baseURL: string, rounds: number, count: number): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
  let nth = 0;
  for (let round = -20; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const start = process.cpuUsage();
      for (let left = count; left > 0; left--) await call(`${baseURL}books/${++nth}`);
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times.get(name)!.push((user + system) / count);
    }
  }
  return times;
}

/** Other processes, which take turns on the same cores, only add to a time. */
function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 2]!;
}

const api = fork(new URL('origin/api.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
const port = await new Promise<number>((resolve, reject) => {
  api.once('message', (message) => resolve(message as number));
  api.once('exit', () => reject(new Error('The API has ended.')));
});
for (const kilobytes of [1, 20]) {
  const times = await measure(`http://127.0.0.1:${port}/fresh/${kilobytes}/`, Number(process.env['ROUNDS'] ?? 21), 200);
  const base = lowerQuartile(times.get('bare undici')!);
  console.log(`\nMiss of ${kilobytes} KB`);
  for (const [name, own] of times) {
    const time = lowerQuartile(own);
    console.log(`  ${name.padEnd(32)} ${time.toFixed(0).padStart(6)} µs of CPU   ${rounded(time / base)}×`);
  }
}
api.disconnect();
process.exit(0);
