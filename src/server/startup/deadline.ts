import type { Milliseconds } from '../../shared/index.ts';

/** How long a request may take. */
export interface DeadlineOptions {
  /**
   * Milliseconds from the call until its answer must be sent, in place of the limit that is assumed for the platform. A limit
   * that the platform itself reports, as Lambda does, always applies. Default: the known limit of the platform.
   */
  readonly ms?: Milliseconds;
  /** Milliseconds reserved before that moment for hooks, and for writing and sending the answer. At most half. Default: 500. */
  readonly reserveMs?: Milliseconds;
  /**
   * 'NULL': an unfinished field is null even if its type is non-null, so that the answer keeps every finished field. For requests without
   * `onError`. Clients must expect the null. Experimental. Default: 'PROPAGATE', the nearest nullable field above is null.
   */
  readonly partial?: 'PROPAGATE' | 'NULL';
}

/** The moments at which a call must end, in milliseconds since the epoch. */
export interface Deadline {
  /** The answer has the finished fields; unfinished ones become an error. */
  readonly at: Milliseconds;
  /** Half of the reserve after the deadline: hooks are no longer awaited. */
  readonly lastMoment: Milliseconds;
}

/**
 * The moments at which a call must end; undefined without a limit. The user's limit replaces the one that is assumed for the platform,
 * because some platforms let users raise it, but not one that the platform's context reports.
 */
export function deadlineOf(
  option: false | DeadlineOptions | undefined,
  begunAt: Milliseconds,
  context: unknown,
  assumed: Milliseconds | undefined,
): Deadline | undefined {
  if (option === false) return undefined;
  const { ms = assumed ?? Infinity, reserveMs = 500 } = option ?? {};
  // Does not use `performance.now()`, because Lambda's time continues while a process is frozen.
  const now = Date.now();
  const end = Math.min(now + (remainingTime(context) ?? Infinity), begunAt + ms);
  if (end === Infinity) return undefined;
  // The reserve is at most half, because a function with a limit of 300 ms needs time for its resolvers, too.
  const kept = Math.min(reserveMs, Math.max(0, end - now) / 2);
  return { at: end - kept, lastMoment: end - kept / 2 };
}

/** The remaining time, as AWS Lambda and Netlify's older functions report it. */
function remainingTime(context: unknown): Milliseconds | undefined {
  const { getRemainingTimeInMillis: read } = (context ?? {}) as { getRemainingTimeInMillis?: unknown };
  const remaining: unknown = typeof read === 'function' ? read.call(context) : undefined;
  return typeof remaining === 'number' && !Number.isNaN(remaining) ? remaining : undefined;
}
