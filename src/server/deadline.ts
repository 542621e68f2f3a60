import type { Milliseconds } from '../message/invocation.ts';

/** How long a request may take. */
export interface DeadlineOptions {
  /**
   * Milliseconds from the call until its answer must be sent, in place of the limit that is assumed for the platform. A limit
   * that the platform itself reports, as Lambda does, always applies. Default: the known limit of the platform.
   */
  readonly ms?: Milliseconds;
  /** Milliseconds kept free before that moment: for hooks, for writing and sending the answer. Never more than half. Default: 500. */
  readonly reserveMs?: Milliseconds;
}

/** The time limit of a call, as the user has set it. */
export interface DeadlineSettings {
  /** Replaces the limit that is assumed for the platform. Undefined: the platform's limit. */
  readonly limit: Milliseconds | undefined;
  /** The part of the limit that is left at the deadline: for hooks that see the answer, for writing and sending it. */
  readonly reserve: Milliseconds;
}

/** The option's defaults. */
export const defaultDeadline: DeadlineSettings = { limit: undefined, reserve: 500 };

/** The moments at which a call must end, in milliseconds since the epoch. */
export interface Deadline {
  /** Finished fields are answered, unfinished ones become an error. */
  readonly at: Milliseconds;
  /** Half of the reserve after the deadline. Hooks that still delay the answer are not awaited any longer. */
  readonly lastMoment: Milliseconds;
}

/** The times of a call that its event and context give. */
export interface CallTime {
  /** The platform's context, which may report how much time is left. */
  readonly context: unknown;
  /** The assumed limit, for a platform that does not report one. */
  readonly assumed: Milliseconds | undefined;
  readonly begunAt: Milliseconds;
}

/**
 * The moments at which a call must end; undefined if no limit is known. A limit that the platform reports always applies. The
 * user's limit replaces an assumed one, because some platforms let users raise theirs.
 */
export function deadlineOf({ limit, reserve }: DeadlineSettings, { context, assumed, begunAt }: CallTime): Deadline | undefined {
  // The clock by which Lambda counts its own time: it goes on while a process is frozen.
  const now = Date.now();
  const end = Math.min(now + (remainingTime(context) ?? Infinity), begunAt + (limit ?? assumed ?? Infinity));
  if (end === Infinity) return undefined;
  // Half at most: a function with a limit of 300 ms needs time for its resolvers too.
  const kept = Math.min(reserve, Math.max(0, end - now) / 2);
  return { at: end - kept, lastMoment: end - kept / 2 };
}

/** The remaining time as AWS Lambda and Netlify's older form of functions report it. */
function remainingTime(context: unknown): Milliseconds | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { getRemainingTimeInMillis: ask } = context as { getRemainingTimeInMillis?: unknown };
  const remaining: unknown = typeof ask === 'function' ? ask.call(context) : undefined;
  return typeof remaining === 'number' && !Number.isNaN(remaining) ? remaining : undefined;
}
