import type { KeyValueCache, KeyValueCacheSetOptions } from './key-value-cache.ts';

/** Options of {@link guardCache}. */
export interface GuardOptions {
  /** The longest wait for one call of the store, in milliseconds. Default: 250 */
  readonly deadline?: number | undefined;
  /** How long a store is not called after it failed or was too slow, in milliseconds. Default: 1000 */
  readonly cooldown?: number | undefined;
  /** Called with every failure of the store. Default: none */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** A clock in milliseconds. Default: `performance.now` */
  readonly now?: (() => number) | undefined;
}

/** Limit of pending deletes, because clients queue what they cannot send without a limit. */
const maxPendingDeletes = 100;

/** Limit of remembered keys that failed. */
const maxFailedKeys = 100;

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

// Registered, because the ESM and the CommonJS build may be loaded in one process.
const guarded = Symbol.for('graphql-functions.guarded-cache');

type OnError = NonNullable<GuardOptions['onError']>;

/** True if the calls of a cache neither fail nor hang. */
function isGuarded(cache: object): boolean {
  return guarded in cache;
}

/** Marks a cache whose calls neither fail nor hang; `listen` adds a listener for its failures. A second mark replaces the first. */
export function markGuarded(cache: object, listen: (onError: OnError) => void = () => {}): void {
  Object.defineProperty(cache, guarded, { value: listen, configurable: true });
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
    if (this.#breaker.recentFailure(key) !== undefined || !this.#breaker.allows()) return undefined;
    const value: unknown = await this.#breaker.watch(key, () => this.#cache.get(key));
    return typeof value === 'string' ? value : undefined;
  }

  async set(key: string, value: string, options?: KeyValueCacheSetOptions): Promise<void> {
    const failure = this.#breaker.recentFailure(key);
    if (failure === 'late' || !this.#breaker.allows()) return;
    // A store may refuse one value (memcached: above 1 MiB) and still work. And a new value may repair a key that cannot be read.
    await this.#breaker.watch(key, () => this.#cache.set(key, value, options), { forgivesErrors: true, silent: failure !== undefined });
  }

  /** Deletes a key. The delete is sent even while the breaker is open, but not awaited: a client that reconnects delivers it later. */
  async delete(key: string): Promise<boolean | void> {
    const allowed = this.#breaker.recentFailure(key) === undefined && this.#breaker.allows();
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

/** How the last call for a key failed. */
type FailureKind = 'refused' | 'late';

interface WatchOptions {
  /** An error says nothing about the store or the key. */
  readonly forgivesErrors?: boolean;
  /** The failure of this key has been reported already. */
  readonly silent?: boolean;
}

/**
 * Opens when calls for two keys fail in a row; one key alone may have a value that is unreadable or huge, so until then only
 * that key is not called during the cooldown. After the cooldown one call is let through, and the breaker closes if it succeeds.
 */
class Breaker {
  onError: OnError | undefined;
  readonly #deadline: number;
  readonly #cooldown: number;
  readonly #now: () => number;
  readonly #failures = new Map<string, { readonly kind: FailureKind; readonly until: number }>();
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
    // Other calls stay blocked for this time: on Workers, this call and its timer may never end if its client leaves.
    this.#openUntil = now + this.#deadline + this.#cooldown;
    return true;
  }

  recentFailure(key: string): FailureKind | undefined {
    if (this.#failures.size === 0) return undefined;
    const known = this.#failures.get(key);
    if (known === undefined || this.#now() < known.until) return known?.kind;
    this.#failures.delete(key);
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
      const result = await Promise.race([(async () => call())(), late]);
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
    if (this.#failures.size > 0) this.#failures.delete(key);
  }

  #failed(key: string, kind: FailureKind): void {
    const until = this.#now() + this.#cooldown;
    if (this.#openUntil !== -Infinity || (this.#suspect !== undefined && this.#suspect !== key)) this.#openUntil = until;
    this.#suspect = key;
    this.#failures.delete(key);
    this.#failures.set(key, { kind, until });
    if (this.#failures.size > maxFailedKeys) this.#failures.delete(this.#failures.keys().next().value!);
  }

  #report(error: unknown): void {
    try {
      this.onError?.(error);
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
