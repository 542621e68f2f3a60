import { BoundedMemo } from '../cache/bounded-memo.ts';
import { decodeEntry } from './cache-entry.ts';
import type { CacheEntry } from './cache-entry.ts';
import { LiveEntry } from './live-entry.ts';
import type { StoredForm } from './write-order.ts';

/** Limit of an entry, in bytes. */
const maxSize = 8192;

/** Recently decoded entries. The store is still read, but an unchanged entry is not decoded again, which takes half of a cache hit. */
export class RecentEntries {
  readonly #recent = new BoundedMemo<{ readonly stored: StoredForm; readonly entry: CacheEntry | undefined }>({ maxEntries: 100 });

  readonly #inMemory: boolean;

  /** `inMemory`: the entries have no checksum. */
  constructor(inMemory: boolean) {
    this.#inMemory = inMemory;
  }

  read(key: string, stored: StoredForm): CacheEntry | undefined {
    const known = this.#recent.get(key);
    if (known?.stored === stored) return known.entry;

    const entry = stored instanceof LiveEntry ? stored.open() : decodeEntry(this.#inMemory ? undefined : key, String(stored));
    if (sizeOf(stored) <= maxSize) this.#recent.set(key, { stored, entry });
    else this.#recent.delete(key);
    return entry;
  }
}

function sizeOf(stored: StoredForm): number {
  return typeof stored === 'string' ? stored.length : stored.size;
}
