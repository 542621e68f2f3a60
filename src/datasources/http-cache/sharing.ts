import { BoundedMemo, copyText } from '../cache/bounded-memo.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** Limit of remembered keys and of origins. */
const maxEntries = 1000;

/** After this many responses in a row that could not be shared, those of new keys are not expected to be. */
const longStreak = 3;

/**
 * Predicts whether a response can be shared. Requests that wait for a response that may not be stored wait in vain, so after one such
 * response the requests of a key are sent in parallel until one can be stored again ("hit-for-miss").
 */
export class SharingMemory {
  readonly #unshared = new BoundedMemo<true>({ maxEntries, maxLength: 1000 });
  /** The number of responses in a row that could not be shared, by origin. */
  readonly #streaks = new BoundedMemo<number>({ maxEntries });

  /** True if the next response is likely to be shareable. */
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
    this.#unshared.set(copyText(key), true);
    const origin = copyText(originOf(url));
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

/** Pauses after failed revalidations, which double each time, so that not every stale response sends a request to an origin that is down. */
export class RetryPauses {
  readonly #pauses = new BoundedMemo<{ readonly since: Milliseconds; readonly length: Milliseconds }>({ maxEntries });

  isPaused(key: string, now: Milliseconds): boolean {
    const pause = this.#pauses.get(key);
    // The clock may have been set back.
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

/** On Cloudflare's workerd, fetches and timers end with their invocation, so an invocation must not wait for a promise of another. */
export function isWorkerd(): boolean {
  return 'WebSocketPair' in globalThis;
}
