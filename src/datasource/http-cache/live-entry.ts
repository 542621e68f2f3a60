import { JSONResult } from '../call-result.ts';
import { bytesOf } from '../../cache/in-memory.ts';
import type { LiveValue } from '../../cache/in-memory.ts';
import { ownCopy } from '../../cache/bounded-memo.ts';
import { encodeEntry, textOf } from './cache-entry.ts';
import type { CacheEntry, EntryHead } from './cache-entry.ts';

/** The memory of an entry beside its texts, in bytes: this object, the head, the times. 20,000 entries took 350 each, 430 with Vary. */
const overhead = 440;

/**
 * A stored response as a cache in memory keeps it. Its body stays the text that was decoded: one text for entry and
 * cache, where writing the whole entry as a text copied a body three times, half of what a miss of 200 KB took.
 */
export class LiveEntry implements LiveValue {
  readonly size: number;
  readonly #head: EntryHead;
  /** As JSON: a few calls only look at them, and the text of each might hold on to a larger one that it was cut from. */
  readonly #headers: string;
  readonly #body: string | Uint8Array;

  constructor({ head, headers, body }: CacheEntry) {
    this.#head = Object.freeze({ ...head, contentType: head.contentType && ownCopy(head.contentType), vary: ownCopies(head.vary) });
    this.#headers = JSON.stringify(headers);
    // Bytes belong to the function that fetched them, which may use their memory again. Not slice(): a Buffer's shares it.
    this.#body = typeof body === 'string' ? body : new Uint8Array(body);
    this.size = overhead + sizeOf(this.#head) + bytesOf(this.#headers) + (typeof body === 'string' ? bytesOf(body) : body.byteLength);
  }

  /** The entry, to be read. */
  open(): CacheEntry {
    const [head, headers, body] = [this.#head, this.#headers, this.#body];
    let result: JSONResult | undefined;
    return {
      head,
      get headers(): CacheEntry['headers'] {
        return JSON.parse(headers) as CacheEntry['headers'];
      },
      body,
      toJSONResult: () => (result ??= new JSONResult(textOf(body))),
    };
  }

  /** The text of an entry in any other store, for a reader of the cache that is not this library. */
  toString(): string {
    return encodeEntry(undefined, this.open());
  }
}

/** The texts in a head that may be long: an origin, or a client, chooses them. */
function sizeOf({ statusText, contentType, vary }: EntryHead): number {
  let size = statusText.length + (contentType?.length ?? 0);
  for (const name in vary) size += name.length + (vary[name]?.length ?? 0);
  return size;
}

function ownCopies(vary: EntryHead['vary']): EntryHead['vary'] {
  for (const _name in vary) return Object.fromEntries(Object.entries(vary).map(([name, value]) => [name, value && ownCopy(value)]));
  return vary;
}
