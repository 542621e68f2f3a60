/** The limits of one taker's wait. */
export interface WaitOptions {
  readonly signals: readonly (AbortSignal | null | undefined)[];
  /** Milliseconds; undefined, 0 and more than a timer can hold mean no limit. */
  readonly timeout?: number | undefined;
  /** Makes the error of a wait that took longer than `timeout`. */
  readonly onTimeout?: (timeout: number) => Error;
}

/** The takers of an answer, as the flight sees them: at some moment the last of them may leave. */
export interface Waiting {
  readonly abandoned: boolean;
  readonly reason: unknown;
  readonly signal: AbortSignal;
  /** Calls back when the last taker has left. */
  whenAbandoned(callback: () => void): void;
}

/** A timer that is set to more than this fires at once. */
const maxTimeout = 2 ** 31 - 1;

/**
 * Work that several callers wait for. A caller that gives up leaves alone; only when the last one has
 * left is the work itself aborted. Sharing a plain promise made with the first caller's signal would let
 * that caller's abort fail all the others.
 */
export class Flight<T> implements Waiting {
  /** Every taker has left: none may join any more. */
  abandoned = false;
  /** Why they have left. */
  reason: unknown;
  /** The work itself; awaiting this instead of joining does not count as taking. */
  readonly settled: Promise<T>;
  /** The value for a taker whose time is over. */
  standIn: (() => T | Promise<T> | undefined) | undefined;
  #takers = 0;
  #controller: AbortController | undefined;
  #onAbandon: (() => void) | undefined;
  #unbind: (() => void) | undefined;

  constructor(work: (flight: Flight<T>) => Promise<T>) {
    this.settled = work(this);
    const letGo = (): void => this.#unbind?.();
    // Also when it fails: every taker may have left by then.
    this.settled.then(letGo, letGo);
  }

  /** Aborts when everybody has left. Made when first read: an answer from a cache never needs it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.abandoned) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /**
   * Ends the work for everybody when `signal` aborts. Lets go of it when the work is done: the signal of a subscription
   * lives on, and would keep every call that was ever made for it (4 KB each, and the answer).
   */
  abortWith(signal: AbortSignal): void {
    if (signal.aborted) {
      this.#abandon(signal.reason);
      return;
    }
    const abandon = (): void => this.#abandon(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    this.#unbind = () => signal.removeEventListener('abort', abandon);
  }

  /** Waits for the work, as long as the taker's limits allow. */
  join({ signals, timeout: limit = 0, onTimeout }: WaitOptions): Promise<T> {
    this.#takers++;
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
      const timer = timeout === undefined ? undefined : setTimeout(() => leave(onTimeout?.(timeout), this.standIn?.()), timeout);

      for (const signal of watched) signal.addEventListener('abort', onAbort, { once: true });
      this.settled.then(resolve, reject).finally(settle);
      if (watched.some((signal) => signal.aborted)) onAbort();
    });
  }

  /**
   * Waits for the work as long as another flight is under way. Unlike {@link join} it stays bound to that one
   * afterwards: the body of the response may still be on its way. By a callback, because an AbortSignal costs too much.
   */
  follow(waiting: Waiting): Promise<T> {
    this.#takers++;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        this.#leave(waiting.reason);
        reject(waiting.reason as Error);
      };
      this.settled.then(resolve, reject);
      if (waiting.abandoned) leave();
      else waiting.whenAbandoned(leave);
    });
  }

  whenAbandoned(callback: () => void): void {
    const before = this.#onAbandon;
    this.#onAbandon =
      before === undefined
        ? callback
        : () => {
            before();
            callback();
          };
  }

  #leave(reason: unknown): void {
    if (--this.#takers === 0) this.#abandon(reason);
  }

  #abandon(reason: unknown): void {
    if (this.abandoned) return;
    this.abandoned = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    this.#onAbandon?.();
  }
}

/** True for what has to be awaited. An await for nothing would be a tenth of a memoised call. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === 'function';
}
