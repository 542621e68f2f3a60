import type { KeyValueCache, KeyValueCacheSetOptions } from '../../../cache/key-value-cache.ts';

/** Milliseconds that a call of the store may take, and for which the store is left alone after a failed or slow call. */
const deadline = 250;
const cooldown = 1_000;

/** A cache whose calls never fail and never wait long: a slow, broken or missing store counts as empty. */
export class QuietCache {
  readonly #cache: KeyValueCache;
  readonly #prefix: string;
  #restUntil = 0;

  constructor(cache: KeyValueCache, prefix: string) {
    this.#cache = cache;
    this.#prefix = prefix;
  }

  async get(key: string): Promise<string | undefined> {
    const value: unknown = await this.#call(() => this.#cache.get(this.#prefix + key));
    return typeof value === 'string' ? value : undefined;
  }

  async set(key: string, value: string, options: KeyValueCacheSetOptions): Promise<void> {
    // A value that is refused for its size does not mean that the store is down.
    await this.#call(() => this.#cache.set(this.#prefix + key, value, options).catch(() => undefined));
  }

  async #call<T>(call: () => Promise<T>): Promise<T | undefined> {
    if (Date.now() < this.#restUntil) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('The store is too slow.')), deadline);
    });
    try {
      return await Promise.race([call(), late]);
    } catch {
      this.#restUntil = Date.now() + cooldown;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
