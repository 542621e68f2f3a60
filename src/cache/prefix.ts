import { isGuarded, listenToGuarded, markGuarded } from './guard.ts';
import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';

/** Puts a prefix before every key of another cache, so that two users of it do not meet. */
export class PrefixingKeyValueCache<TValue = string> implements KeyValueCache<TValue> {
  readonly #cache: KeyValueCache<TValue>;
  readonly #prefix: string;

  constructor(cache: KeyValueCache<TValue>, prefix: string) {
    this.#cache = cache;
    this.#prefix = prefix;
    if (isGuarded(cache)) markGuarded(this, (onError) => listenToGuarded(cache, onError));
  }

  get(key: string): Promise<TValue | undefined> {
    return this.#cache.get(this.#prefix + key);
  }

  set(key: string, value: TValue, options?: KeyValueCacheSetOptions): Promise<void> {
    return this.#cache.set(this.#prefix + key, value, options);
  }

  delete(key: string): Promise<boolean | void> {
    return this.#cache.delete(this.#prefix + key);
  }
}
