import { mayBeStored } from '../../server/for-extensions.ts';
import type { HeaderMap } from '../../shared/index.ts';
import type { MeasuredPlan } from './plan.ts';

/** What the fields of a response say. */
export interface Reading {
  readonly policy: string;
  readonly plan: MeasuredPlan;
  /** Undefined: the store was not asked, or has failed. */
  readonly left: number | undefined;
  /** Seconds. */
  readonly untilFull: number;
}

/**
 * Writes the fields of draft-ietf-httpapi-ratelimit-headers-11, in the syntax of Structured Fields (RFC 9651). A response that other clients
 * may get has none, because they are about one client.
 */
export function writeFields(headers: HeaderMap, { policy, plan: { capacity, refillPerSecond }, left, untilFull }: Reading): void {
  if (mayBeStored(headers)) return;
  // Without rounding, 100 points at 100 / 60 per second could take 61 seconds.
  const window = Math.max(1, Math.ceil(Number((capacity / refillPerSecond).toFixed(3))));
  headers.set('ratelimit-policy', `"${policy}";q=${Math.floor(capacity)};w=${window}`);
  if (left !== undefined) headers.set('ratelimit', `"${policy}";r=${left};t=${untilFull}`);
}

/** Of several operations, the response has the reading with the fewest points. */
export function scarcer(one: Reading | undefined, other: Reading): Reading {
  return one === undefined || (other.left ?? Infinity) <= (one.left ?? Infinity) ? other : one;
}
