// Compares REST data sources with those of peers, on loopback: a memoized GET, a cache hit, a miss, and loading the code. Then, with
// the API in another process, whose work is not counted: misses of several sizes, ten at once, a revalidation, a POST.
// Run: node bench/datasource.ts
import { execFile, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

import { RESTDataSource as ApolloRESTDataSource } from '@apollo/datasource-rest';
import type { KeyValueCache as ApolloCache } from '@apollo/utils.keyvaluecache';
import { build } from 'esbuild';
import { InMemoryLRUCache, RESTDataSource } from '../src/entries/index.ts';
import { Agent, cacheStores, interceptors, request } from 'undici';

import { bundles } from './contestants.ts';
import { bookOf } from './origin/book.ts';
import { median, rounded } from './statistics.ts';

const run = promisify(execFile);
export interface DataSourceResult {
  readonly [workload: string]: Readonly<Record<string, { readonly microseconds: number; readonly ratio: number }>>;
}

/** Microseconds of a call, in turn, and the median of the rounds' ratios to @apollo/datasource-rest 6. */
export async function measureDataSources(rounds = Number(process.env['ROUNDS'] ?? 15)): Promise<DataSourceResult> {
  const server = createServer((_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .setHeader('cache-control', 'max-age=3600')
      .end(JSON.stringify(bookOf(1))),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    return {
      'memoised GET': await compare(memoised(baseURL), rounds, 2000),
      'cache hit': await compare(hits(baseURL), rounds, 500),
      miss: await compare(misses(baseURL), rounds, 60),
      ...(await measureWithAPI(rounds)),
      'load the code (CPU of a cold process)': await coldLoads(),
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function measureWithAPI(rounds: number): Promise<DataSourceResult> {
  const api = fork(new URL('origin/api.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const port = await new Promise<number>((resolve, reject) => {
    api.once('message', (message) => resolve(message as number));
    api.once('exit', () => reject(new Error('The API has ended.')));
  });
  const baseURL = `http://127.0.0.1:${port}/`;
  try {
    return {
      'miss, API in another process': await compare(misses(`${baseURL}fresh/1/`), rounds, 60),
      'miss of 20 KB, API in another process': await compare(misses(`${baseURL}fresh/20/`), rounds, 40),
      'miss of 200 KB, API in another process': await compare(misses(`${baseURL}fresh/200/`), rounds, 10),
      'ten misses at once, API in another process': await compare(atOnce(misses(`${baseURL}fresh/1/`)), rounds, 6),
      'revalidation (304), API in another process': await compare(hits(`${baseURL}validated/1/`), rounds, 60),
      'POST, API in another process': await compare(posts(`${baseURL}fresh/1/`), rounds, 60),
    };
  } finally {
    api.disconnect();
  }
}

type Calls = Readonly<Record<string, () => Promise<unknown>>>;

const ours = 'graphql-functions';
const apollo = '@apollo/datasource-rest 6';

function memoised(baseURL: string): Calls {
  const mine = new Ours(baseURL);
  void mine.initialize({ context: {}, cache: new InMemoryLRUCache() });
  const theirs = new Theirs(baseURL, undefined, true);
  return { [ours]: () => mine.book('1'), [apollo]: () => theirs.book('1') };
}

/** As in a server: a new instance for every operation, over one cache. */
function hits(baseURL: string): Calls {
  const cache = new InMemoryLRUCache();
  const apolloCache = new InMemoryLRUCache() as unknown as ApolloCache;
  const dispatcher = new Agent().compose(interceptors.cache({ store: new cacheStores.MemoryCacheStore() }));
  return {
    [ours]: () => {
      const mine = new Ours(baseURL);
      void mine.initialize({ context: {}, cache });
      return mine.book('1');
    },
    [apollo]: () => new Theirs(baseURL, apolloCache).book('1'),
    "undici's cache interceptor": async () => (await request(`${baseURL}books/1`, { dispatcher })).body.json(),
  };
}

function misses(baseURL: string): Calls {
  const cache = new InMemoryLRUCache();
  const apolloCache = new InMemoryLRUCache() as unknown as ApolloCache;
  const dispatcher = new Agent().compose(interceptors.cache({ store: new cacheStores.MemoryCacheStore() }));
  let nth = 0;
  return {
    [ours]: () => {
      const mine = new Ours(baseURL);
      void mine.initialize({ context: {}, cache });
      return mine.book(String(++nth));
    },
    [apollo]: () => new Theirs(baseURL, apolloCache).book(String(++nth)),
    "undici's cache interceptor": async () => (await request(`${baseURL}books/${++nth}`, { dispatcher })).body.json(),
  };
}

function atOnce(calls: Calls): Calls {
  const tenTimes = (call: () => Promise<unknown>) => () => Promise.all(Array.from({ length: 10 }, call));
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, tenTimes(call)]));
}

function posts(baseURL: string): Calls {
  const cache = new InMemoryLRUCache();
  const apolloCache = new InMemoryLRUCache() as unknown as ApolloCache;
  return {
    [ours]: () => {
      const mine = new Ours(baseURL);
      void mine.initialize({ context: {}, cache });
      return mine.create();
    },
    [apollo]: () => new Theirs(baseURL, apolloCache).create(),
  };
}

class Ours extends RESTDataSource {
  override baseURL: string;

  constructor(baseURL: string) {
    super();
    this.baseURL = baseURL;
  }

  book(id: string): Promise<unknown> {
    return this.get(`books/${id}`);
  }

  create(): Promise<unknown> {
    return this.post('books', { title: 'Emma', year: 1815 });
  }
}

class Theirs extends ApolloRESTDataSource {
  override baseURL: string;
  readonly #memoise: boolean;

  constructor(baseURL: string, cache?: ApolloCache, memoise = false) {
    super(cache === undefined ? {} : { cache });
    this.baseURL = baseURL;
    this.#memoise = memoise;
  }

  /** The default only shares calls in progress; this policy also memoizes results. */
  override requestDeduplicationPolicyFor(...[url, request]: Parameters<ApolloRESTDataSource['requestDeduplicationPolicyFor']>) {
    return this.#memoise
      ? ({ policy: 'deduplicate-until-invalidated', deduplicationKey: `${request.method} ${url}` } as const)
      : super.requestDeduplicationPolicyFor(url, request);
  }

  book(id: string): Promise<unknown> {
    return this.get(`books/${id}`);
  }

  create(): Promise<unknown> {
    return this.post('books', { body: { title: 'Emma', year: 1815 } });
  }
}

async function compare(calls: Calls, rounds: number, count: number): Promise<DataSourceResult[string]> {
  const entries = Object.entries(calls);
  const times = new Map<string, number[]>(entries.map(([name]) => [name, []]));
  for (let round = -3; round < rounds; round++) {
    for (const [name, call] of entries) {
      const start = process.hrtime.bigint();
      for (let nth = 0; nth < count; nth++) await call();
      if (round >= 0) times.get(name)!.push(Number(process.hrtime.bigint() - start) / count / 1000);
    }
  }
  return ratios(times);
}

function ratios(times: ReadonlyMap<string, readonly number[]>): DataSourceResult[string] {
  const base = times.get(apollo)!;
  return Object.fromEntries(
    [...times].map(([name, own]) => [
      name,
      { microseconds: rounded(median(own)), ratio: rounded(median(own.map((time, round) => time / base[round]!))) },
    ]),
  );
}

async function coldLoads(runs = 9): Promise<DataSourceResult[string]> {
  const modules = { [ours]: '../src/entries/datasource.ts', [apollo]: '@apollo/datasource-rest' };
  const times = new Map<string, number[]>(Object.keys(modules).map((name) => [name, []]));
  const files = await Promise.all(Object.entries(modules).map(async ([name, module], at) => [name, await loader(module, at)] as const));
  for (let round = 0; round <= runs; round++) {
    for (const [name, file] of files) {
      const { stdout } = await run(process.execPath, [file]);
      if (round > 0) times.get(name)!.push(Number(stdout));
    }
  }
  return ratios(times);
}

async function loader(module: string, at: number): Promise<string> {
  const outfile = `${bundles}datasource-${at}.cjs`;
  const contents = `const cpu = process.cpuUsage(); const { RESTDataSource } = require(${JSON.stringify(module)}); new (class extends RESTDataSource {})(); const { user, system } = process.cpuUsage(cpu); process.stdout.write(String(user + system));`;
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

if (import.meta.main) {
  const result = await measureDataSources();
  if (process.env['AS_JSON']) console.log(JSON.stringify(result));
  else
    for (const [workload, all] of Object.entries(result)) {
      console.log(`\n${workload}`);
      for (const [name, { microseconds, ratio }] of Object.entries(all))
        console.log(`  ${name.padEnd(32)} ${String(microseconds).padStart(10)} µs   ${ratio}×`);
    }
  process.exit(0);
}
