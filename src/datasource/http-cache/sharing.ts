import { BoundedMemo, ownCopy } from '../../cache/bounded-memo.ts';
import type { Milliseconds } from '../../cache/key-value-cache.ts';

/** How many keys, or origins, are remembered. */
const maxEntries = 1000;

/** After so many answers in a row that could not be shared, those to keys that are new are not expected to be. */
const longStreak = 3;

/**
 * Which answers are worth waiting for while an equal request is under way. An answer that may not be stored is for
 * its own request alone: requests that waited for it waited in vain, and have to ask as well. So that happens once for a key, and then
 * its requests go out side by side, until an answer to it can be stored again ("hit-for-miss").
 */
export class SharingMemory {
  readonly #unshared = new BoundedMemo<true>({ maxEntries, maxLength: 1000 });
  /** For each origin, how many answers in a row could not be shared. */
  readonly #streaks = new BoundedMemo<number>({ maxEntries });

  /** True when the next answer to this key may well be one for several requests. */
  expects(key: string, url: string): boolean {
    if (this.#unshared.get(key) !== undefined) return false;
    return this.#streaks.size === 0 || (this.#streaks.get(originOf(url)) ?? 0) < longStreak;
  }

  learn(key: string, url: string, isShareable: boolean): void {
    if (isShareable) {
      this.#unshared.delete(key);
      if (this.#streaks.size > 0) this.#streaks.delete(originOf(url));
      return;
    }
    this.#unshared.set(ownCopy(key), true);
    const origin = ownCopy(originOf(url));
    const streak = (this.#streaks.get(origin) ?? 0) + 1;
    this.#streaks.set(origin, streak);
  }
}

function originOf(url: string): string {
  const end = url.indexOf('/', 'https://'.length);
  return end === -1 ? url : url.slice(0, end);
}

const firstPause: Milliseconds = 1000;
const longestPause: Milliseconds = 60_000;

/**
 * When a failed revalidation is tried again: after a pause that doubles each time. Otherwise every request that is
 * answered with a stale response would bother an origin that is down.
 */
export class RetryPauses {
  readonly #pauses = new BoundedMemo<{ readonly since: Milliseconds; readonly length: Milliseconds }>({ maxEntries });

  isPaused(key: string, now: Milliseconds): boolean {
    const pause = this.#pauses.get(key);
    // A time before the pause began: the clock has been set back, and says nothing of how long ago that was.
    return pause !== undefined && now >= pause.since && now < pause.since + pause.length;
  }

  failed(key: string, now: Milliseconds): void {
    const length = Math.min((this.#pauses.get(key)?.length ?? firstPause / 2) * 2, longestPause);
    this.#pauses.set(key, { since: now, length });
  }

  succeeded(key: string): void {
    this.#pauses.delete(key);
  }
}

/**
 * Whether this is Cloudflare's workerd. There, fetches and timers die with the invocation that began them, so no
 * invocation may wait for a promise of another: it could wait for ever.
 */
export function isWorkerd(): boolean {
  return 'WebSocketPair' in globalThis;
}
