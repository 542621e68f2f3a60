import type { KeyValueCache, KeyValueCacheSetOptions } from '../../../../src/datasources/cache/key-value-cache.ts';

/** The methods of a store of Netlify Blobs that are used; those of `getStore` of @netlify/blobs. */
export interface BlobStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** A KeyValueCache over Netlify Blobs. They do not expire by themselves, so the time stands in front of the value. */
export class NetlifyBlobsCache implements KeyValueCache {
  readonly #getStore: () => BlobStore;

  /** The store is got anew for every access: it holds a token, and Netlify gives each call of a function its own. */
  constructor(getStore: () => BlobStore) {
    this.#getStore = getStore;
  }

  async get(key: string): Promise<string | undefined> {
    const blob = await this.#getStore().get(await toBlobKey(key));
    if (blob === null) return undefined;
    const end = blob.indexOf('\n');
    return Date.now() < Number(blob.slice(0, end)) ? blob.slice(end + 1) : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? Date.now() + options.ttl * 1000 : Infinity;
    await this.#getStore().set(await toBlobKey(key), `${expires}\n${value}`);
  }

  async delete(key: string): Promise<void> {
    await this.#getStore().delete(await toBlobKey(key));
  }
}

/** A blob's key is a path of at most 600 bytes; URLs are longer. */
async function toBlobKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Buffer.from(digest).toString('hex');
}
