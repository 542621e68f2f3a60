import type { KeyValueCacheSetOptions } from '../../../cache/key-value-cache.ts';

/** The options of lru-cache 7 that version 3's cache was given. */
export interface LRUOptions<T> {
  /** The sizes of all values together. Default: 30 × 2^20. */
  readonly maxSize?: number;
  /** How many values. Default: any number. */
  readonly max?: number;
  /** Milliseconds that a value lives when it is set without a lifetime. Default: 0, as long as there is room. */
  readonly ttl?: number;
  /** Default: the length of a text, the bytes of an object as JSON, else 1. */
  readonly sizeCalculation?: (value: T, key: string) => number;
}

interface Entry<T> {
  readonly value: T;
  readonly size: number;
  readonly expires: number;
}

/** A cache in memory that drops what was not used for longest. */
export class InMemoryLRUCache<T = string> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: Required<LRUOptions<T>>;
  #size = 0;

  constructor(options: LRUOptions<T> = {}) {
    this.#options = {
      maxSize: 30 * 2 ** 20,
      max: Infinity,
      ttl: 0,
      sizeCalculation: (value) => InMemoryLRUCache.sizeCalculation(value),
      ...options,
    };
  }

  static sizeCalculation(item: unknown): number {
    if (typeof item === 'string') return item.length;
    return typeof item === 'object' ? new TextEncoder().encode(JSON.stringify(item)).byteLength : 1;
  }

  async set(key: string, value: T, options?: KeyValueCacheSetOptions): Promise<void> {
    const { maxSize, max, ttl, sizeCalculation } = this.#options;
    const lifetime = options?.ttl ? options.ttl * 1000 : ttl;
    const size = sizeCalculation(value, key);
    this.#drop(key);
    if (size > maxSize) return;
    this.#entries.set(key, { value, size, expires: lifetime > 0 ? Date.now() + lifetime : Infinity });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= maxSize && this.#entries.size <= max) break;
      this.#drop(oldest);
    }
  }

  async get(key: string): Promise<T | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires <= Date.now()) {
      this.#drop(key);
      return undefined;
    }
    // A Map keeps the order of insertion: the first key is the one not used for longest.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  async delete(key: string): Promise<boolean> {
    return this.#drop(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  /** The last used first. */
  keys(): string[] {
    return [...this.#entries.keys()].toReversed();
  }

  #drop(key: string): boolean {
    const entry = this.#entries.get(key);
    this.#size -= entry?.size ?? 0;
    return this.#entries.delete(key);
  }
}
