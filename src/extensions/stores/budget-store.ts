/** A number of microseconds. */
export type Microseconds = number;

/**
 * Keeps one number for each bucket of points: the time at which it is full again (the generic cell rate algorithm, GCRA). A store must make
 * `take` atomic and strongly consistent: a read followed by a write lets two operations take the same points. Check a store with
 * `storeTests` of `graphql-functions/testing`.
 */
export interface BudgetStore {
  /**
   * Takes points if the bucket has them; otherwise takes none. A bucket that the store does not know is full. Points are measured by the
   * time that they take to refill.
   */
  take(id: string, take: Take): TakeResult | Promise<TakeResult>;
  /** True if the buckets are in the memory of this process and other processes have their own. Refused in production. Default: false */
  readonly isLocal?: boolean | undefined;
  /** True if the buckets are in the memory of this process, so that the store cannot be slow or down. Default: false */
  readonly isInMemory?: boolean | undefined;
}

/** The points of an operation. All times are durations, so that the store's clock decides. They are whole numbers. */
export interface Take {
  /** How long the bucket takes to refill the points. At least 1, and at most `capacity`. */
  readonly cost: Microseconds;
  /** How long an empty bucket takes to fill. At most a year. */
  readonly capacity: Microseconds;
  /** True for a client without an identity, of which there may be any number: they must not use up the room of the others. */
  readonly isAnonymous?: boolean | undefined;
}

export interface TakeResult {
  readonly isTaken: boolean;
  /** How long the bucket takes to be full, after this take. */
  readonly untilFull: Microseconds;
}
