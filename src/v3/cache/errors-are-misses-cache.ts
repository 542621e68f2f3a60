import type { KeyValueCacheSetOptions } from '../../datasources/index.ts';

/** A key-value cache for values of any type. */
export interface KeyValueCacheOf<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T, options?: KeyValueCacheSetOptions): Promise<void>;
  delete(key: string): Promise<boolean | void>;
}

/** A cache whose failed reads count as misses and are logged. */
export class ErrorsAreMissesCache<T = string> implements KeyValueCacheOf<T> {
  readonly #cache: KeyValueCacheOf<T>;
  readonly #logger: { error(message: unknown): void } | undefined;

  constructor(cache: KeyValueCacheOf<T>, logger?: { error(message: unknown): void }) {
    this.#cache = cache;
    this.#logger = logger;
  }

  async get(key: string): Promise<T | undefined> {
    try {
      return await this.#cache.get(key);
    } catch (error) {
      this.#logger?.error(error instanceof Error ? error.message : error);
      return undefined;
    }
  }

  async set(key: string, value: T, options?: KeyValueCacheSetOptions): Promise<void> {
    return this.#cache.set(key, value, options);
  }

  async delete(key: string): Promise<boolean | void> {
    return this.#cache.delete(key);
  }
}
