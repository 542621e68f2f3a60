import { JSONResult } from '../call-result.ts';
import type { StorageTerms } from './freshness.ts';
import type { Selection } from './request-identity.ts';
import type { Milliseconds } from '../../cache/key-value-cache.ts';

/**
 * The part of a stored response that is known without looking at its header fields or its body. Not its URL: that may hold a
 * key which cacheKeyFor has left out on purpose.
 */
export interface EntryHead extends Omit<StorageTerms, 'audience' | 'keepFor'>, Selection {
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string | null;
  /** When the request was sent; a write after that makes the entry void. */
  readonly sentAt: Milliseconds;
  /** When the response was received. */
  readonly storedAt: Milliseconds;
}

/** A stored response. */
export interface CacheEntry {
  readonly head: EntryHead;
  /** Without those of one connection or one body encoding, and without Set-Cookie. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text where the bytes are valid UTF-8, else the bytes. */
  readonly body: string | Uint8Array;
  /** The body as a result, which remembers what it has parsed. Throws a SyntaxError when it is no JSON. */
  toJSONResult(): JSONResult;
}

/** An entry that has not been stored yet. */
export function createEntry(head: EntryHead, headers: CacheEntry['headers'], body: CacheEntry['body']): CacheEntry {
  let result: JSONResult | undefined;
  return { head, headers, body, toJSONResult: () => (result ??= new JSONResult(textOf(body))) };
}

/** The text of an entry's body, without the byte order mark that only some texts begin with. */
export function textOf(body: string | Uint8Array): string {
  if (typeof body !== 'string') return new TextDecoder().decode(body);
  return body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
}

/** Changes with the format: entries of other versions of this library cannot be read. */
const magic = 'graphql-functions/2 ';

/**
 * Three lines: a checksum and the head, the header fields, the body as it is. The head alone is parsed for every use; the
 * header fields only where a hook wants a Response, and a JSON body only once, into the result. Without a key there
 * is no checksum: that is for a store that is part of this process.
 */
export function encodeEntry(key: string | undefined, { head, headers, body }: CacheEntry): string {
  const bodyText = typeof body === 'string' ? body : toBase64(body);
  const headersText = JSON.stringify(headers);
  const sizes: EntrySizes = { headersSize: headersText.length, bodySize: bodyText.length, base64: typeof body !== 'string' };
  const content = [JSON.stringify({ ...head, ...sizes }), headersText, bodyText].join('\n');
  return `${magic}${checksumOf(key, content, 0)}${content}`;
}

/** Reads the entry of a key; undefined for whatever is not whole, not ours, changed, another key's or of another version. */
export function decodeEntry(key: string | undefined, text: string): CacheEntry | undefined {
  if (!text.startsWith(magic)) return undefined;
  const headStart = magic.length + checksumLength;
  if (text.slice(magic.length, headStart) !== checksumOf(key, text, headStart)) return undefined;
  const headEnd = text.indexOf('\n', headStart);
  const head = parseHead(text.slice(headStart, headEnd));
  if (head === undefined || text.length !== headEnd + head.headersSize + head.bodySize + 2) return undefined;
  return new DecodedEntry(head, text, headEnd + 1);
}

const checksumLength = 16;
const noChecksum = '-'.repeat(checksumLength);

/**
 * Tells an entry from a damaged one, and from that of another key, which a store may mix up that cuts keys or ignores case.
 * Two 32-bit lanes of FNV-1a; against accidents, not against attacks. 1 to 2 ms a megabyte.
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

class DecodedEntry implements CacheEntry {
  readonly head: EntryHead & EntrySizes;
  readonly #text: string;
  readonly #headersStart: number;
  #result: JSONResult | undefined;

  constructor(head: EntryHead & EntrySizes, text: string, headersStart: number) {
    this.head = head;
    this.#text = text;
    this.#headersStart = headersStart;
  }

  get headers(): Record<string, string> {
    return JSON.parse(this.#text.slice(this.#headersStart, this.#headersStart + this.head.headersSize)) as Record<string, string>;
  }

  get body(): string | Uint8Array {
    const text = this.#text.slice(this.#headersStart + this.head.headersSize + 1);
    return this.head.base64 ? fromBase64(text) : text;
  }

  toJSONResult(): JSONResult {
    return (this.#result ??= new JSONResult(textOf(this.body)));
  }
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

// btoa and not Buffer, which not every platform has; in pieces, because a call takes a limited number of arguments.
function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
