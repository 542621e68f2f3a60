import type { Milliseconds } from './key-value-cache.ts';

/** The limits of an {@link LRUMap}. */
export interface LRULimits {
  /** Limit of the sizes of all values. */
  readonly maxSize: number;
  /** Default: Infinity */
  readonly maxEntries?: number;
  readonly now: () => Milliseconds;
}

/** An entry, and its neighbors in the order of use. */
interface Entry<TValue> {
  readonly key: string;
  readonly value: TValue;
  readonly size: number;
  /** When the entry expires, on the clock of `now`. Infinity: never. */
  readonly expires: Milliseconds;
  older: Entry<TValue> | undefined;
  newer: Entry<TValue> | undefined;
}

/**
 * A Map that removes the least recently used values first. The package lru-cache would add 6 KB of gzip to every bundle, a fifth of
 * this package (npm run size).
 *
 * The order is a linked list: the order of a Map would do, but V8 finds its first key by passing over all that were deleted before it,
 * which took half of a miss with a full cache.
 */
export class LRUMap<TValue> {
  readonly #entries = new Map<string, Entry<TValue>>();
  readonly #limits: LRULimits;
  #oldest: Entry<TValue> | undefined;
  #newest: Entry<TValue> | undefined;
  #size = 0;

  constructor(limits: LRULimits) {
    this.#limits = limits;
  }

  get(key: string): TValue | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expires !== Infinity && this.#limits.now() > entry.expires) {
      this.#remove(entry);
      return undefined;
    }
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** A value that is larger than `maxSize`, or has a negative `ttl`, is not stored, but deletes the value it would replace. */
  set(key: string, value: TValue, { size, ttl }: { readonly size: number; readonly ttl: Milliseconds }): void {
    const { maxSize, maxEntries = Infinity, now } = this.#limits;
    this.delete(key);
    if (size > maxSize || ttl < 0) return;
    const entry = { key, value, size, expires: ttl === Infinity ? Infinity : now() + ttl, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#size += size;
    while (this.#size > maxSize || this.#entries.size > maxEntries) this.#remove(this.#oldest!);
  }

  /** Deletes a value. Returns false if there was none. */
  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(entry);
    return entry !== undefined;
  }

  /** The least recently used entry; `newer` leads to the others. */
  get oldest(): Pick<Entry<TValue>, 'key' | 'newer'> | undefined {
    return this.#oldest;
  }

  #remove(entry: Entry<TValue>): void {
    this.#entries.delete(entry.key);
    this.#unlink(entry);
    this.#size -= entry.size;
  }

  #append(entry: Entry<TValue>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<TValue>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
