import type { CallAnswer, Take } from './received.ts';
import type { Flight, WaitOptions } from './flight.ts';
import { isSameIdentity } from './http-cache/request-identity.ts';
import type { RequestIdentity } from './http-cache/request-identity.ts';

/** A GET of one instance and its result. */
export class MemoizedResult {
  /** A GET with another identity is another request. */
  readonly identity: RequestIdentity;
  readonly flight: Flight<CallAnswer>;
  #answer: CallAnswer | undefined;

  constructor(identity: RequestIdentity, flight: Flight<CallAnswer>) {
    this.identity = identity;
    this.flight = flight;
  }

  /** The value for one caller; a promise only until the response has arrived. */
  take(waitOptions: () => WaitOptions, take: Take): unknown {
    if (this.#answer !== undefined) return take(this.#answer);
    return this.flight.join(waitOptions()).then((answer) => take((this.#answer ??= answer)));
  }
}

/** The memo of one instance: GETs by cache key, until a write invalidates them. */
export type MemoizedResults = Map<string, MemoizedResult>;

/** The memoized GET with this key and identity, if any. */
export function findMemoized(results: MemoizedResults, key: string, identity: RequestIdentity): MemoizedResult | undefined {
  const known = results.get(key);
  return known !== undefined && isSameIdentity(known.identity, identity) && known.flight.canJoin ? known : undefined;
}

/** Stores a GET in the memo. It is removed if it fails, so that the next call sends it again. */
export function memoize(
  results: MemoizedResults,
  { key, identity }: { readonly key: string; readonly identity: RequestIdentity },
  flight: Flight<CallAnswer>,
): MemoizedResult {
  const memoized = new MemoizedResult(identity, flight);
  results.set(key, memoized);
  flight.settled.catch(() => {
    if (results.get(key) === memoized) results.delete(key);
  });
  return memoized;
}
