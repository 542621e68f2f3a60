import { env } from 'cloudflare:workers';

import { createHandler } from '../../../../src/entries/fetch.ts';
import { WorkersKVCache } from '../../../../docs/examples/caching/workers-kv.ts';
import type { KVNamespace } from '../../../../docs/examples/caching/workers-kv.ts';
import { shopOver } from '../shop.ts';

const { CACHE, CATALOGUE } = env as { CACHE: KVNamespace; CATALOGUE: string };
const cache = new WorkersKVCache(CACHE);
const handler = createHandler(shopOver(cache, CATALOGUE));

/** Calls the cache directly, for limits that the shop does not reach. */
async function access({ op, key, value, ttl }: Record<string, any>): Promise<Response> {
  try {
    if (op === 'set') await cache.set(key, typeof value === 'number' ? 'x'.repeat(value) : value, { ttl });
    return Response.json({ value: (await cache.get(key)) ?? null });
  } catch (error) {
    return Response.json({ error: String(error) });
  }
}

export default {
  async fetch(request: Request, given: unknown, context: unknown): Promise<Response> {
    if (new URL(request.url).pathname === '/cache') return access((await request.json()) as Record<string, unknown>);
    return handler.fetch(request, given, context as object);
  },
};
