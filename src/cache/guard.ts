import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';

/** Options of {@link guardCache}. */
export interface GuardOptions {
  /** The longest wait for one call of the store, in milliseconds. Default: 250 */
  readonly deadline?: number | undefined;
  /** How long a store that was too slow or failed is left alone, in milliseconds. Default: 1000 */
  readonly cooldown?: number | undefined;
  /** Sees what went wrong; nobody else does. Default: nothing */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The time, in milliseconds from any point. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

/** Deletes that may wait for a store that does not answer; clients queue what they cannot send, without a bound of their own. */
const MAX_PENDING_DELETES = 100;

/**
 * A cache whose calls never fail and never wait long: a store that is slow, broken or gone is one that has nothing.
 *
 * Needed around every store behind a network. Redis clients queue commands while disconnected and wait without end when
 * the server is frozen; with keyv in between, no configuration of the two kept a request from hanging.
 */
export function guardCache(cache: KeyValueCache, options?: GuardOptions): KeyValueCache {
  return isGuarded(cache) ? cache : new GuardedCache(cache, options);
}

// Registered, not private to this module: the ESM and the CommonJS build may meet in one process.
const GUARDED = Symbol.for('graphql-functions.guarded-cache');

/** Whether the calls of a cache are known not to fail or hang. */
export function isGuarded(cache: object): boolean {
  return GUARDED in cache;
}

/** Says that the calls of a cache do not fail or hang. */
export function markGuarded(cache: object): void {
  Object.defineProperty(cache, GUARDED, { value: true });
}

class GuardedCache implements KeyValueCache {
  readonly #cache: KeyValueCache;
  readonly #breaker: Breaker;
  #pendingDeletes = 0;

  constructor(cache: KeyValueCache, options: GuardOptions = {}) {
    this.#cache = cache;
    this.#breaker = new Breaker(options);
    markGuarded(this);
  }

  async get(key: string): Promise<string | undefined> {
    if (!this.#breaker.allows()) return undefined;
    const value: unknown = await this.#breaker.watch(() => this.#cache.get(key));
    return typeof value === 'string' ? value : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    // A set that is refused says something about that one value (memcached takes 1 MiB), not about the store.
    if (this.#breaker.allows()) await this.#breaker.watch(() => this.#cache.set(key, value, options), { forgivesErrors: true });
  }

  /** Sent even while the breaker is open, without waiting: a client that is reconnecting delivers it later. */
  async delete(key: string): Promise<boolean | void> {
    const allowed = this.#breaker.allows();
    if (!allowed && this.#pendingDeletes >= MAX_PENDING_DELETES) return;
    const deleting = this.#delete(key);
    if (allowed) return this.#breaker.watch(() => deleting);
    deleting.catch(() => {});
  }

  async #delete(key: string): Promise<boolean | void> {
    this.#pendingDeletes++;
    try {
      return await this.#cache.delete(key);
    } finally {
      this.#pendingDeletes--;
    }
  }
}

/** Opens when a call fails or takes too long; lets one call through after the cooldown, and closes when that one succeeds. */
class Breaker {
  readonly #deadline: number;
  readonly #cooldown: number;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  #openUntil = -Infinity;
  #probing = false;

  constructor({ deadline = 250, cooldown = 1000, onError = () => {}, now = () => performance.now() }: GuardOptions) {
    this.#deadline = deadline;
    this.#cooldown = cooldown;
    this.#onError = onError;
    this.#now = now;
  }

  allows(): boolean {
    if (this.#openUntil === -Infinity) return true;
    if (this.#probing || this.#now() < this.#openUntil) return false;
    this.#probing = true;
    return true;
  }

  /** The call's result; undefined when it throws, rejects or is late. */
  async watch<T>(call: () => Promise<T>, { forgivesErrors = false } = {}): Promise<T | undefined> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLate = false;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        reject(new Error(`The cache did not answer within ${this.#deadline} ms`));
      }, this.#deadline);
    });
    try {
      // The race also handles the rejection of a call that fails after its deadline.
      const result = await Promise.race([startCall(call), late]);
      this.#openUntil = -Infinity;
      return result;
    } catch (error) {
      if (isLate || !forgivesErrors) this.#openUntil = this.#now() + this.#cooldown;
      this.#report(error);
      return undefined;
    } finally {
      this.#probing = false;
      clearTimeout(timer);
    }
  }

  #report(error: unknown): void {
    try {
      this.#onError(error);
    } catch {
      // A listener's own mistake must not become the request's.
    }
  }
}

/** A store that throws at once is no better than one that rejects. */
async function startCall<T>(call: () => Promise<T>): Promise<T> {
  return call();
}
