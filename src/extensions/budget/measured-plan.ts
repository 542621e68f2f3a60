import type { Take, TakeResult } from '../stores/index.ts';
import { assertPlan } from './options.ts';
import type { BudgetOptions, Plan } from './options.ts';

/** A plan as stores measure it: by time. */
export interface MeasuredPlan extends Plan {
  /**
   * Microseconds that one point takes to refill. A whole number, so that a full bucket has exactly the points of its capacity. It is rounded
   * up, so that a client never gets more: at 10,000 points per second that is at most 1 % less, at 1,000 at most 0.1 %.
   */
  readonly perPoint: number;
  /** The parameters of `RateLimit-Policy`. */
  readonly parameters: string;
}

export function measured({ capacity, refillPerSecond }: Plan): MeasuredPlan {
  // Rounds first: without that, 100 points at 100 / 60 per second could take 61 seconds.
  const window = Math.max(1, Math.ceil(Number((capacity / refillPerSecond).toFixed(3))));
  return { capacity, refillPerSecond, perPoint: Math.ceil(1e6 / refillPerSecond), parameters: `q=${Math.floor(capacity)};w=${window}` };
}

/** Returns the plan of a client, for which it calls the functions of the options. */
export async function planOf({ capacity, refillPerSecond }: BudgetOptions, contextValue: unknown): Promise<MeasuredPlan> {
  const plan = {
    capacity: typeof capacity === 'function' ? await capacity(contextValue) : capacity,
    refillPerSecond: typeof refillPerSecond === 'function' ? await refillPerSecond(contextValue) : refillPerSecond,
  };
  assertPlan(plan);
  return measured(plan);
}

/** The points of an operation as stores measure them. `cost` is above 0 and at most the capacity. */
export function takeOf(cost: number, { capacity, perPoint }: MeasuredPlan): Take {
  return { cost: Math.ceil(cost * perPoint), capacity: Math.ceil(capacity * perPoint) };
}

/** The whole points that are left. */
export function pointsLeft({ untilFull }: TakeResult, { capacity, perPoint }: MeasuredPlan): number {
  return Math.max(0, Math.floor(capacity - untilFull / perPoint));
}

/** Seconds until the bucket has the points of an operation, at least 1. */
export function secondsUntil({ cost, capacity }: Take, { untilFull }: TakeResult): number {
  return Math.max(1, Math.ceil((untilFull + cost - capacity) / 1e6));
}
