import { copyOf } from './copy.ts';
import type { Flight, Patience } from './flight.ts';

/** What a call comes to. */
export interface CallResult {
  readonly value: unknown;
  /** The JSON that `value` was parsed from, when nobody's own hook had a hand in it. */
  readonly json?: string | undefined;
}

/** A GET that an instance has sent, and what came of it. */
export class MemoizedResult {
  /** The header fields it was sent with: another set of them is another request. */
  readonly identity: string;
  readonly flight: Flight<CallResult>;
  #result: CallResult | undefined;
  #handedOut = false;
  #pristine: unknown;

  constructor(identity: string, flight: Flight<CallResult>) {
    this.identity = identity;
    this.flight = flight;
  }

  /** A taker's own copy of the value; a promise only while the response is on its way. */
  take(patience: Patience): unknown {
    if (this.#result !== undefined) return this.#copy(this.#result);
    return this.flight.join(patience).then((result) => this.#copy((this.#result ??= result)));
  }

  /**
   * Most results are taken once. So the first taker has the parsed value itself, and only when a second one comes
   * is the JSON parsed again, into a value that nobody else ever holds; from then on that one is copied.
   */
  #copy(result: CallResult): unknown {
    if (typeof result.value !== 'object' || result.value === null) return result.value;
    if (result.json === undefined) return copyOf(this.#keep(result.value));
    if (!this.#handedOut) {
      this.#handedOut = true;
      return result.value;
    }
    return copyOf(this.#keep(undefined, result.json));
  }

  /** Where no text is to be had, the first taker gets a copy too, and the value itself stays here. */
  #keep(value: unknown, json?: string): unknown {
    return (this.#pristine ??= json === undefined ? value : JSON.parse(json));
  }
}

/** The memo of one instance: by cache key, what it has asked and not written to since. */
export type MemoizedResults = Map<string, MemoizedResult>;

/** The entry that answers a request with these header fields, if there is one. */
export function findMemoized(results: MemoizedResults, key: string, identity: string): MemoizedResult | undefined {
  const known = results.get(key);
  return known?.identity === identity && !known.flight.abandoned ? known : undefined;
}

/** Keeps a request that has just been sent; forgets it when it fails, so that the next caller asks again. */
export function memoize(results: MemoizedResults, key: string, identity: string, flight: Flight<CallResult>): MemoizedResult {
  const memoized = new MemoizedResult(identity, flight);
  results.set(key, memoized);
  flight.settled.catch(() => {
    if (results.get(key) === memoized) results.delete(key);
  });
  return memoized;
}
