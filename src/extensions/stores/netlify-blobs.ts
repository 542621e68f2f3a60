import { claimRecord, finishRecord, releaseRecord } from './record.ts';
import type { RecordStep, StoredRecord } from './record.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** A store of the package `@netlify/blobs`, version 10 or newer, which has conditional writes. */
export interface BlobStore {
  getWithMetadata(key: string, options: any): Promise<{ readonly data: any; readonly etag?: string | undefined } | null>;
  setJSON(key: string, value: any, options: any): Promise<{ readonly modified: boolean; readonly etag?: string | undefined }>;
}

/**
 * Keeps records in Netlify Blobs. Every write is conditional on the version that was read. The first claim of a record is one request, all
 * else two or more. Leases are judged by the clock of the function. Records stay as blobs after they have expired.
 *
 * @example
 * netlifyBlobsStore(getStore({ name: 'idempotency', consistency: 'strong' }))
 */
export function netlifyBlobsStore(blobs: BlobStore): IdempotencyStore {
  if (typeof blobs?.getWithMetadata !== 'function' || typeof blobs.setJSON !== 'function')
    throw new TypeError("Expected netlifyBlobsStore to get a store of @netlify/blobs, such as getStore({ name: 'idempotency' }).");

  const apply = async <T>(id: string, step: (record: StoredRecord | undefined, now: number) => RecordStep<T>): Promise<T> => {
    for (let tries = 0; tries < 10; tries++) {
      const found = await blobs.getWithMetadata(id, { type: 'json', consistency: 'strong' });
      // A record that was released is null: blobs cannot be deleted on a condition.
      const record = (found?.data ?? undefined) as StoredRecord | undefined;
      const { result, write } = step(record, Date.now());
      if (write === undefined) return result;
      if (found !== null && !found.etag) throw new Error('Netlify Blobs returned a record without its version.');
      const condition = found === null ? { onlyIfNew: true } : { onlyIfMatch: found.etag };
      if (await isWritten(blobs.setJSON(id, write, condition))) return result;
      // Another attempt was faster, or this client has written the record and then retried internally. The token shows which.
    }
    throw new Error('Too many attempts write the record of one idempotency key at once.');
  };
  return {
    claim: async (id, claim) => {
      const { result, write } = claimRecord(undefined, claim, Date.now());
      if (await isWritten(blobs.setJSON(id, write, { onlyIfNew: true }))) return result;
      return apply(id, (record, now) => claimRecord(record, claim, now));
    },
    finish: (id, finish) => apply(id, (record, now) => finishRecord(record, finish, now)),
    release: (id, release) => apply(id, (record, now) => releaseRecord(record, release, now)),
  };
}

/**
 * Version 11.1.1 reports every status but 412 as `modified: true`, 403, 429 and 500 included. Only a write that took place has a version.
 */
async function isWritten(writing: ReturnType<BlobStore['setJSON']>): Promise<boolean> {
  const { modified, etag } = await writing;
  if (modified && !etag) throw new Error('Netlify Blobs did not write the record of an idempotency key.');
  return modified;
}
