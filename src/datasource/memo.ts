import type { CallAnswer, Take } from './received.ts';
import type { Flight, WaitOptions } from './flight.ts';

/** A GET that an instance has sent, with its result. */
export class MemoizedResult {
  /** The header fields it was sent with: another set of them is another request. */
  readonly identity: string;
  readonly flight: Flight<CallAnswer>;
  #answer: CallAnswer | undefined;

  constructor(identity: string, flight: Flight<CallAnswer>) {
    this.identity = identity;
    this.flight = flight;
  }

  /** A taker's own copy of the value; a promise only while the response is on its way. */
  take(waitOptions: () => WaitOptions, take: Take): unknown {
    if (this.#answer !== undefined) return take(this.#answer, true);
    return this.flight.join(waitOptions()).then((answer) => take((this.#answer ??= answer), true));
  }
}

/** The memo of one instance: by cache key, the GETs that no later write has invalidated. */
export type MemoizedResults = Map<string, MemoizedResult>;

/** The entry that answers a request with these header fields, if there is one. */
export function findMemoized(results: MemoizedResults, key: string, identity: string): MemoizedResult | undefined {
  const known = results.get(key);
  return known?.identity === identity && !known.flight.abandoned ? known : undefined;
}

/** Keeps a request that has just been sent; forgets it when it fails, so that the next caller asks again. */
export function memoize(
  results: MemoizedResults,
  { key, identity }: { readonly key: string; readonly identity: string },
  flight: Flight<CallAnswer>,
): MemoizedResult {
  const memoized = new MemoizedResult(identity, flight);
  results.set(key, memoized);
  flight.settled.catch(() => {
    if (results.get(key) === memoized) results.delete(key);
  });
  return memoized;
}
