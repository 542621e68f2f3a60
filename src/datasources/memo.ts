import type { CallAnswer, Take } from './received.ts';
import type { Flight, WaitOptions } from './flight.ts';
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
