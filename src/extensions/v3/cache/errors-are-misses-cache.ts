import type { KeyValueCacheSetOptions } from '../../../cache/key-value-cache.ts';

/** A store of values of any kind. */
export interface KeyValueCacheOf<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T, options?: KeyValueCacheSetOptions): Promise<void>;
  delete(key: string): Promise<boolean | void>;
}

/** A cache whose failures to read count as having nothing. They are logged, if there is a logger. */
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
