import type { Milliseconds } from '../message/invocation.ts';

/** How long a request may take. */
export interface DeadlineOptions {
  /**
   * Milliseconds from the call until its answer must be out, in place of what is assumed of the platform. What the platform
   * itself tells, as Lambda does, holds in any case. Default: what is known of the platform.
   */
  readonly ms?: Milliseconds;
  /** How many milliseconds earlier the time is up: for hooks, for writing and sending the answer. Never more than half. Default: 500. */
  readonly reserveMs?: Milliseconds;
}

/** How long a call may take, as far as the user says. */
export interface DeadlineSettings {
  /** In place of what is assumed of the platform. Undefined: as the platform has it. */
  readonly limit: Milliseconds | undefined;
  /** What is left of the limit at the deadline: for what hooks do with the answer, for writing and sending it. */
  readonly reserve: Milliseconds;
}

/** The option's defaults. */
export const defaultDeadline: DeadlineSettings = { limit: undefined, reserve: 500 };

/** The moments at which a call has to come to an end, in milliseconds since the epoch. */
export interface Deadline {
  /** What is finished is answered, what is not becomes an error. */
  readonly at: Milliseconds;
  /** Half of the reserve later: whoever still holds up the answer is not waited for any more. */
  readonly lastMoment: Milliseconds;
}

/** What is known of the time of a call beside the settings. */
export interface CallTime {
  /** The platform's context, which may tell how much time is left. */
  readonly context: unknown;
  /** What is assumed of a platform that does not tell. */
  readonly assumed: Milliseconds | undefined;
  readonly begunAt: Milliseconds;
}

/**
 * When a call has to end; undefined when nothing is known of that. A platform that tells how long it waits is believed.
 * What is assumed of one that does not tell gives way to the user's limit, for some can be raised.
 */
export function deadlineOf({ limit, reserve }: DeadlineSettings, { context, assumed, begunAt }: CallTime): Deadline | undefined {
  // The clock by which Lambda counts its own time: it goes on while a process is frozen.
  const now = Date.now();
  const end = Math.min(now + (remainingTime(context) ?? Infinity), begunAt + (limit ?? assumed ?? Infinity));
  if (end === Infinity) return undefined;
  // A function that may run for 300 ms in all has some of that for its resolvers, too.
  const kept = Math.min(reserve, Math.max(0, end - now) / 2);
  return { at: end - kept, lastMoment: end - kept / 2 };
}

/** What AWS Lambda tells, and Netlify's older form of functions with it. */
function remainingTime(context: unknown): Milliseconds | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { getRemainingTimeInMillis: ask } = context as { getRemainingTimeInMillis?: unknown };
  const remaining: unknown = typeof ask === 'function' ? ask.call(context) : undefined;
  return typeof remaining === 'number' && !Number.isNaN(remaining) ? remaining : undefined;
}
