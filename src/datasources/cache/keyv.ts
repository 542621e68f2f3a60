import { GuardedCache, PrefixingKeyValueCache } from './guard.ts';
import type { GuardOptions } from './guard.ts';
import type { KeyValueCache } from './key-value-cache.ts';

/** An instance of Keyv 5 or 6, or any object with these methods. */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  /** `ttl` in milliseconds. */
  set(key: string, value: string, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  on?(event: 'error', listener: (error: unknown) => void): unknown;
}

/** Options of {@link KeyvAdapter}. */
export interface KeyvAdapterOptions extends GuardOptions {
  /** Prefix of all keys. Default: "graphql-functions:" */
  readonly prefix?: string | undefined;
}

/**
 * A cache in a Keyv, and so in every store that Keyv has an adapter for.
 * Its calls never fail and never take longer than the deadline. A server logs failures unless `onError` is set.
 *
 * @example
 * createHandler({ cache: new KeyvAdapter(new Keyv(new KeyvRedis(process.env.REDIS_URL))) });
 */
export class KeyvAdapter extends PrefixingKeyValueCache {
  constructor(keyv: KeyvLike, { prefix = 'graphql-functions:', ...options }: KeyvAdapterOptions = {}) {
    assertKeyv(keyv);
    const cache = new GuardedCache(toKeyValueCache(keyv), options);
    super(cache, prefix);
    // Without a listener, a dropped connection is an uncaught exception (Keyv 6 with Redis).
    keyv.on?.('error', (error) => cache.report(error));
  }
}

/** A URL or a Redis client would look like a store that is always down. */
function assertKeyv(keyv: unknown): void {
  const isObject = typeof keyv === 'object' && keyv !== null;
  const given = isObject ? (keyv as Readonly<Record<string, unknown>>) : {};
  if (['get', 'set', 'delete'].every((name) => typeof given[name] === 'function')) return;
  const got = isObject ? 'an object without get, set and delete' : String(keyv);
  throw new TypeError(`Expected KeyvAdapter to get a Keyv, for example new KeyvAdapter(new Keyv(new KeyvRedis(url))), got ${got}.`);
}

function toKeyValueCache(keyv: KeyvLike): KeyValueCache {
  return {
    get: (key) => keyv.get(key) as Promise<string | undefined>,
    async set(key, value, options) {
      const ttl = options?.ttl;
      // Redis refuses fractions of milliseconds, and Keyv 6 keeps a value with a negative TTL forever.
      await (ttl && ttl < 0 ? keyv.delete(key) : keyv.set(key, value, ttl ? Math.ceil(ttl * 1000) : undefined));
    },
    async delete(key) {
      return (await keyv.delete(key)) === true;
    },
  };
}
