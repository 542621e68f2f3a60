import type { NotStored, StorageCase, StorageTerms } from './http-cache/freshness.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/**
 * The layer that answered a call:
 * - `memo`: the same instance had asked before
 * - `fresh`: the response cache, without asking the origin
 * - `revalidated`: the response cache, after the origin said 304
 * - `stale`: the response cache, with an old answer (stale-while-revalidate, stale-if-error, a fetch cache mode)
 * - `miss`: the origin; the response cache had nothing to use
 * - `bypass`: the origin; the response cache had no part in it
 */
export type CacheOutcome = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass';

/** The use of a stored response: an answer, an answer for now, or a question to the origin. */
export type EntryUse = 'fresh' | 'stale' | 'stale-while-revalidate' | 'revalidate';

/** A stored response, as far as its use depends on it. */
export interface StoredResponse {
  readonly head: Pick<StorageTerms, 'audience' | 'byTTL' | 'freshUntil'> & { readonly status: number; readonly storedAt: Milliseconds };
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Follows one call, and is told of each decision about it. A call has one only while a plugin follows it or its
 * operation is explained, so none of these is ever called in production.
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
  /** True when and for how long the response is stored, or why it is not. */
  judged(storage: StorageCase, terms: StorageTerms | NotStored): void;
  /** The call has its result, or its error. */
  ended(error?: unknown): void;
}
