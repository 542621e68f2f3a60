import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** The methods of a memjs client that this class uses. */
export interface MemcachedClient {
  get(key: string): Promise<{ value: Uint8Array | null }>;
  set(key: string, value: string, options: { expires?: number }): Promise<boolean>;
  delete(key: string): Promise<boolean>;
}

/** Memcached interprets a larger number of seconds as a date. */
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

/** A key of memcached has at most 250 bytes and no spaces. URLs may be longer. */
async function toMemcachedKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Buffer.from(digest).toString('hex');
}
