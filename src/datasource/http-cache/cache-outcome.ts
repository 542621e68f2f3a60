/**
 * Who answered a call:
 * - `memo`: the same instance had asked before
 * - `fresh`: the response cache, without asking the origin
 * - `revalidated`: the response cache, after the origin said 304
 * - `stale`: the response cache, with an old answer (stale-while-revalidate, stale-if-error, a fetch cache mode)
 * - `miss`: the origin; the response cache had nothing to use
 * - `bypass`: the origin; the response cache had no part in it
 */
export type CacheOutcome = 'memo' | 'fresh' | 'revalidated' | 'stale' | 'miss' | 'bypass';

/** What a stored response is good for: an answer, an answer for now, or a question to the origin. */
export type EntryUse = 'fresh' | 'stale' | 'stale-while-revalidate' | 'revalidate';
