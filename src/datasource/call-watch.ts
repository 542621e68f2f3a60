import type { EntryUse } from './http-cache/cache-outcome.ts';
import type { StorageCase, StorageTerms } from './http-cache/freshness.ts';
import type { Milliseconds } from './units.ts';

/** A stored response, as far as its use depends on it. */
export interface StoredResponse {
  readonly head: Pick<StorageTerms, 'audience' | 'byTTL' | 'freshUntil'> & { readonly status: number; readonly storedAt: Milliseconds };
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Follows one call, and is told what is decided about it when it is decided. A call has one only while somebody wants an
 * operation explained, so none of these is ever called in production.
 */
export interface CallWatch {
  /** A response was stored for this key, and what it is good for now. */
  found(entry: StoredResponse, use: EntryUse, now: Milliseconds): void;
  /** A response was stored for this key, for requests with other header fields. */
  passedOver(entry: StoredResponse): void;
  /** An equal request is under way: the call waits for its answer. */
  joined(): void;
  /** The request leaves for the origin; once for each try. */
  sent(): void;
  /** Runs what sends a try, and returns what it returns: what it does in an asynchronous context of its own is found again there. */
  aroundSend<T>(send: () => T): T;
  /** The origin has answered a try. */
  answered(status: number): void;
  /** Whether and for how long the response is stored. */
  judged(storage: StorageCase, terms: StorageTerms | undefined): void;
  /** The call has its result, or its error. */
  ended(error?: unknown): void;
}
