import type { Claim, ClaimResult, Finish } from './idempotency-store.ts';

/** A record as stores without a query language keep it. Times are milliseconds since the epoch, by the clock of the store. */
export interface StoredRecord {
  readonly token: string;
  readonly fingerprint: string;
  readonly leaseEnds: number;
  readonly expires: number;
  readonly isFinished: boolean;
  readonly answer?: string | undefined;
}

/** A step of a record: what the caller gets, and the record to write. Without `write`, nothing changes; null: the record is removed. */
export interface RecordStep<T> {
  readonly result: T;
  readonly write?: StoredRecord | null;
}

export function claimRecord(record: StoredRecord | undefined, claim: Claim, now: number): RecordStep<ClaimResult> {
  const { token, fingerprint, lease, keep, again } = claim;
  const claimed = {
    result: { state: 'claimed' },
    write: { token, fingerprint, leaseEnds: now + lease, expires: now + keep, isFinished: false },
  } as const;
  if (record === undefined || record.expires <= now) return claimed;
  const { fingerprint: known } = record;
  if (record.isFinished) return { result: { state: 'finished', fingerprint: known, answer: record.answer } };
  if (record.token === token) return claimed;
  const left = record.leaseEnds - now;
  if (left > 0) return { result: { state: 'running', fingerprint: known, left } };
  return again && known === fingerprint ? claimed : { result: { state: 'abandoned', fingerprint: known } };
}

export function finishRecord(record: StoredRecord | undefined, { token, answer, keep }: Finish, now: number): RecordStep<boolean> {
  if (record?.token !== token || record.expires <= now) return { result: false };
  if (record.isFinished) return { result: true };
  return { result: true, write: { ...record, isFinished: true, answer, expires: now + keep } };
}

export function releaseRecord(record: StoredRecord | undefined, { token }: Pick<Finish, 'token'>, now: number): RecordStep<boolean> {
  if (record?.token !== token || record.isFinished || record.expires <= now) return { result: false };
  return { result: true, write: null };
}
