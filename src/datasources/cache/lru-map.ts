import type { Milliseconds } from './key-value-cache.ts';

/** The limits of an {@link LRUMap}. */
export interface LRULimits {
  /** Limit of the sizes of all values. */
  readonly maxSize: number;
  /** Default: Infinity */
  readonly maxEntries?: number;
  readonly now: () => Milliseconds;
}

interface Entry<TValue> {
  readonly value: TValue;
  readonly size: number;
  /** On the clock of `now`. Infinity: never. */
  readonly expires: Milliseconds;
}

/**
 * A Map that removes the least recently used values first. The package lru-cache would add 6 KB of gzip to every bundle, a fifth of
 * this package (npm run size).
 */
export class LRUMap<TValue> {
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry<TValue>>();
  readonly #limits: LRULimits;
  #size = 0;

  constructor(limits: LRULimits) {
    this.#limits = limits;
  }

  get(key: string): TValue | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expires !== Infinity && this.#limits.now() > entry.expires) {
      this.#size -= entry.size;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** A value larger than `maxSize` is not stored, but deletes the value it would replace. */
  set(key: string, value: TValue, { size, ttl }: { readonly size: number; readonly ttl: Milliseconds }): void {
    const { maxSize, maxEntries = Infinity, now } = this.#limits;
    this.delete(key);
    if (size > maxSize) return;
    this.#entries.set(key, { value, size, expires: ttl === Infinity ? Infinity : now() + ttl });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= maxSize && this.#entries.size <= maxEntries) return;
      this.delete(oldest);
    }
  }

  /** False if there was none. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#size -= entry.size;
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  /** The least recently used first. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}
