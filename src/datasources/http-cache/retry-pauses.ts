import { BoundedMemo } from '../cache/bounded-memo.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** Limit of remembered keys. */
const maxEntries = 1000;

const firstPause: Milliseconds = 1000;
const longestPause: Milliseconds = 60_000;

/**
 * Pauses between revalidations in the background, so that a slow origin, or one that is down, does not get a request for every stale
 * response. Each is twice as long as the one before, until a revalidation succeeds.
 */
export class RetryPauses {
  readonly #pauses = new BoundedMemo<{ readonly since: Milliseconds; readonly length: Milliseconds }>({ maxEntries });

  isPaused(key: string, now: Milliseconds): boolean {
    const pause = this.#pauses.get(key);
    // The clock may have been set back.
    return pause !== undefined && now >= pause.since && now < pause.since + pause.length;
  }

  begin(key: string, now: Milliseconds): void {
    const length = Math.min((this.#pauses.get(key)?.length ?? firstPause / 2) * 2, longestPause);
    this.#pauses.set(key, { since: now, length });
  }

  end(key: string): void {
    this.#pauses.delete(key);
  }
}
