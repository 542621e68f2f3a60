import { LRUCache } from 'lru-cache';
import { markGuarded } from './guard.ts';
import type { KeyValueCache, KeyValueCacheSetOptions, Seconds } from './key-value-cache.ts';

/** Options of {@link InMemoryLRUCache}. */
export interface InMemoryLRUCacheOptions {
  /** The memory that keys, values and bookkeeping may take, in bytes. Default: 31457280 (30 MiB) */
  readonly maxSize?: number | undefined;
  /** For entries that are set without one. Default: no expiry */
  readonly ttl?: Seconds | undefined;
  /** The time, in milliseconds from any point. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

const DEFAULT_MAX_SIZE = 30 * 1024 * 1024;

// What an entry takes beside its characters: two string headers, a slot in the Map, and lru-cache's lists.
// Measured with bench/memory-lru.ts, which fills a cache with 1,000,000 tiny entries and looks at the heap.
const ENTRY_OVERHEAD = 240;

/**
 * Keeps texts in this process, and the least recently used ones go first. What `cache: "bounded"` means,
 * and what a server without the `cache` option has.
 */
export class InMemoryLRUCache implements KeyValueCache {
  readonly #entries: LRUCache<string, string>;

  constructor({ maxSize = DEFAULT_MAX_SIZE, ttl, now }: InMemoryLRUCacheOptions = {}) {
    this.#entries = new LRUCache<string, string>({
      maxSize,
      sizeCalculation: sizeOf,
      ttl: toMilliseconds(ttl),
      // 0: look at the clock every time. Otherwise lru-cache keeps the time for a millisecond by setting a timer.
      ttlResolution: 0,
      ...(now === undefined ? {} : { perf: { now } }),
    });
    markGuarded(this);
  }

  async get(key: string): Promise<string | undefined> {
    return this.#entries.get(key);
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const ttl = options?.ttl;
    this.#entries.set(key, value, ttl ? { ttl: toMilliseconds(ttl) } : undefined);
  }

  async delete(key: string): Promise<boolean> {
    return this.#entries.delete(key);
  }
}

function sizeOf(value: string, key: string): number {
  return bytesOf(key) + bytesOf(value) + ENTRY_OVERHEAD;
}

/** V8 keeps a text in one byte per character until one of them needs two. */
function bytesOf(text: string): number {
  return /[^\u0000-\u00ff]/.test(text) ? text.length * 2 : text.length;
}

/** lru-cache wants whole positive milliseconds; 0 is its word for "no expiry". */
function toMilliseconds(ttl: Seconds | undefined): number {
  return ttl === undefined || !(ttl > 0) ? 0 : Math.ceil(ttl * 1000);
}
