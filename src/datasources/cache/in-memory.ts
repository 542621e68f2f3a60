import { markGuarded } from './guard.ts';
import type { KeyValueCache, KeyValueCacheSetOptions, Seconds } from './key-value-cache.ts';
import { LRUMap } from './lru-map.ts';

/** Options of {@link InMemoryLRUCache}. */
export interface InMemoryLRUCacheOptions {
  /** The limit of memory for keys, values and bookkeeping, in bytes. Default: 31457280 (30 MiB) */
  readonly maxSize?: number | undefined;
  /** The TTL of entries that are stored without one. Default: no expiry */
  readonly ttl?: Seconds | undefined;
  /** A clock in milliseconds. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

const defaultMaxSize = 30 * 1024 * 1024;

// Bytes of an entry in addition to its characters, as measured with a million small entries.
const entryOverhead = 240;

// Registered, because the ESM and the CommonJS build may be loaded in one process.
const inMemory = Symbol.for('graphql-functions.in-memory-cache');

/** True for caches in the memory of this process. */
export function isInMemory(cache: object): boolean {
  return inMemory in cache;
}

/** An immutable value that is stored without encoding. `get` returns its `toString()`. */
export interface LiveValue {
  /** The memory of the value, in bytes. */
  readonly size: number;
  toString(): string;
}

/** Access to an in-memory cache without promises and encoding. */
export interface LiveStore {
  get(key: string): string | LiveValue | undefined;
  set(key: string, value: LiveValue, options?: KeyValueCacheSetOptions): void;
}

/** Returns the store behind an `InMemoryLRUCache`. Returns undefined for other caches, and for subclasses that override a method, because the override must see every call. */
export function liveStoreOf(cache: object): LiveStore | undefined {
  const open = (cache as { [inMemory]?: unknown })[inMemory];
  return typeof open === 'function' ? (open as () => LiveStore | undefined)() : undefined;
}

/** Keeps texts in this process, up to a size; the least recently used are removed first. The default of `cache`, and `cache: "bounded"`. */
export class InMemoryLRUCache implements KeyValueCache {
  readonly #values: LRUMap<string | LiveValue>;
  readonly #ttl: number;

  constructor({ maxSize = defaultMaxSize, ttl, now = () => performance.now() }: InMemoryLRUCacheOptions = {}) {
    if (!(maxSize > 0)) throw new TypeError(`Expected maxSize to be a positive number of bytes, got ${maxSize}.`);
    this.#values = new LRUMap({ maxSize, now });
    this.#ttl = ttl !== undefined && ttl > 0 ? ttl * 1000 : Infinity;
    markGuarded(this);
    const live: LiveStore = { get: (key) => this.#values.get(key), set: (key, value, options) => this.#set(key, value, options) };
    const { get, set } = InMemoryLRUCache.prototype;
    Object.defineProperty(this, inMemory, { value: () => (this.get === get && this.set === set ? live : undefined) });
  }

  async get(key: string): Promise<string | undefined> {
    const value = this.#values.get(key);
    return value === undefined ? undefined : String(value);
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    this.#set(key, value, options);
  }

  async delete(key: string): Promise<boolean> {
    return this.#values.delete(key);
  }

  #set(key: string, value: string | LiveValue, options: KeyValueCacheSetOptions | undefined): void {
    const isText = typeof value === 'string';
    const size = bytesOf(key) + (isText ? bytesOf(value) : value.size) + entryOverhead;
    const ttl = options?.ttl ? options.ttl * 1000 : this.#ttl;
    this.#values.set(copyText(key), isText ? copyText(value) : value, { size, ttl });
  }
}

/** Returns the memory of a text: V8 stores one byte per character, or two if any character needs two. */
export function bytesOf(text: string): number {
  // oxlint-disable-next-line no-control-regex
  return /[^\u0000-\u00ff]/.test(text) ? text.length * 2 : text.length;
}

/**
 * Copies a string. A slice of a string (or a regular expression's match) keeps the whole string in memory. V8 already copies slices
 * shorter than 13 characters; `join` copies both halves.
 */
export function copyText(text: string): string {
  if (text.length < 13) return text;
  const middle = text.length >> 1;
  return [text.slice(0, middle), text.slice(middle)].join('');
}
