import type { Microseconds, Take, TakeResult } from './budget-store.ts';

/**
 * A bucket that is this far beyond empty was emptied under a larger capacity, for example before the client changed its plan: it counts as
 * empty by the new one. Less is the skew of two clocks, or a statement that has waited: to correct it would refill points twice.
 */
export const mostBeyondEmpty: Microseconds = 60_000_000;

/** A take: its result, and the time to write. Without `write`, nothing changes. */
export interface TakeStep {
  readonly result: TakeResult;
  readonly write?: Microseconds;
}

/** Takes points from a bucket, for stores without a query language. `fullAt` and `now` are microseconds since the epoch. */
export function takeFrom(fullAt: Microseconds | undefined, { cost, capacity }: Take, now: Microseconds): TakeStep {
  const full = Math.max(fullAt ?? 0, now);
  if (full + cost <= now + capacity) return { result: { isTaken: true, untilFull: full + cost - now }, write: full + cost };
  if (full > now + capacity + mostBeyondEmpty) return { result: { isTaken: false, untilFull: capacity }, write: now + capacity };
  return { result: { isTaken: false, untilFull: full - now } };
}
