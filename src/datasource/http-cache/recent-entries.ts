import { BoundedMemo } from '../../cache/bounded-memo.ts';
import { decodeEntry } from './cache-entry.ts';
import type { CacheEntry } from './cache-entry.ts';

/** Of a text: a hundred of them, and what was parsed out of them, are a few MiB at the most. */
const maxLength = 8192;

/**
 * Entries that were decoded lately. The store is asked all the same; this only saves reading the same text
 * again, which is half of what a cache hit takes.
 */
export class RecentEntries {
  readonly #recent = new BoundedMemo<{ readonly text: string; readonly entry: CacheEntry | undefined }>({ maxEntries: 100 });

  readonly #inMemory: boolean;

  /** `inMemory`: the store is part of this process, and its entries have no checksum. */
  constructor(inMemory: boolean) {
    this.#inMemory = inMemory;
  }

  decode(key: string, text: string): CacheEntry | undefined {
    const known = this.#recent.get(key);
    if (known?.text === text) return known.entry;

    const entry = decodeEntry(this.#inMemory ? undefined : key, text);
    if (text.length <= maxLength) this.#recent.set(key, { text, entry });
    else this.#recent.delete(key);
    return entry;
  }
}
