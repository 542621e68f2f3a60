import type { Logger } from '../../server/index.ts';
import type { Milliseconds } from '../../shared/index.ts';

/** Milliseconds. */
const minute = 60_000;

/** Reports what may happen thousands of times a second, at once and then once per minute, with what has happened since. */
export class QuietLog {
  readonly #textOf: (operations: number, points: number) => string;
  #quietUntil: Milliseconds = -Infinity;
  #operations = 0;
  #points = 0;
  #cause: unknown;

  constructor(textOf: (operations: number, points: number) => string) {
    this.#textOf = textOf;
  }

  add(logger: Logger, points: number, cause?: unknown): void {
    this.#operations++;
    this.#points += points;
    this.#cause = cause;
    this.flush(logger);
  }

  /** Writes what has not been reported yet, unless the last line is less than a minute old. */
  flush(logger: Logger): void {
    if (this.#operations === 0) return;
    const now = Date.now();
    // The clock may have been set back.
    if (now < this.#quietUntil && this.#quietUntil - now <= minute) return;
    this.#quietUntil = now + minute;
    const text = this.#textOf(this.#operations, this.#points);
    const cause = this.#cause;
    this.#operations = 0;
    this.#points = 0;
    this.#cause = undefined;
    if (cause === undefined) logger.warn(text);
    else logger.error(text, cause);
  }
}
