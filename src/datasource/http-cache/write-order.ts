import { isInMemory, liveStoreOf } from '../../cache/in-memory.ts';
import type { LiveValue } from '../../cache/in-memory.ts';
import type { KeyValueCache, Seconds, Milliseconds } from '../../cache/key-value-cache.ts';
import { createEntry, encodeEntry } from './cache-entry.ts';
import type { CacheEntry } from './cache-entry.ts';
import { readableKeyOf } from './cache-key.ts';
import { LiveEntry } from './live-entry.ts';
import { isWorkerd } from './sharing.ts';

/** An entry as a store has it: its text, or the value that a cache in memory has kept as it is. */
export type StoredForm = string | LiveValue;

/** Told apart from other users of the same cache. */
const prefix = 'httpcache:';

/** How many invalidated keys are remembered; the oldest are forgotten first. */
const maxRemembered = 1000;

/** Puts what happens in one millisecond in order: a delete, a set after it, the next delete. */
const tick: Milliseconds = 0.001;

/**
 * The changes of the store, in order: for each key a set never overtakes a delete that came first, nor the
 * other way round. And a memory of what was deleted: where the store has not heard of it, because it is down or
 * slow, entries from before are void in this process all the same.
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

  /** In memory keys are never read by people, and values never changed. */
  #storeKeyOf(key: string): string {
    return prefix + (this.#inMemory ? key : readableKeyOf(key));
  }

  /** The stored form of an entry: a promise only where the store is not in memory. */
  get(key: string): StoredForm | undefined | Promise<string | undefined> {
    const storeKey = this.#storeKeyOf(key);
    const live = this.#inMemory ? liveStoreOf(this.#store) : undefined;
    return live === undefined ? this.#store.get(storeKey) : live.get(storeKey);
  }

  /** True when an entry is from before the last write to its key. */
  isVoid(key: string, entry: CacheEntry): boolean {
    return this.#deletedAt.size > 0 && entry.head.sentAt <= (this.#deletedAt.get(key) ?? -Infinity);
  }

  /** Stores an entry whose request was sent after the last write to its key had ended, if only in the same millisecond. Undefined: done. */
  set(key: string, entry: CacheEntry, ttl: Seconds): Promise<void> | undefined {
    const valid = this.isVoid(key, entry) ? withSentAt(entry, this.#deletedAt.get(key)! + tick) : entry;
    const live = this.#inMemory ? liveStoreOf(this.#store) : undefined;
    if (live === undefined) return this.#setText(key, valid, ttl);
    live.set(this.#storeKeyOf(key), new LiveEntry(valid), { ttl });
    return undefined;
  }

  #setText(key: string, entry: CacheEntry, ttl: Seconds): Promise<void> {
    return this.#enqueue(key, () => this.#store.set(this.#storeKeyOf(key), encodeEntry(this.#inMemory ? undefined : key, entry), { ttl }));
  }

  delete(key: string, now: Milliseconds): Promise<boolean | void> {
    const deletedAt = Math.max(now, (this.#deletedAt.get(key) ?? -Infinity) + 2 * tick);
    this.#deletedAt.delete(key);
    this.#deletedAt.set(key, deletedAt);
    if (this.#deletedAt.size > maxRemembered) this.#deletedAt.delete(this.#deletedAt.keys().next().value!);
    return this.#enqueue(key, () => this.#store.delete(this.#storeKeyOf(key)));
  }

  #enqueue<T>(key: string, work: () => Promise<T>): Promise<T> {
    // Done when it is called.
    if (this.#inMemory) return work();
    const previous = isWorkerd() ? undefined : this.#last.get(key);
    // The store is guarded: it neither rejects nor waits beyond its deadline.
    const current = previous === undefined ? work() : previous.then(work);
    this.#last.set(key, current);
    void current.finally(() => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    });
    return current;
  }
}

function withSentAt({ head, headers, body }: CacheEntry, sentAt: Milliseconds): CacheEntry {
  return createEntry({ ...head, sentAt }, headers, body);
}
