import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';
import { waitAtMost } from '../../shared/index.ts';

/** Options of {@link guardCache}. */
export interface GuardOptions {
  /** The longest wait for one call of the store, in milliseconds. Default: 250 */
  readonly deadline?: number | undefined;
  /** How long a store is not called after it was too slow, in milliseconds. Default: 1000 */
  readonly cooldown?: number | undefined;
  /** Called with a failure of the store, at most once in each `cooldown`. Default: none */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** A clock in milliseconds. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

/** The most pending deletes: clients of stores queue commands that they cannot send, and have no limit. */
const maxPendingDeletes = 100;

/**
 * A cache whose calls never fail and never take long: a store that is slow or unreachable counts as empty.
 *
 * Every store behind a network needs it. Redis clients queue commands while disconnected, and wait forever for a frozen server.
 *
 * A cache that is already guarded is returned as it is, with this `onError` unless it has one.
 */
export function guardCache(cache: KeyValueCache, options: GuardOptions = {}): KeyValueCache {
  if (!isGuarded(cache)) return new GuardedCache(cache, options);
  if (options.onError !== undefined) listenToGuarded(cache, options.onError);
  return cache;
}

// A registered symbol, because one process may load both builds, ESM and CommonJS.
const guarded = Symbol.for('graphql-functions.guarded-cache');

type OnError = NonNullable<GuardOptions['onError']>;

/** True if the calls of a cache neither fail nor hang. */
function isGuarded(cache: object): boolean {
  return guarded in cache;
}

/** Marks a cache whose calls neither fail nor hang. `listen` is called with a listener for failures of the cache. A second mark replaces the first. */
export function markGuarded(cache: object, listen: (onError: OnError) => void = () => {}): void {
  Object.defineProperty(cache, guarded, { value: listen, configurable: true });
}

/** Passes `onError` to a guarded cache that has none yet. */
function listenToGuarded(cache: object, onError: OnError): void {
  (cache as { [guarded]?: (onError: OnError) => void })[guarded]?.(onError);
}

/** See {@link guardCache}. */
export class GuardedCache implements KeyValueCache {
  readonly #cache: KeyValueCache;
  readonly #deadline: number;
  readonly #cooldown: number;
  readonly #now: () => number;
  #onError: OnError | undefined;
  #pendingDeletes = 0;
  #pausedUntil = -Infinity;
  #quietUntil = -Infinity;

  constructor(cache: KeyValueCache, { deadline = 250, cooldown = 1000, onError, now = () => performance.now() }: GuardOptions) {
    this.#cache = cache;
    this.#deadline = deadline;
    this.#cooldown = cooldown;
    this.#onError = onError;
    this.#now = now;
    markGuarded(this, (listener) => {
      this.#onError ??= listener;
    });
  }

  async get(key: string): Promise<string | undefined> {
    if (this.#isPaused()) return undefined;
    const value: unknown = await this.#inTime(async () => this.#cache.get(key));
    return typeof value === 'string' ? value : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    if (!this.#isPaused()) await this.#inTime(async () => this.#cache.set(key, value, options));
  }

  /** Deletes a key. The delete is sent even during a pause, but not awaited: a client that reconnects delivers it later. */
  async delete(key: string): Promise<boolean | void> {
    const isPaused = this.#isPaused();
    if (isPaused && this.#pendingDeletes >= maxPendingDeletes) return;
    const deleting = this.#delete(key);
    if (!isPaused) return this.#inTime(() => deleting);
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

  /** True during the pause that follows a late call. After it, one call is let through, and the pause ends if the store answers. */
  #isPaused(): boolean {
    if (this.#pausedUntil === -Infinity) return false;
    const now = this.#now();
    if (now < this.#pausedUntil) return true;
    // Other calls stay blocked for this time: on Workers, this call and its timer may never end if its client leaves.
    this.#pausedUntil = now + this.#deadline + this.#cooldown;
    return false;
  }

  /** Resolves to the result of the call, or to undefined if it throws, rejects or is late. Only a late call pauses the store: one that refuses a call still works. */
  async #inTime<T>(call: () => Promise<T>): Promise<T | undefined> {
    let isLate = false;
    try {
      const result = await waitAtMost(
        this.#deadline,
        call().then((value) => ({ value })),
      );
      if (result !== 'late') return result.value;
      isLate = true;
      this.report(new Error(`The cache did not answer within ${this.#deadline} ms`));
    } catch (error) {
      this.report(error);
    } finally {
      this.#pausedUntil = isLate ? this.#now() + this.#cooldown : -Infinity;
    }
    return undefined;
  }

  /** Passes a failure on, unless one has been passed on in the `cooldown` before. */
  report(error: unknown): void {
    if (this.#now() < this.#quietUntil) return;
    this.#quietUntil = this.#now() + this.#cooldown;
    try {
      this.#onError?.(error);
    } catch {
      // An error of the listener must not fail the request.
    }
  }
}

/** Adds a prefix to the keys of another cache, so that several users can share it. */
export class PrefixingKeyValueCache<TValue = string> implements KeyValueCache<TValue> {
  readonly #cache: KeyValueCache<TValue>;
  readonly #prefix: string;

  constructor(cache: KeyValueCache<TValue>, prefix: string) {
    this.#cache = cache;
    this.#prefix = prefix;
    if (isGuarded(cache)) markGuarded(this, (onError) => listenToGuarded(cache, onError));
  }

  get(key: string): Promise<TValue | undefined> {
    return this.#cache.get(this.#prefix + key);
  }

  set(key: string, value: TValue, options?: KeyValueCacheSetOptions): Promise<void> {
    return this.#cache.set(this.#prefix + key, value, options);
  }

  delete(key: string): Promise<boolean | void> {
    return this.#cache.delete(this.#prefix + key);
  }
}
