/** The moments at which one caller stops waiting. */
export interface WaitOptions {
  readonly signals: readonly (AbortSignal | null | undefined)[];
  /** Milliseconds. No limit if undefined, 0, or more than a timer can hold. */
  readonly timeout?: number | undefined;
  /** Creates the error of a timeout. */
  readonly onTimeout?: (timeout: number) => Error;
}

/** The callers that wait for a result, until the last one gives up. */
export interface Waiting {
  readonly abandoned: boolean;
  readonly reason: unknown;
  readonly signal: AbortSignal;
}

/** Timers with more milliseconds fire at once. */
const maxTimeout = 2 ** 31 - 1;

/**
 * Work that several callers wait for. It is aborted when the last caller gives up. (With a plain promise and the signal of the first
 * caller, its abort would fail all the others.)
 */
export class Flight<T> implements Waiting {
  /** True when all callers have given up. */
  abandoned = false;
  /** The reason with which the last caller gave up. */
  reason: unknown;
  /** The result. Awaiting it does not count as joining. */
  readonly settled: Promise<T>;
  /** The value for a caller whose timeout is over. */
  fallback: (() => T | Promise<T> | undefined) | undefined;
  #callers = 0;
  #hooks = 0;
  #controller: AbortController | undefined;
  #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#abandon(this.#signal?.reason);

  constructor(work: (flight: Flight<T>) => Promise<T>) {
    this.settled = work(this);
    const unbind = (): void => this.#signal?.removeEventListener('abort', this.#onAbort);
    // This also handles a failure, because all callers may have given up by then.
    this.settled.then(unbind, unbind);
  }

  /**
   * False after the last caller has given up, while a hook runs, and for calls that the fetch of this flight makes itself: such a call must
   * not wait for its own flight.
   */
  get canJoin(): boolean {
    return !this.abandoned && this.#hooks === 0 && !this.#isOwnCall();
  }

  /** Calls a fetch of the user, which may make calls. Other callers can join meanwhile. */
  duringFetch<R>(send: () => Promise<R>): Promise<R> {
    fetching ??= createStorage();
    return fetching === undefined ? send() : fetching.run({ flight: this, within: fetching.getStore() }, send);
  }

  #isOwnCall(): boolean {
    let one = fetching?.getStore();
    while (one !== undefined && one.flight !== this) one = one.within;
    return one !== undefined;
  }

  /** The result of a hook, which may make calls. */
  async duringHook<R>(hook: () => R | Promise<R>): Promise<R> {
    this.#hooks++;
    try {
      return await hook();
    } finally {
      this.#hooks--;
    }
  }

  /** Aborts when the last caller has given up. Created when it is first read; cache hits never read it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.abandoned) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the work for all callers when `signal` aborts. The listener is removed at the end: the signal of a subscription lives long. */
  abortWith(signal: AbortSignal): void {
    if (signal.aborted) {
      this.#abandon(signal.reason);
      return;
    }
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  setFallback(fallback: () => T | Promise<T> | undefined): void {
    this.fallback = fallback;
  }

  /** Waits for the result within the limits of one caller. */
  join({ signals, timeout: limit = 0, onTimeout }: WaitOptions): Promise<T> {
    this.#callers++;
    const timeout = limit > 0 && limit <= maxTimeout ? limit : undefined;
    const watched = signals.filter((signal) => signal !== undefined && signal !== null);
    if (watched.length === 0 && timeout === undefined) return this.settled;

    return new Promise<T>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        for (const signal of watched) signal.removeEventListener('abort', onAbort);
      };
      const leave = (reason: unknown, instead?: T | Promise<T>): void => {
        settle();
        if (instead === undefined) reject(reason);
        else resolve(instead);
        this.#leave(reason);
      };
      const onAbort = (): void => leave(watched.find((signal) => signal.aborted)?.reason);
      const timer = timeout === undefined ? undefined : setTimeout(() => leave(onTimeout?.(timeout), this.fallback?.()), timeout);

      for (const signal of watched) signal.addEventListener('abort', onAbort, { once: true });
      this.settled.then(resolve, reject).finally(settle);
      if (watched.some((signal) => signal.aborted)) onAbort();
    });
  }

  #leave(reason: unknown): void {
    if (--this.#callers === 0) this.#abandon(reason);
  }

  #abandon(reason: unknown): void {
    if (this.abandoned) return;
    this.abandoned = true;
    this.reason = reason;
    this.#controller?.abort(reason);
  }
}

/** A running fetch of the user, and the flight that it serves. */
interface Fetching {
  readonly flight: object;
  readonly within: Fetching | undefined;
}

/** The AsyncLocalStorage of the fetch that runs. */
let fetching: { run<R>(store: Fetching, send: () => R): R; getStore(): Fetching | undefined } | undefined;

/**
 * Returns undefined on a platform without AsyncLocalStorage, such as Workers without Node's compatibility. There, a fetch must not call its
 * own data source for the same URL.
 */
function createStorage(): typeof fetching {
  try {
    const { AsyncLocalStorage } = globalThis.process.getBuiltinModule('node:async_hooks');
    return new AsyncLocalStorage<Fetching>();
  } catch {
    return undefined;
  }
}
