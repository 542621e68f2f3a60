/** A number of milliseconds; as a time, since 1970. */
export type Milliseconds = number;

/** A number of seconds. */
export type Seconds = number;

/** Options of {@link KeyValueCache.set}. */
export interface KeyValueCacheSetOptions {
  /** How long the entry may be used. Unset, null or 0: no expiry. Negative: not stored. */
  readonly ttl?: Seconds | null;
}

/** A key-value store for the `cache` option, which data sources keep responses in. */
export interface KeyValueCache<TValue = string> {
  /** The value, or undefined. */
  get(key: string): Promise<TValue | undefined>;
  /** Stores or replaces a value. Resolves when it is stored. */
  set(key: string, value: TValue, options?: KeyValueCacheSetOptions): Promise<void>;
  /** Resolves when the entry is deleted; false if the store knows that there was none. */
  delete(key: string): Promise<boolean | void>;
}
