import { bytesOf, copyText } from '../cache/in-memory.ts';
import type { LiveValue } from '../cache/in-memory.ts';
import type { StorageTerms } from './freshness.ts';
import type { RequestSelection } from './request-identity.ts';
import type { HeaderRecord } from './stored-headers.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** The metadata of a stored response. The URL is not included, because it may contain an API key that `cacheKeyFor` leaves out. */
export interface EntryHead extends Omit<StorageTerms, 'audience' | 'keepFor'>, RequestSelection {
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string | null;
  /** When the request was sent; a later write invalidates the entry. */
  readonly sentAt: Milliseconds;
  /** When the response was received. */
  readonly storedAt: Milliseconds;
}

/** A stored response, or one to store. */
export class CacheEntry {
  readonly head: EntryHead;
  /** Text if the bytes are valid UTF-8, else the bytes. */
  readonly body: string | Uint8Array;
  #headers: HeaderRecord | string;

  /**
   * `headers`: all fields except Set-Cookie and those about the connection or the encoding. As JSON, they are parsed when they are first
   * read.
   */
  constructor(head: EntryHead, headers: HeaderRecord | string, body: string | Uint8Array) {
    this.head = head;
    this.body = body;
    this.#headers = headers;
  }

  get headers(): HeaderRecord {
    if (typeof this.#headers === 'string') this.#headers = JSON.parse(this.#headers) as HeaderRecord;
    return this.#headers;
  }
}

/** The text of an entry's body, without a byte order mark. */
export function textOfBody(body: string | Uint8Array): string {
  if (typeof body !== 'string') return new TextDecoder().decode(body);
  return body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
}

/** Changes with the format: other versions of this library cannot read the entries. */
const magic = 'graphql-functions/3 ';

/** Three lines: head, header fields, body. The head names the key in the store, because some stores cut keys or ignore case. */
export function encodeEntry(key: string | undefined, { head, headers, body }: CacheEntry): string {
  const bodyText = typeof body === 'string' ? body : toBase64(body);
  const headersText = JSON.stringify(headers);
  const form: EntryForm = { key, headersSize: headersText.length, bodySize: bodyText.length, base64: typeof body !== 'string' };
  return magic + [JSON.stringify({ ...head, ...form }), headersText, bodyText].join('\n');
}

/** Decodes the entry of a key; undefined if it is truncated, of another key or in another format. */
export function decodeEntry(key: string | undefined, text: string): CacheEntry | undefined {
  if (!text.startsWith(magic)) return undefined;
  try {
    const headEnd = text.indexOf('\n');
    const head = JSON.parse(text.slice(magic.length, headEnd)) as EntryHead & EntryForm;
    if (head.key !== key || text.length !== headEnd + head.headersSize + head.bodySize + 2) return undefined;
    const headersEnd = headEnd + 1 + head.headersSize;
    const headers = JSON.parse(text.slice(headEnd + 1, headersEnd)) as HeaderRecord;
    const body = text.slice(headersEnd + 1);
    return new CacheEntry(head, headers, head.base64 ? fromBase64(body) : body);
  } catch {
    return undefined;
  }
}

/** How an entry is encoded. */
interface EntryForm {
  /** The key in a shared store; undefined for a store in this process. */
  readonly key: string | undefined;
  readonly headersSize: number;
  readonly bodySize: number;
  readonly base64: boolean;
}

// Works in pieces, because a call takes a limited number of arguments.
function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Bytes of an entry in addition to its texts. Measured with 20,000 entries: 350 each, 430 with Vary. */
const overhead = 440;

/** A stored response in an in-memory cache. Its body is not copied: encoding it took half of the time of a miss of 200 KB. */
export class LiveEntry implements LiveValue {
  readonly size: number;
  readonly #head: EntryHead;
  /** The header fields as JSON, because few calls read them, and parts of a larger text would keep all of it in memory. */
  readonly #headers: string;
  readonly #body: string | Uint8Array;

  constructor({ head, headers, body }: CacheEntry) {
    this.#head = Object.freeze({ ...head, contentType: head.contentType && copyText(head.contentType), vary: copyTexts(head.vary) });
    this.#headers = JSON.stringify(headers);
    // `httpFetch` may reuse the memory of the bytes.
    this.#body = typeof body === 'string' ? body : new Uint8Array(body);
    this.size = overhead + sizeOfTexts(this.#head) + bytesOf(this.#headers) + (typeof body === 'string' ? bytesOf(body) : body.byteLength);
  }

  open(): CacheEntry {
    return new CacheEntry(this.#head, this.#headers, this.#body);
  }

  /** Encodes the entry as other stores do, for other readers of the cache. */
  toString(): string {
    return encodeEntry(undefined, this.open());
  }
}

/** The texts in a head that may be long. */
function sizeOfTexts({ statusText, contentType, vary }: EntryHead): number {
  let size = statusText.length + (contentType?.length ?? 0);
  for (const name in vary) size += name.length + (vary[name]?.length ?? 0);
  return size;
}

function copyTexts(vary: EntryHead['vary']): EntryHead['vary'] {
  for (const _name in vary) return Object.fromEntries(Object.entries(vary).map(([name, value]) => [name, value && copyText(value)]));
  return vary;
}
