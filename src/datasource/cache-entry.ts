import type { StorageTerms } from './freshness.ts';
import type { Selection } from './request-identity.ts';
import type { Milliseconds } from './units.ts';

/** What is known of a stored response without looking at its header fields or its body. */
export interface EntryHead extends Omit<StorageTerms, 'audience' | 'keepFor'>, Selection {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string | null;
  /** When the request was sent; a write after that makes the entry void. */
  readonly sentAt: Milliseconds;
  /** When the response was received. */
  readonly storedAt: Milliseconds;
}

/** A stored response. */
export interface CacheEntry extends EntryHead {
  /** Without those of one connection or one body encoding, and without Set-Cookie. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text where the bytes are valid UTF-8, else the bytes. */
  readonly body: string | Uint8Array;
}

/** Changes with the format: entries of other versions of this library are no entries. */
const MAGIC = 'graphql-functions/1 ';

/**
 * Three lines: the head, the header fields, the body as it is. The head alone is parsed for every use; the header
 * fields only where a hook wants a Response, and a JSON body only once, into the result.
 */
export function encodeEntry({ headers, body, ...head }: CacheEntry): string {
  const bodyText = typeof body === 'string' ? body : toBase64(body);
  const headersText = JSON.stringify(headers);
  const sizes = { headersSize: headersText.length, bodySize: bodyText.length, base64: typeof body !== 'string' };
  return `${MAGIC}${JSON.stringify({ ...head, ...sizes })}\n${headersText}\n${bodyText}`;
}

/** Reads an entry; undefined for whatever is not whole, not ours or of another version. */
export function decodeEntry(text: string): CacheEntry | undefined {
  if (!text.startsWith(MAGIC)) return undefined;
  const headEnd = text.indexOf('\n');
  const head = parseHead(text.slice(MAGIC.length, headEnd));
  if (head === undefined) return undefined;

  const headersEnd = headEnd + 1 + head.headersSize;
  if (text.length !== headersEnd + 1 + head.bodySize) return undefined;
  const headersText = text.slice(headEnd + 1, headersEnd);
  const bodyText = text.slice(headersEnd + 1);
  return {
    ...head,
    get headers() {
      return JSON.parse(headersText) as Record<string, string>;
    },
    get body() {
      return head.base64 ? fromBase64(bodyText) : bodyText;
    },
  };
}

interface EncodedHead extends EntryHead {
  readonly headersSize: number;
  readonly bodySize: number;
  readonly base64: boolean;
}

function parseHead(text: string): EncodedHead | undefined {
  try {
    const head: unknown = JSON.parse(text);
    return isHead(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

const NUMBERS = ['status', 'sentAt', 'storedAt', 'freshUntil', 'staleWhileRevalidateUntil', 'staleIfErrorUntil', 'headersSize', 'bodySize'];
const TEXTS = ['url', 'statusText', 'audience', 'audienceHash'];

function isHead(head: unknown): head is EncodedHead {
  if (typeof head !== 'object' || head === null) return false;
  const fields = head as Record<string, unknown>;
  const numbers = NUMBERS.every((name) => Number.isFinite(fields[name]));
  const texts = TEXTS.every((name) => typeof fields[name] === 'string');
  return numbers && texts && typeof fields['vary'] === 'object' && fields['vary'] !== null;
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
