import type { Milliseconds } from '../../shared/index.ts';
import type { Claim, ClaimResult, Finish } from './idempotency-store.ts';

/** A record. Times are milliseconds since the epoch, by the clock of the store. */
export interface StoredRecord {
  readonly token: string;
  readonly fingerprint: string;
  readonly leaseEnds: number;
  readonly expires: number;
  readonly isFinished: boolean;
  /**
   * True after a release. Others may claim, but not a delayed claim with the same token, whose attempt has been told that nothing was run:
   * nobody would release it.
   */
  readonly isReleased?: boolean | undefined;
  readonly answer?: string | undefined;
}

/** How long a claim may be on its way to the store. */
const longestDelay: Milliseconds = 600_000;

/** A step of a record: the result for the caller, and the record to write. Without `write`, nothing changes. */
export interface RecordStep<T, TStored = StoredRecord> {
  readonly result: T;
  readonly write?: TStored;
}

export function claimRecord(record: StoredRecord | undefined, claim: Claim, now: number): RecordStep<ClaimResult> {
  const { token, fingerprint, lease, keep, again } = claim;
  const claimed = {
    result: { state: 'claimed' },
    write: { token, fingerprint, leaseEnds: now + lease, expires: now + keep, isFinished: false },
  } as const;
  if (record === undefined || record.expires <= now) return claimed;
  const { fingerprint: known } = record;
  if (record.isReleased === true) return record.token === token ? { result: { state: 'abandoned', fingerprint: known } } : claimed;
  if (record.isFinished) return { result: { state: 'finished', fingerprint: known, answer: record.answer } };
  if (record.token === token) return claimed;
  const left = record.leaseEnds - now;
  if (left > 0) return { result: { state: 'running', fingerprint: known, left } };
  return again && known === fingerprint ? claimed : { result: { state: 'abandoned', fingerprint: known } };
}

export function finishRecord(record: StoredRecord | undefined, { token, answer, keep }: Finish, now: number): RecordStep<boolean> {
  if (record?.token !== token || record.isReleased === true || record.expires <= now) return { result: false };
  if (record.isFinished) return { result: true };
  return { result: true, write: { ...record, isFinished: true, answer, expires: now + keep } };
}

export function releaseRecord(record: StoredRecord | undefined, { token }: Pick<Finish, 'token'>, now: number): RecordStep<boolean> {
  const isThere = record !== undefined && record.expires > now;
  if (isThere && (record.token !== token || record.isFinished || record.isReleased === true)) return { result: false };
  const released = { token, fingerprint: record?.fingerprint ?? '', leaseEnds: now, isFinished: false, isReleased: true };
  return { result: isThere, write: { ...released, expires: now + longestDelay } };
}
