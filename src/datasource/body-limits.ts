import type { Milliseconds } from './units.ts';

/** How much of a response's body is read, and for how long. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** From the header fields to the end of the body; undefined where the call's own `timeout` counts. */
  readonly maxTime: Milliseconds | undefined;
}

/** 32 MiB, and a minute: an API that drips must not keep a call without a `timeout` for ever. */
export const defaultBodyLimits: BodyLimits = { maxBytes: 32 * 1024 * 1024, maxTime: 60_000 };

/** What class and call have set, undefined for what they have not. */
export function bodyLimitsFor(maxBytes: number | undefined, timeout: Milliseconds | undefined): BodyLimits {
  if (maxBytes === undefined && timeout === undefined) return defaultBodyLimits;
  return { maxBytes: maxBytes ?? defaultBodyLimits.maxBytes, maxTime: timeout === undefined ? defaultBodyLimits.maxTime : undefined };
}
