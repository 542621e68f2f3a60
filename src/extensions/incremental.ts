import { multipart } from '../http/streams/multipart.ts';
import type { IncrementalDelivery } from '../http/streams/multipart.ts';
import { executeIncrementally } from '../operation/delivery/incremental.ts';
import { describe } from '../message/describe.ts';
import { incrementalDirectives } from './incremental-directives.ts';

export type { IncrementalDelivery } from '../http/streams/multipart.ts';

/** How answers are divided into parts. */
export interface IncrementalDeliveryOptions {
  /**
   * true: deferred and streamed parts begin at once, beside the first part. The whole answer is complete sooner; its first
   * part may come later. Default: false, they begin when the first part is complete.
   */
  readonly early?: boolean;
  /**
   * The most parts of an answer: fragments with `@defer`, for each object that they stand in, and lists with `@stream`. Five streamed
   * items count as a part. A field with whose objects there would be more is null, with an error of code RESULT_TOO_LARGE. An operation
   * in which the directives stand more often than this, or more than 50 times, is answered once, complete. Default: 1,000
   */
  readonly maxParts?: number;
}

/**
 * The value of the option `incrementalDelivery`: answers `@defer` and `@stream` in several parts. Needs graphql 17; 16
 * answers such operations once, complete.
 *
 * Handed in, and not switched on by a word, because of its weight: 14 KiB of gzip, 10 of them graphql-js's executors
 * (scripts/size.ts). Bundles without it carry nothing of that.
 *
 * @example
 * ```ts
 * import { incrementalDelivery } from 'graphql-functions/incremental';
 *
 * export default createHandler({ typeDefs, resolvers, incrementalDelivery: incrementalDelivery() });
 * ```
 */
export function incrementalDelivery({ early = false, maxParts = 1_000 }: IncrementalDeliveryOptions = {}): IncrementalDelivery {
  if (typeof maxParts !== 'number' || !(maxParts >= 0))
    throw new TypeError(`Expected maxParts of incrementalDelivery to be a number from 0, got ${describe(maxParts)}.`);
  return { directives: incrementalDirectives(), execute: (parts) => executeIncrementally({ early, maxParts }, parts), multipart };
}
