import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** The methods of a store from `getStore` of @netlify/blobs that this class uses. */
export interface BlobStore {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** A KeyValueCache over Netlify Blobs. They do not expire, so the time of expiry is stored in front of the value. */
export class NetlifyBlobsCache implements KeyValueCache {
  readonly #getStore: () => BlobStore;

  /** Gets a new store for every access, because it contains a token that is different for each call of a function. */
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

/** A key of a blob is a path of at most 600 bytes. URLs may be longer. */
async function toBlobKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Buffer.from(digest).toString('hex');
}
