import type { KeyValueCache, KeyValueCacheSetOptions } from 'graphql-functions';

/** The methods of a KV namespace that this class uses. */
export interface KVNamespace {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options: { expirationTtl?: number }): Promise<void>;
  delete(key: string): Promise<void>;
}

/** A KeyValueCache over Workers KV. KV keeps values for at least a minute, so the exact time is stored in front of the value. */
export class WorkersKVCache implements KeyValueCache {
  readonly #namespace: KVNamespace;

  constructor(namespace: KVNamespace) {
    this.#namespace = namespace;
  }

  async get(key: string): Promise<string | undefined> {
    const entry = await this.#namespace.get(await toKVKey(key));
    if (entry === null) return undefined;
    const end = entry.indexOf('\n');
    return Date.now() < Number(entry.slice(0, end)) ? entry.slice(end + 1) : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const expires = options?.ttl ? Date.now() + options.ttl * 1000 : Infinity;
    const expiration = options?.ttl ? { expirationTtl: Math.max(60, Math.ceil(options.ttl)) } : {};
    await this.#namespace.put(await toKVKey(key), `${expires}\n${value}`, expiration);
  }

  async delete(key: string): Promise<void> {
    await this.#namespace.delete(await toKVKey(key));
  }
}

/** A key of KV has at most 512 bytes. URLs may be longer. */
async function toKVKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
