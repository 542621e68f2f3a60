import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';

/** Options of {@link guardCache}. */
export interface GuardOptions {
  /** The longest wait for one call of the store, in milliseconds. Default: 250 */
  readonly deadline?: number | undefined;
  /** How long a store that was too slow or failed is left alone, in milliseconds. Default: 1000 */
  readonly cooldown?: number | undefined;
  /** Called with every failure of the store. Default: nothing */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The time, in milliseconds from any point. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

/** Deletes that may wait for a store that does not answer; clients queue what they cannot send, without a bound of their own. */
const maxPendingDeletes = 100;

/** Keys that are left alone one by one; the oldest go first. */
const maxTroubledKeys = 100;

/**
 * A cache whose calls never fail and never wait long: a store that is slow, broken or gone is one that has nothing.
 *
 * Needed around every store behind a network. Redis clients queue commands while disconnected and wait without end when
 * the server is frozen; with keyv in between, no configuration of the two kept a request from hanging.
 *
 * A cache that is guarded already is returned as it is; its `onError` is this one, unless it has its own.
 */
export function guardCache(cache: KeyValueCache, options: GuardOptions = {}): KeyValueCache {
  if (!isGuarded(cache)) return new GuardedCache(cache, options);
  if (options.onError !== undefined) listenToGuarded(cache, options.onError);
  return cache;
}

// Registered, not private to this module: the ESM and the CommonJS build may meet in one process.
const guarded = Symbol.for('graphql-functions.guarded-cache');

type OnError = NonNullable<GuardOptions['onError']>;

/** True when the calls of a cache are known not to fail or hang. */
function isGuarded(cache: object): boolean {
  return guarded in cache;
}

/** Marks a cache whose calls do not fail or hang; `listen` takes a listener for its failures. */
export function markGuarded(cache: object, listen: (onError: OnError) => void = () => {}): void {
  Object.defineProperty(cache, guarded, { value: listen });
}

/** Passes `onError` to a guarded cache that has none yet. */
export function listenToGuarded(cache: object, onError: OnError): void {
  (cache as { [guarded]?: (onError: OnError) => void })[guarded]?.(onError);
}

class GuardedCache implements KeyValueCache {
  readonly #cache: KeyValueCache;
  readonly #breaker: Breaker;
  #pendingDeletes = 0;

  constructor(cache: KeyValueCache, options: GuardOptions) {
    this.#cache = cache;
    this.#breaker = new Breaker(options);
    markGuarded(this, (onError) => {
      this.#breaker.onError ??= onError;
    });
  }

  async get(key: string): Promise<string | undefined> {
    if (this.#breaker.troubleWith(key) !== undefined || !this.#breaker.allows()) return undefined;
    const value: unknown = await this.#breaker.watch(key, () => this.#cache.get(key));
    return typeof value === 'string' ? value : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const trouble = this.#breaker.troubleWith(key);
    if (trouble === 'late' || !this.#breaker.allows()) return;
    // A set that is refused says something about that one value (memcached takes 1 MiB), not about the store. And one
    // to a key that cannot be read may mend it.
    await this.#breaker.watch(key, () => this.#cache.set(key, value, options), { forgivesErrors: true, silent: trouble !== undefined });
  }

  /** Sent even while the breaker is open, without waiting: a client that is reconnecting delivers it later. */
  async delete(key: string): Promise<boolean | void> {
    const allowed = this.#breaker.troubleWith(key) === undefined && this.#breaker.allows();
    if (!allowed && this.#pendingDeletes >= maxPendingDeletes) return;
    const deleting = this.#delete(key);
    if (allowed) return this.#breaker.watch(key, () => deleting);
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

/** Why one key is left alone: the store refused it, or took too long over it. */
type Trouble = 'refused' | 'late';

interface WatchOptions {
  /** A value was refused: that says nothing about the key or the store. */
  readonly forgivesErrors?: boolean;
  /** The failure of this key has been reported. */
  readonly silent?: boolean;
}

/**
 * Opens when calls for two keys fail or take too long, one after the other, with nothing in between that worked: one key alone
 * may hold what cannot be read, or is huge, while the store is well. Until then that key is left alone, for as long as the
 * store would be. Once open, it lets one call through after the cooldown, and closes when that one succeeds.
 */
class Breaker {
  onError: OnError | undefined;
  readonly #deadline: number;
  readonly #cooldown: number;
  readonly #now: () => number;
  readonly #troubled = new Map<string, { readonly trouble: Trouble; readonly until: number }>();
  /** The key of the last call that failed, if none has succeeded since. */
  #suspect: string | undefined;
  #openUntil = -Infinity;

  constructor({ deadline = 250, cooldown = 1000, onError, now = () => performance.now() }: GuardOptions) {
    this.#deadline = deadline;
    this.#cooldown = cooldown;
    this.onError = onError;
    this.#now = now;
  }

  allows(): boolean {
    if (this.#openUntil === -Infinity) return true;
    const now = this.#now();
    if (now < this.#openUntil) return false;
    // The others wait for this one call. It may never end, timer and all: Workers drop the work of a client that has left.
    this.#openUntil = now + this.#deadline + this.#cooldown;
    return true;
  }

  troubleWith(key: string): Trouble | undefined {
    if (this.#troubled.size === 0) return undefined;
    const known = this.#troubled.get(key);
    if (known === undefined || this.#now() < known.until) return known?.trouble;
    this.#troubled.delete(key);
    return undefined;
  }

  /** The call's result; undefined when it throws, rejects or is late. */
  async watch<T>(
    key: string,
    call: () => Promise<T>,
    { forgivesErrors = false, silent = false }: WatchOptions = {},
  ): Promise<T | undefined> {
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
      this.#succeeded(key);
      return result;
    } catch (error) {
      if (isLate || !forgivesErrors) this.#failed(key, isLate ? 'late' : 'refused');
      else if (this.#openUntil !== -Infinity) this.#openUntil = this.#now();
      if (!silent) this.#report(error);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  #succeeded(key: string): void {
    this.#openUntil = -Infinity;
    this.#suspect = undefined;
    if (this.#troubled.size > 0) this.#troubled.delete(key);
  }

  #failed(key: string, trouble: Trouble): void {
    const until = this.#now() + this.#cooldown;
    if (this.#openUntil !== -Infinity || (this.#suspect !== undefined && this.#suspect !== key)) this.#openUntil = until;
    this.#suspect = key;
    this.#troubled.delete(key);
    this.#troubled.set(key, { trouble, until });
    if (this.#troubled.size > maxTroubledKeys) this.#troubled.delete(this.#troubled.keys().next().value!);
  }

  #report(error: unknown): void {
    try {
      this.onError?.(error);
    } catch {
      // A listener's own mistake must not become the request's.
    }
  }
}

/** A store that throws at once is treated like one that rejects. */
async function startCall<T>(call: () => Promise<T>): Promise<T> {
  return call();
}

/** Puts a prefix before every key of another cache, so that two users of it do not meet. */
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
