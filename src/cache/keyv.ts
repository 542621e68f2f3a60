import { guardCache, listenToGuarded, markGuarded } from './guard.ts';
import type { GuardOptions } from './guard.ts';
import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';

/** The methods of a Keyv that are used; an instance of Keyv 5 or 6, and anything else with these methods. */
export interface KeyvLike {
  get(key: string): Promise<unknown>;
  /** `ttl` in milliseconds. */
  set(key: string, value: string, ttl?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  on?(event: 'error', listener: (error: unknown) => void): unknown;
}

/** Options of {@link KeyvAdapter}. */
export interface KeyvAdapterOptions extends GuardOptions {
  /** Put before every key: Keyv 6 has no namespace of its own. Default: "graphql-functions:" */
  readonly prefix?: string | undefined;
}

/**
 * Makes a cache of a Keyv, and so of every store that Keyv has an adapter for.
 * Its calls never fail and never take longer than the deadline, whatever state the store is in. A server logs what
 * went wrong, unless `onError` is set.
 *
 * @example
 * createHandler({ cache: new KeyvAdapter(new Keyv(new KeyvRedis(process.env.REDIS_URL))) });
 */
export class KeyvAdapter implements KeyValueCache {
  readonly #cache: KeyValueCache;
  readonly #prefix: string;

  constructor(keyv: KeyvLike, { prefix = 'graphql-functions:', ...options }: KeyvAdapterOptions = {}) {
    assertKeyv(keyv);
    this.#cache = guardCache(toKeyValueCache(keyv), options);
    this.#prefix = prefix;
    let { onError } = options;
    markGuarded(this, (listener) => {
      onError ??= listener;
      listenToGuarded(this.#cache, listener);
    });
    // Without a listener, a dropped connection is an uncaught exception that ends the process (Keyv 6 and Redis).
    keyv.on?.('error', (error) => reportTo(onError, error));
  }

  get(key: string): Promise<string | undefined> {
    return this.#cache.get(this.#prefix + key);
  }

  set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    return this.#cache.set(this.#prefix + key, value, options);
  }

  delete(key: string): Promise<boolean | void> {
    return this.#cache.delete(this.#prefix + key);
  }
}

/** An address, or a client of Redis alone, would look like a store that is always down. */
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
      await keyv.set(key, value, toMilliseconds(options?.ttl));
    },
    async delete(key) {
      return (await keyv.delete(key)) === true;
    },
  };
}

/**
 * Positive whole milliseconds or nothing. Redis refuses a fraction and the value is silently not written; a negative
 * number makes Keyv 6 keep the value for ever.
 */
function toMilliseconds(ttl: number | null | undefined): number | undefined {
  return ttl !== undefined && ttl !== null && ttl > 0 ? Math.ceil(ttl * 1000) : undefined;
}

function reportTo(onError: GuardOptions['onError'], error: unknown): void {
  try {
    onError?.(error);
  } catch {
    // A listener's own mistake must not end the process from inside an event.
  }
}
