import { isInMemory, liveStoreOf } from '../cache/in-memory.ts';
import type { KeyValueCache, Seconds, Milliseconds } from '../cache/key-value-cache.ts';
import { CacheEntry, decodeEntry, encodeEntry, LiveEntry } from './cache-entry.ts';
import { readableKeyOf } from './cache-key.ts';

const prefix = 'httpcache:';

/** Limit of remembered invalidated keys. */
const maxRemembered = 1000;

/** On Cloudflare's workerd, fetches and timers end with their invocation, so an invocation must not wait for a promise of another. */
export function isWorkerd(): boolean {
  return 'WebSocketPair' in globalThis;
}

/**
 * Changes the store in order: the sets and deletes of a key never overtake each other. Remembers deleted keys, so that older entries
 * are invalid in this process even if the store is down or slow.
 */
export class WriteOrder {
  readonly #store: KeyValueCache;
  readonly #inMemory: boolean;
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #deletedAt = new Map<string, Milliseconds>();

  constructor(store: KeyValueCache) {
    this.#store = store;
    this.#inMemory = isInMemory(store);
  }

  #storeKeyOf(key: string): string {
    return prefix + (this.#inMemory ? key : readableKeyOf(key));
  }

  /** The stored entry; a promise unless the store is in memory. */
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined> {
    const storeKey = this.#storeKeyOf(key);
    const live = this.#inMemory ? liveStoreOf(this.#store) : undefined;
    if (live === undefined) return this.#store.get(storeKey).then((text) => this.#decode(storeKey, text));
    const stored = live.get(storeKey);
    return stored instanceof LiveEntry ? stored.open() : this.#decode(storeKey, stored?.toString());
  }

  #decode(storeKey: string, text: string | undefined): CacheEntry | undefined {
    return text === undefined ? undefined : decodeEntry(this.#inMemory ? undefined : storeKey, text);
  }

  /** True if the entry is older than the last write to its key. */
  isInvalidated(key: string, entry: CacheEntry): boolean {
    return this.#deletedAt.size > 0 && entry.head.sentAt <= (this.#deletedAt.get(key) ?? -Infinity);
  }

  /** Stores an entry whose request was sent after the last write to its key. Undefined: done. */
  set(key: string, { head, headers, body }: CacheEntry, ttl: Seconds): Promise<void> | undefined {
    // The entry is newer than the write, even in the same millisecond, or if the clock has been set back.
    const sentAt = Math.max(head.sentAt, (this.#deletedAt.get(key) ?? -Infinity) + 1);
    const entry = new CacheEntry({ ...head, sentAt }, headers, body);
    const live = this.#inMemory ? liveStoreOf(this.#store) : undefined;
    if (live === undefined) return this.#setText(key, entry, ttl);
    live.set(this.#storeKeyOf(key), new LiveEntry(entry), { ttl });
    return undefined;
  }

  #setText(key: string, entry: CacheEntry, ttl: Seconds): Promise<void> {
    const storeKey = this.#storeKeyOf(key);
    return this.#enqueue(key, () => this.#store.set(storeKey, encodeEntry(this.#inMemory ? undefined : storeKey, entry), { ttl }));
  }

  delete(key: string, now: Milliseconds): Promise<boolean | void> {
    const deletedAt = Math.max(now, (this.#deletedAt.get(key) ?? -Infinity) + 1);
    this.#deletedAt.delete(key);
    this.#deletedAt.set(key, deletedAt);
    if (this.#deletedAt.size > maxRemembered) this.#deletedAt.delete(this.#deletedAt.keys().next().value!);
    return this.#enqueue(key, () => this.#store.delete(this.#storeKeyOf(key)));
  }

  #enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#inMemory) return work();
    const previous = isWorkerd() ? undefined : this.#last.get(key);
    // The store is guarded, so it neither rejects nor hangs.
    const current = previous === undefined ? work() : previous.then(work);
    this.#last.set(key, current);
    void current.finally(() => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    });
    return current;
  }
}
