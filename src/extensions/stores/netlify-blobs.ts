import { conditionalStore } from './conditional-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** A store of the package `@netlify/blobs`, version 10 or newer, which has conditional writes. */
export interface BlobStore {
  getWithMetadata(key: string, options: any): Promise<{ readonly data: any; readonly etag?: string | undefined } | null>;
  setJSON(key: string, value: any, options: any): Promise<{ readonly modified: boolean; readonly etag?: string | undefined }>;
}

/**
 * Keeps records in Netlify Blobs. Every write is conditional on the version that was read. Leases are judged by the clock of the function.
 * Records stay as blobs after they have expired.
 *
 * @example
 * netlifyBlobsStore(getStore({ name: 'idempotency', consistency: 'strong' }))
 */
export function netlifyBlobsStore(blobs: BlobStore): IdempotencyStore {
  if (typeof blobs?.getWithMetadata !== 'function' || typeof blobs.setJSON !== 'function')
    throw new TypeError("Expected netlifyBlobsStore to get a store of @netlify/blobs, such as getStore({ name: 'idempotency' }).");
  const { claim, finish, release } = conditionalStore({
    read: async (id) => {
      const found = await blobs.getWithMetadata(id, { type: 'json', consistency: 'strong' });
      if (found !== null && !found.etag) throw new Error('Netlify Blobs returned a record without its version.');
      return { value: found?.data as string | undefined, version: found?.etag, now: Date.now() };
    },
    write: async (id, { value, version }) => {
      const condition = version === undefined ? { onlyIfNew: true } : { onlyIfMatch: version };
      const { modified, etag } = await blobs.setJSON(id, value, condition);
      // Version 11.1.1 reports every status but 412 as modified, 403, 429 and 500 included. Only a write that took place has a version.
      if (modified && !etag) throw new Error('Netlify Blobs did not write the record of an idempotency key.');
      return modified;
    },
  });
  return { claim, finish, release };
}
