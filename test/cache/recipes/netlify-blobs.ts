import type { KeyValueCache, KeyValueCacheSetOptions } from '../../../src/cache/key-value-cache.ts';

/** What we need of a store of Netlify Blobs: `getStore('graphql-cache')` of @netlify/blobs has it. */
export interface BlobStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** A KeyValueCache over Netlify Blobs. They do not expire by themselves, so the time is kept in front of the value. */
export class NetlifyBlobsCache implements KeyValueCache {
  readonly #store: BlobStore;

  constructor(store: BlobStore) {
    this.#store = store;
  }

  async get(key: string): Promise<string | undefined> {
    const blob = await this.#store.get(await toBlobKey(key));
    if (blob === null) return undefined;
    const end = blob.indexOf('\n');
    return Date.now() < Number(blob.slice(0, end)) ? blob.slice(end + 1) : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? Date.now() + options.ttl * 1000 : Infinity;
    await this.#store.set(await toBlobKey(key), `${expires}\n${value}`);
  }

  async delete(key: string): Promise<void> {
    await this.#store.delete(await toBlobKey(key));
  }
}

/** A blob's key is a path of at most 600 bytes; URLs are longer. */
async function toBlobKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Buffer.from(digest).toString('hex');
}
