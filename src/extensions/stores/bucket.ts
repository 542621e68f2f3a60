import type { Microseconds, Take, TakeResult } from './budget-store.ts';

/** The result of a take, and the new time at which the bucket is full. Without `write`, the bucket stays as it is. */
export interface TakeStep {
  readonly result: TakeResult;
  readonly write?: Microseconds;
}

/** Takes points from a bucket. `fullAt` and `now` are microseconds since the epoch. */
export function takeFrom(fullAt: Microseconds | undefined, take: Take, now: Microseconds): TakeStep {
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
