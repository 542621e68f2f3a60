import type { KeyValueCache, KeyValueCacheSetOptions } from '../../../../src/datasources/cache/key-value-cache.ts';

/** What we need of a memcached client; memjs has it. */
export interface MemcachedClient {
  get(key: string): Promise<{ value: Uint8Array | null }>;
  set(key: string, value: string, options: { expires?: number }): Promise<boolean>;
  delete(key: string): Promise<boolean>;
}

/** From here on memcached takes a number of seconds for a date. */
const longest = 30 * 24 * 3600;

/** A KeyValueCache over memcached. */
export class MemcachedCache implements KeyValueCache {
  readonly #client: MemcachedClient;

  constructor(client: MemcachedClient) {
    this.#client = client;
  }

  async get(key: string): Promise<string | undefined> {
    const { value } = await this.#client.get(await toMemcachedKey(key));
    return value === null ? undefined : new TextDecoder().decode(value);
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? Math.min(Math.ceil(options.ttl), longest) : undefined;
    await this.#client.set(await toMemcachedKey(key), value, expires === undefined ? {} : { expires });
  }

  async delete(key: string): Promise<boolean> {
    return this.#client.delete(await toMemcachedKey(key));
  }
}

/** Memcached's keys have at most 250 bytes and no blanks; URLs are longer. */
async function toMemcachedKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Buffer.from(digest).toString('hex');
}
