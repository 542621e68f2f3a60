import { setTimeout as sleep } from 'node:timers/promises';

import { createRandom } from '../support/random.ts';
import type { Random } from '../support/random.ts';
import { productCount } from './varnish-shop.ts';

/** The server that the trace is sent to. */
export interface Traced {
  readonly url: string;
  /** Resolves when the responses affected by the last mutation are purged. Undefined: purges are not awaited. */
  readonly purged?: ((id: string) => Promise<unknown>) | undefined;
  /** False: clients select only names, so responses and purges name no product. Default: true */
  readonly selectsIds?: boolean;
}

/** The counts of a trace's answers. */
export interface TraceResult {
  readonly reads: number;
  /** Answers from Varnish's cache. */
  readonly hits: number;
  /** The hits of an ideal cache, which drops only answers that have changed. */
  readonly perfect: number;
  /** Answers with outdated data. */
  readonly stale: number;
}

/** Sends requests for products one after the other, distributed by Zipf's law. 5 % are mutations, and 2 % of the reads are lists. */
export async function runTrace({ url, purged, selectsIds = true }: Traced, seed: number, requests: number): Promise<TraceResult> {
  const random = createRandom(seed);
  const selection = selectsIds ? '{ id name }' : '{ name }';
  const names = new Map<string, string>();
  const fresh = new Set<string>();
  let [reads, hits, perfect, stale] = [0, 0, 0, 0];
  for (let request = 0; request < requests; request++) {
    const { id, kind } = chooseRequest(random);
    if (kind === 'mutation') {
      const name = `name ${seed} ${request}`;
      await rename(url, { id: String(id), name }, selection);
      await purged?.(String(id));
      names.set(String(id), name);
      fresh.delete(`product ${id}`);
      if (id < productCount / 10) fresh.delete(`category ${id % 5}`);
      continue;
    }
    const key = kind === 'list' ? `category ${id % 5}` : `product ${id}`;
    const { isHit, shown } = await read(url, queryOf({ id, kind }, selection));
    reads++;
    if (isHit) hits++;
    if (fresh.has(key)) perfect++;
    fresh.add(key);
    // A list has every fifth product.
    const first = kind === 'list' ? id % 5 : id;
    const isStale = (name: string, at: number): boolean => (names.get(String(first + 5 * at)) ?? name) !== name;
    if (shown.some(isStale)) stale++;
  }
  return { reads, hits, perfect, stale };
}

/** Sends the given number of requests per second without waiting for earlier responses. Resolves after all responses. */
export async function runPacedTrace(url: string, seed: number, { requests, rate }: { requests: number; rate: number }): Promise<void> {
  const random = createRandom(seed);
  const begun = performance.now();
  const asked: Promise<unknown>[] = [];
  while (asked.length < requests) {
    const due = Math.min(requests, Math.ceil(((performance.now() - begun) * rate) / 1_000));
    while (asked.length < due) {
      const { id, kind } = chooseRequest(random);
      const name = `name ${seed} ${asked.length}`;
      const answered = kind === 'mutation' ? rename(url, { id: String(id), name }) : read(url, queryOf({ id, kind }));
      asked.push(answered);
    }
    await sleep(1);
  }
  await Promise.all(asked);
}

interface Choice {
  readonly kind: 'mutation' | 'list' | 'product';
  readonly id: number;
}

function chooseRequest(random: Random): Choice {
  // Samples from Zipf's distribution by its inverse.
  const id = Math.min(productCount - 1, Math.floor(productCount ** random.next()) - 1);
  if (random.chance(0.05)) return { id, kind: 'mutation' };
  return { id, kind: random.chance(0.02) ? 'list' : 'product' };
}

function queryOf({ id, kind }: Choice, selection = '{ id name }'): string {
  return kind === 'list' ? `{ category(name: ${id % 5}) ${selection} }` : `{ product(id: ${id}) ${selection} }`;
}

interface Product {
  readonly id: string;
  readonly name: string;
}

async function read(url: string, query: string): Promise<{ isHit: boolean; shown: readonly string[] }> {
  const response = await fetch(`${url}?query=${encodeURIComponent(query)}`);
  const { data } = (await response.json()) as { data: { product?: Product; category?: Product[] } };
  return { isHit: response.headers.get('x-cache') === 'hit', shown: (data.category ?? [data.product!]).map(({ name }) => name) };
}

async function rename(url: string, variables: Product, selection = '{ id name }'): Promise<void> {
  const body = JSON.stringify({ query: `mutation ($id: ID!, $name: String!) { rename(id: $id, name: $name) ${selection} }`, variables });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = await response.text();
  if (!answer.endsWith(`"name":"${variables.name}"}}}`)) throw new Error(`Expected the new name, got ${answer}.`);
}
