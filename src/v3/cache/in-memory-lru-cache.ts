import { LRUMap } from '../../datasources/index.ts';
import type { KeyValueCacheSetOptions, LRULimits } from '../../datasources/index.ts';

/** The options of lru-cache 7 that version 3's cache took. */
export interface LRUOptions<T> {
  /** The sizes of all values together. Default: 30 × 2^20. */
  readonly maxSize?: number;
  /** How many values. Default: any number. */
  readonly max?: number;
  /** Milliseconds that a value is kept when it is set without a lifetime. Default: 0, as long as there is room. */
  readonly ttl?: number;
  /** Default: the length of a text, the bytes of an object as JSON, else 1. */
  readonly sizeCalculation?: (value: T, key: string) => number;
}

/** A cache in memory for values of any kind, which drops the least recently used. */
export class InMemoryLRUCache<T = string> {
  readonly #limits: LRULimits;
  #values: LRUMap<T>;
  readonly #ttl: number;
  readonly #sizeOf: (value: T, key: string) => number;

  constructor({ maxSize = 30 * 2 ** 20, max = Infinity, ttl = 0, sizeCalculation }: LRUOptions<T> = {}) {
    this.#limits = { maxSize, maxEntries: max, now: () => Date.now() };
    this.#values = new LRUMap(this.#limits);
    this.#ttl = ttl;
    this.#sizeOf = sizeCalculation ?? ((value) => InMemoryLRUCache.sizeCalculation(value));
  }

  static sizeCalculation(item: unknown): number {
    if (typeof item === 'string') return item.length;
    return typeof item === 'object' ? new TextEncoder().encode(JSON.stringify(item)).byteLength : 1;
  }

  async set(key: string, value: T, options?: KeyValueCacheSetOptions): Promise<void> {
    const ttl = options?.ttl ? options.ttl * 1000 : this.#ttl;
    this.#values.set(key, value, { size: this.#sizeOf(value, key), ttl: ttl > 0 ? ttl : Infinity });
  }

  async get(key: string): Promise<T | undefined> {
    return this.#values.get(key);
  }

  async delete(key: string): Promise<boolean> {
    return this.#values.delete(key);
  }

  clear(): void {
    this.#values = new LRUMap(this.#limits);
  }

  /** The most recently used first. */
  keys(): string[] {
    const keys: string[] = [];
    for (let entry = this.#values.oldest; entry !== undefined; entry = entry.newer) keys.push(entry.key);
    return keys.toReversed();
  }
}
