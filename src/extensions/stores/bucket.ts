import type { Milliseconds } from '../../shared/index.ts';
import type { Microseconds, Take, TakeResult } from './budget-store.ts';
import type { RecordStep } from './record.ts';

/** A bucket in the form in which stores keep it. */
export interface StoredBucket {
  readonly fullAt: Microseconds;
  readonly expires: Milliseconds;
}

/**
 * Takes points from a bucket. The store keeps the time at which the bucket will be full. `fullAt` and `now` are microseconds since the
 * epoch.
 */
export function takeFrom(fullAt: Microseconds | undefined, take: Take, now: Microseconds): RecordStep<TakeResult, Microseconds> {
  assertCost(take);
  const { cost, capacity } = take;
  const full = Math.max(fullAt ?? 0, now);
  if (full + cost <= now + capacity) return { result: { isTaken: true, untilFull: full + cost - now }, write: full + cost };
  return { result: { isTaken: false, untilFull: full - now } };
}

/** Throws for a take that would give points back. */
export function assertCost({ cost }: Take): void {
  if (!(cost >= 1)) throw new RangeError(`Expected the cost of a take to be at least 1, got ${String(cost)}.`);
}
