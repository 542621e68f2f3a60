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
  readonly #headers: HeaderRecord | string;

  /** `headers`: without those of the connection or the encoding, and without Set-Cookie; as JSON, which is parsed when it is read. */
  constructor(head: EntryHead, headers: HeaderRecord | string, body: string | Uint8Array) {
    this.head = head;
    this.body = body;
    this.#headers = headers;
  }

  get headers(): HeaderRecord {
    return typeof this.#headers === 'string' ? (JSON.parse(this.#headers) as HeaderRecord) : this.#headers;
  }
}

/** The text of an entry's body, without a byte order mark. */
export function textOfBody(body: string | Uint8Array): string {
  if (typeof body !== 'string') return new TextDecoder().decode(body);
  return body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
}

/** Changes with the format: other versions of this library cannot read the entries. */
const magic = 'graphql-functions/2 ';

/** Three lines: checksum and head, header fields, body. Without a key there is no checksum: for a store in this process. */
export function encodeEntry(key: string | undefined, { head, headers, body }: CacheEntry): string {
  const bodyText = typeof body === 'string' ? body : toBase64(body);
  const headersText = JSON.stringify(headers);
  const sizes: EntrySizes = { headersSize: headersText.length, bodySize: bodyText.length, base64: typeof body !== 'string' };
  const content = [JSON.stringify({ ...head, ...sizes }), headersText, bodyText].join('\n');
  return `${magic}${checksumOf(key, content, 0)}${content}`;
}

/** Decodes the entry of a key; undefined if it is truncated, changed, of another key or in another format. */
export function decodeEntry(key: string | undefined, text: string): CacheEntry | undefined {
  if (!text.startsWith(magic)) return undefined;
  const headStart = magic.length + checksumLength;
  if (text.slice(magic.length, headStart) !== checksumOf(key, text, headStart)) return undefined;
  const headEnd = text.indexOf('\n', headStart);
  const head = parseHead(text.slice(headStart, headEnd));
  if (head === undefined || text.length !== headEnd + head.headersSize + head.bodySize + 2) return undefined;
  const headersEnd = headEnd + 1 + head.headersSize;
  const body = text.slice(headersEnd + 1);
  return new CacheEntry(head, text.slice(headEnd + 1, headersEnd), head.base64 ? fromBase64(body) : body);
}

const checksumLength = 16;
const noChecksum = '-'.repeat(checksumLength);

/**
 * Detects damaged entries, and those of other keys in stores that cut keys or ignore case. Two 32-bit lanes of FNV-1a: for accidents,
 * not for attacks. 1 to 2 ms per megabyte.
 */
function checksumOf(key: string | undefined, text: string, start: number): string {
  if (key === undefined) return noChecksum;
  const first = fold(fold(0x811c9dc5, key, 0), text, start);
  return toHex(first) + toHex(fold(fold(first ^ 0x1b873593, key, 0), text, start));
}

function fold(seed: number, text: string, start: number): number {
  let state = seed;
  for (let at = start; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  return state;
}

function toHex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

interface EntrySizes {
  readonly headersSize: number;
  readonly bodySize: number;
  readonly base64: boolean;
}

function parseHead(text: string): (EntryHead & EntrySizes) | undefined {
  try {
    const head: unknown = JSON.parse(text);
    return isHead(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

function isHead(value: unknown): value is EntryHead & EntrySizes {
  if (typeof value !== 'object' || value === null) return false;
  const head = value as Partial<Record<keyof (EntryHead & EntrySizes), unknown>>;
  return (
    areNumbers(head.status, head.sentAt, head.storedAt, head.age, head.headersSize, head.bodySize) &&
    areNumbers(head.freshUntil, head.staleWhileRevalidateUntil, head.staleIfErrorUntil) &&
    typeof head.audience === 'string' &&
    typeof head.audienceHash === 'string' &&
    typeof head.vary === 'object' &&
    head.vary !== null
  );
}

function areNumbers(...values: unknown[]): boolean {
  return values.every((value) => typeof value === 'number');
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
