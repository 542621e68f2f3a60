import type { NotStored, StorageCase, StorageTerms } from './http-cache/freshness.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';

/**
 * The layer that answered a call:
 * - `memo`: an earlier call of the same instance
 * - `fresh`: the response cache, without a request
 * - `revalidated`: the response cache, after a 304 of the origin
 * - `stale`: the response cache, with a stale response (stale-while-revalidate, stale-if-error, a cache mode)
 * - `miss`: the origin; the response cache had no usable response
 * - `bypass`: the origin; the response cache was not used
 */
export type CacheOutcome = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass';

/** How a stored response is used. */
export type EntryUse = 'fresh' | 'stale' | 'stale-while-revalidate' | 'revalidate';

/** The parts of a stored response that decide its use. */
export interface StoredResponse {
  readonly head: Pick<StorageTerms, 'audience' | 'byTTL' | 'freshUntil'> & { readonly status: number; readonly storedAt: Milliseconds };
  readonly headers: Readonly<Record<string, string>>;
}

/** Follows the decisions about one call, for plugins and for `explain`. */
export interface CallWatch {
  /** A stored response was found. */
  found(entry: StoredResponse, use: EntryUse, now: Milliseconds): void;
  /** The stored response is for requests with other header fields. */
  passedOver(entry: StoredResponse): void;
  /** The result of the call is a stored response, or one that is stored now. */
  used?(entry: StoredResponse): void;
  /** The request is sent, once for each attempt. */
  sent(): void;
  /** Calls `send` and returns its result, for example in an asynchronous context. */
  aroundSend<T>(send: () => T): T;
  /** The origin has responded to an attempt. */
  answered(status: number): void;
  /** How long the response is stored, or why it is not. */
  judged(storage: StorageCase, terms: StorageTerms | NotStored): void;
  /** The call has a result or an error. */
  ended(error?: unknown): void;
}
