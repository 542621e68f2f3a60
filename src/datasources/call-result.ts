import { copyJSON, copyOf } from './copy.ts';

/** The result of a call, for one or several callers. */
export interface CallResult {
  /** The value for one more caller; if it is shared, a copy without common mutable parts. */
  take(isShared: boolean): unknown;
}

/** A value returned by a hook. */
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
 * A value parsed from JSON. Most have one caller, who gets the parsed value. For a second caller the JSON is parsed again, and all
 * others get copies of that.
 */
export class JSONResult implements CallResult {
  readonly #text: string;
  #first: unknown;
  #isTaken = false;
  #pristine: unknown;

  /** Throws a SyntaxError if the text is not JSON. */
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
      // The value nests too deep for the stack; the parser has no such limit.
      return JSON.parse(this.#text);
    }
  }
}
