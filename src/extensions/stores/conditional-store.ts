import type { Milliseconds } from '../../shared/index.ts';
import { assertCost, takeFrom } from './bucket.ts';
import type { StoredBucket } from './bucket.ts';
import type { BudgetStore, TakeResult } from './budget-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import { claimRecord, finishRecord, releaseRecord } from './record.ts';
import type { RecordStep, StoredRecord } from './record.ts';

/** The result of a read. */
export interface Found {
  /** The value of the key, if it has one. */
  readonly value: string | undefined;
  /** The version, which changes with each write; undefined if nothing was ever written. */
  readonly version: string | undefined;
  /** The time of the read, by the store's clock if it has one. */
  readonly now: Milliseconds;
}

/** The value to write, with `now` and `version` of the read before it. */
export interface ConditionalWrite extends Pick<Found, 'version' | 'now'> {
  readonly value: string;
  /** When the value may be removed. A whole number. */
  readonly expires: Milliseconds;
}

/** A store of texts, whose reads are strongly consistent, and whose writes have a condition. */
export interface ConditionalTexts {
  read(id: string): Promise<Found>;
  /** Writes if the version is still the same. Resolves to true if it has written. */
  write(id: string, write: ConditionalWrite): Promise<boolean>;
}

/** The most tries of an operation while others write the same value. Each failed try means that another operation has succeeded. */
const maxTries = 20;

/** Records and buckets as texts. Each operation is a read, and a write on the condition that nothing was written since. */
export function conditionalStore({ read, write }: ConditionalTexts): IdempotencyStore & BudgetStore {
  const change = async <T, TStored extends StoredRecord | StoredBucket>(
    id: string,
    step: (stored: TStored | undefined, now: Milliseconds) => RecordStep<T, TStored>,
  ): Promise<T | undefined> => {
    for (let tries = 0; tries < maxTries; tries++) {
      const { value, version, now } = await read(id);
      const { result, write: next } = step(value === undefined ? undefined : (JSON.parse(value) as TStored), now);
      if (next === undefined) return result;
      if (await write(id, { value: JSON.stringify(next), version, now, expires: Math.ceil(next.expires) })) return result;
    }
    return undefined;
  };
  const changeRecord = async <T>(id: string, step: (stored: StoredRecord | undefined, now: Milliseconds) => RecordStep<T>): Promise<T> => {
    const result = await change(id, step);
    if (result === undefined) throw new Error('Too many attempts write the record of one idempotency key at once.');
    return result;
  };
  return {
    claim: (id, claim) => changeRecord(id, (record, now) => claimRecord(record, claim, now)),
    finish: (id, finish) => changeRecord(id, (record, now) => finishRecord(record, finish, now)),
    release: (id, release) => changeRecord(id, (record, now) => releaseRecord(record, release, now)),
    take: async (id, take) => {
      assertCost(take);
      const result = await change<TakeResult, StoredBucket>(id, (bucket, now) => {
        const { write: fullAt, ...refused } = takeFrom(bucket?.fullAt, take, now * 1000);
        return fullAt === undefined ? refused : { ...refused, write: { fullAt, expires: fullAt / 1000 } };
      });
      // A failure could let operations run without points, so a bucket with too many takes at once counts as empty.
      return result ?? { isTaken: false, untilFull: take.capacity };
    },
  };
}
