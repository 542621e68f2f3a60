/** A number of milliseconds; as a time, those since 1970. */
export type Milliseconds = number;

/** A number of seconds. */
export type Seconds = number;

/** Options of {@link KeyValueCache.set}. */
export interface KeyValueCacheSetOptions {
  /** How long the entry may be used. Unset, null or 0: no expiry. */
  readonly ttl?: Seconds | null;
}

/**
 * A store of texts by key: what `cache` takes, and what data sources keep their responses in.
 * Any object with these three methods will do.
 */
export interface KeyValueCache<TValue = string> {
  /** The value, or undefined when there is none. */
  get(key: string): Promise<TValue | undefined>;
  /** Keeps a value under a key, in place of the one before. Resolves when it is kept. */
  set(key: string, value: TValue, options?: KeyValueCacheSetOptions): Promise<void>;
  /** Resolves when the entry is gone; false where the store can tell that there was none. */
  delete(key: string): Promise<boolean | void>;
}
