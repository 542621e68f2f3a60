import { decodeEntry } from './cache-entry.ts';
import type { CacheEntry } from './cache-entry.ts';

// A hundred texts of at most 8 KiB, and what was parsed out of them: a few MiB at the most.
const maxEntries = 100;
const maxLength = 8192;

/**
 * Entries that were decoded lately. The store is asked all the same; this only saves reading the same text
 * again, which is half of what a cache hit takes.
 */
export class RecentEntries {
  readonly #recent = new Map<string, { readonly text: string; readonly entry: CacheEntry | undefined }>();

  readonly #inMemory: boolean;

  /** `inMemory`: the store is part of this process, and its entries have no checksum. */
  constructor(inMemory: boolean) {
    this.#inMemory = inMemory;
  }

  decode(key: string, text: string): CacheEntry | undefined {
    const known = this.#recent.get(key);
    if (known?.text === text) return known.entry;

    const entry = decodeEntry(this.#inMemory ? undefined : key, text);
    if (this.#recent.size >= maxEntries) this.#recent.clear();
    if (text.length <= maxLength) this.#recent.set(key, { text, entry });
    else this.#recent.delete(key);
    return entry;
  }
}
