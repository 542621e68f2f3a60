import type { Milliseconds } from '../../shared/index.ts';

/** Milliseconds after which a start fails. */
const longestStart = 10_000;

export interface AttemptSettings<T> {
  readonly outcome: Promise<T>;
  /** Reports the failure, once for all waiting calls, and throws the error for the client. */
  readonly fail: (error: unknown) => Promise<never>;
  /** The unfinished part of the start, for messages. */
  readonly stillAwaited: () => string;
  /** Milliseconds until the deadline of the call that began the attempt, if it has one. */
  readonly left: Milliseconds | undefined;
}

/** One attempt to start a server, for which several calls may wait. */
export class StartAttempt<T> {
  readonly #settings: AttemptSettings<T>;
  readonly #end: Milliseconds;
  /** True when the deadline comes before the limit. */
  readonly #isShort: boolean;
  #failing: Promise<never> | undefined;

  constructor(settings: AttemptSettings<T>) {
    const { left = Infinity } = settings;
    this.#settings = settings;
    this.#isShort = left < longestStart;
    this.#end = Date.now() + Math.min(left, longestStart);
  }

  /** Waits without a limit. */
  wait(): Promise<T> {
    return this.#settings.outcome.catch((error: unknown) => this.#fail(error));
  }

  /** Resolves to 'given up' at the deadline. Rejects after 10 s: the start has failed. */
  waitAtMost(): Promise<T | 'given up'> {
    // Each call has a timer, because on Workers the timers of a call that has ended never fire.
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          if (this.#isShort) resolve('given up');
          else this.#fail(this.#tooLong()).catch(reject);
        },
        Math.max(0, this.#end - Date.now()),
      );
      this.wait()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }

  #fail(error: unknown): Promise<never> {
    return (this.#failing ??= this.#settings.fail(error));
  }

  #tooLong(): Error {
    return new Error(
      `The start was given up after ${longestStart / 1000} s: ${this.#settings.stillAwaited()} had not finished. The next request tries again.`,
    );
  }
}
