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
  /** The part of the limit that is left at the deadline: for hooks that see the answer, for writing and sending it. */
  readonly reserve: Milliseconds;
}

/** The option's defaults. */
export const defaultDeadline: DeadlineSettings = { limit: undefined, reserve: 500 };

/** The moments at which a call has to come to an end, in milliseconds since the epoch. */
export interface Deadline {
  /** Finished fields are answered, unfinished ones become an error. */
  readonly at: Milliseconds;
  /** Half of the reserve later: hooks that still hold up the answer are not waited for any more. */
  readonly lastMoment: Milliseconds;
}

/** The time of a call as its event and context tell it. */
export interface CallTime {
  /** The platform's context, which may tell how much time is left. */
  readonly context: unknown;
  /** The limit that is assumed of a platform that does not tell one. */
  readonly assumed: Milliseconds | undefined;
  readonly begunAt: Milliseconds;
}

/**
 * When a call has to end; undefined when nothing is known of that. A platform that tells how long it waits is believed.
 * An assumed limit gives way to the user's own, for some can be raised.
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

/** The remaining time as AWS Lambda tells it, and Netlify's older form of functions. */
function remainingTime(context: unknown): Milliseconds | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { getRemainingTimeInMillis: ask } = context as { getRemainingTimeInMillis?: unknown };
  const remaining: unknown = typeof ask === 'function' ? ask.call(context) : undefined;
  return typeof remaining === 'number' && !Number.isNaN(remaining) ? remaining : undefined;
}
