import { copyJSON, copyOf } from './copy.ts';

/** The result of a call, for one taker or for several. */
export interface CallResult {
  /** The value for one more taker: where others have it too, a copy that shares nothing changeable with theirs. */
  take(isShared: boolean): unknown;
}

/** A value that a hook has made. */
export class ValueResult implements CallResult {
  readonly #value: unknown;
  #isTaken = false;

  constructor(value: unknown) {
    this.#value = value;
  }

  take(isShared: boolean): unknown {
    const isFirst = !this.#isTaken;
    this.#isTaken = true;
    return isShared ? copyOf(this.#value, isFirst) : this.#value;
  }
}

/**
 * A value that was parsed from JSON. Most are taken once, so the first taker has what was parsed, and only when a second
 * one comes is the JSON parsed again, into a value that stays here; from then on that one is copied.
 */
export class JSONResult implements CallResult {
  readonly #text: string;
  #first: unknown;
  #isTaken = false;
  #pristine: unknown;

  /** Throws a SyntaxError when the text is no JSON. */
  constructor(text: string) {
    this.#text = text;
    this.#first = JSON.parse(text);
  }

  take(): unknown {
    if (!this.#isTaken) {
      const first = this.#first;
      this.#isTaken = true;
      this.#first = undefined;
      return first;
    }
    const pristine: unknown = (this.#pristine ??= JSON.parse(this.#text));
    if (typeof pristine !== 'object' || pristine === null) return pristine;
    try {
      return copyJSON(pristine);
    } catch {
      // Nested deeper than the stack reaches; the parser has no such limit.
      return JSON.parse(this.#text);
    }
  }
}
