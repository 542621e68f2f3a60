import { markGuarded } from './guard.ts';
import type { KeyValueCache, KeyValueCacheSetOptions, Seconds } from './key-value-cache.ts';
import { ownCopy } from './bounded-memo.ts';

/** Options of {@link InMemoryLRUCache}. */
export interface InMemoryLRUCacheOptions {
  /** The memory that keys, values and bookkeeping may take, in bytes. Default: 31457280 (30 MiB) */
  readonly maxSize?: number | undefined;
  /** For entries that are set without one. Default: no expiry */
  readonly ttl?: Seconds | undefined;
  /** The time, in milliseconds from any point. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

const defaultMaxSize = 30 * 1024 * 1024;

// The size of an entry in addition to its characters: two string headers, a slot in the Map, and the object below. Measured with
// bench/memory-lru.ts, which fills a cache with 1,000,000 tiny entries and looks at the heap.
const entryOverhead = 240;

// Registered, not private to this module: the ESM and the CommonJS build may meet in one process.
const inMemory = Symbol.for('graphql-functions.in-memory-cache');

/** True when what a cache holds never leaves the memory of the process. */
export function isInMemory(cache: object): boolean {
  return inMemory in cache;
}

/** A value that is kept as it is. Nothing of it may ever change. A reader that expects a text is given `toString()`. */
export interface LiveValue {
  /** The memory that it takes, in bytes. */
  readonly size: number;
  toString(): string;
}

/** The direct way into a cache in memory: without promises, and for values that need not become texts. */
export interface LiveStore {
  get(key: string): string | LiveValue | undefined;
  set(key: string, value: LiveValue, options?: KeyValueCacheSetOptions): void;
}

/** Undefined for other caches, and where a method has been overridden: a subclass or a test double is to see every call. */
export function liveStoreOf(cache: object): LiveStore | undefined {
  const open = (cache as { [inMemory]?: unknown })[inMemory];
  return typeof open === 'function' ? (open as () => LiveStore | undefined)() : undefined;
}

interface Entry {
  readonly value: string | LiveValue;
  readonly size: number;
  /** On the clock of `now`. Infinity: never. */
  readonly expires: number;
}

/**
 * Keeps texts in this process, and the least recently used ones go first. What `cache: "bounded"` means,
 * and what a server without the `cache` option has.
 *
 * A Map that keeps its order of insertion is all it needs. The package lru-cache, which does much more, would add 6 KB
 * of gzip to every bundle, a fifth of what this package weighs (npm run size).
 */
export class InMemoryLRUCache implements KeyValueCache {
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #maxSize: number;
  readonly #ttl: number;
  readonly #now: () => number;
  #size = 0;

  constructor({ maxSize = defaultMaxSize, ttl, now = () => performance.now() }: InMemoryLRUCacheOptions = {}) {
    if (!(maxSize > 0)) throw new TypeError(`Expected maxSize to be a positive number of bytes, got ${maxSize}.`);
    this.#maxSize = maxSize;
    this.#ttl = toMilliseconds(ttl);
    this.#now = now;
    markGuarded(this);
    const live: LiveStore = { get: (key) => this.#get(key), set: (key, value, options) => this.#set(key, value, options) };
    const { get, set } = InMemoryLRUCache.prototype;
    Object.defineProperty(this, inMemory, { value: () => (this.get === get && this.set === set ? live : undefined) });
  }

  async get(key: string): Promise<string | undefined> {
    const value = this.#get(key);
    return value === undefined ? undefined : String(value);
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    this.#set(key, value, options);
  }

  async delete(key: string): Promise<boolean> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#remove(key, entry);
    return true;
  }

  #get(key: string): Entry['value'] | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires !== Infinity && this.#now() > entry.expires) {
      this.#remove(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  #set(key: string, value: Entry['value'], options: KeyValueCacheSetOptions | undefined): void {
    const old = this.#entries.get(key);
    if (old !== undefined) this.#remove(key, old);
    const size = bytesOf(key) + (typeof value === 'string' ? bytesOf(value) : value.size) + entryOverhead;
    if (size > this.#maxSize) return;
    const ttl = options?.ttl ? toMilliseconds(options.ttl) : this.#ttl;
    const kept = typeof value === 'string' ? ownCopy(value) : value;
    this.#entries.set(ownCopy(key), { value: kept, size, expires: ttl === Infinity ? Infinity : this.#now() + ttl });
    this.#size += size;
    this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#size <= this.#maxSize) return;
      this.#remove(key, entry);
    }
  }

  #remove(key: string, { size }: Entry): void {
    this.#entries.delete(key);
    this.#size -= size;
  }
}

/** The memory of a text. V8 keeps a text in one byte per character until one of them needs two. */
export function bytesOf(text: string): number {
  return /[^\u0000-\u00ff]/.test(text) ? text.length * 2 : text.length;
}

/** No positive number of seconds means no expiry. */
function toMilliseconds(ttl: Seconds | undefined): number {
  return ttl === undefined || !(ttl > 0) ? Infinity : ttl * 1000;
}
