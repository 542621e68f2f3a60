import type { Milliseconds } from '../../shared/index.ts';

/**
 * Keeps one record for each idempotency key. A store must make each of its three operations atomic and strongly consistent, and compare the
 * token inside of the operation: a read followed by a write lets two attempts run. Check a store with `storeTests` of
 * `graphql-functions/testing`.
 */
export interface IdempotencyStore {
  /**
   * Claims a record that does not exist, or that the attempt with this token has claimed before; with `again`, also a record that an
   * attempt with the same fingerprint has abandoned. Otherwise changes nothing, and returns the state of the record.
   */
  claim(id: string, claim: Claim): Promise<ClaimResult>;
  /**
   * Stores the answer, if the attempt with this token has claimed the record. Resolves to whether it has, also if it had finished it
   * before.
   */
  finish(id: string, finish: Finish): Promise<boolean>;
  /**
   * Frees the record for others, if the attempt with this token has claimed it and not finished it. Resolves to true if it has freed the
   * record. In either case, a claim with this token that arrives late should not claim it: nobody would release it.
   */
  release(id: string, release: Pick<Finish, 'token'>): Promise<boolean>;
  /** True if the records are in the memory of this process. Such a store is refused in production. Default: false */
  readonly isLocal?: boolean | undefined;
}

/** One attempt to run an operation. All times are durations, so that the store's clock decides. */
export interface Claim {
  /** Unique for each attempt. The store writes it into the record, and compares it in `finish` and `release`. */
  readonly token: string;
  /** A hash of the operation and its variables. */
  readonly fingerprint: string;
  /** For how long the attempt counts as running. Afterwards the record is abandoned; it is still there. */
  readonly lease: Milliseconds;
  /** For how long the record is kept. */
  readonly keep: Milliseconds;
  /** If true, the claim takes over an abandoned record with the same fingerprint. */
  readonly again: boolean;
}

/** The outcome of a claim. */
export type ClaimResult =
  /** The attempt has the record and may run. */
  | { readonly state: 'claimed' }
  /** Another attempt is running. `left`: the rest of its lease. */
  | { readonly state: 'running'; readonly fingerprint: string; readonly left: Milliseconds }
  /** The lease of another attempt is over, but the attempt has not finished. */
  | { readonly state: 'abandoned'; readonly fingerprint: string }
  /** An attempt has finished. `answer` is undefined if the answer was not kept. */
  | { readonly state: 'finished'; readonly fingerprint: string; readonly answer: string | undefined };

/** The end of an attempt. */
export interface Finish {
  readonly token: string;
  /** The answer; undefined if it is not kept. */
  readonly answer: string | undefined;
  /** For how long the record is kept, from now on. */
  readonly keep: Milliseconds;
}
