import { executeIncrementally, multipart } from '../../server/index.ts';
import type { IncrementalDelivery } from '../../server/index.ts';
import { describe } from '../../shared/index.ts';
import { incrementalDirectives } from './incremental-directives.ts';

export type { IncrementalDelivery } from '../../server/index.ts';

/** How answers are divided into parts. */
export interface IncrementalDeliveryOptions {
  /**
   * true: deferred and streamed parts start at once, concurrently with the first part. The whole answer is complete sooner; its first part
   * may arrive later. Default: false, they start when the first part is complete.
   */
  readonly early?: boolean;
  /**
   * The most parts of an answer: fragments with `@defer`, counted for each object, and lists with `@stream`. Five streamed items count as a
   * part. A field that would exceed the limit is null, with an error of code RESULT_TOO_LARGE. An operation that uses the directives more
   * often than this, or more than 50 times, gets one complete answer. Default: 1,000
   */
  readonly maxParts?: number;
}

/**
 * The value of the option `incrementalDelivery`: answers `@defer` and `@stream` in several parts. Needs graphql 17; 16
 * answers such operations once, complete.
 *
 * A value to import and not a boolean, because of its size: 14 KiB gzipped, 10 of them graphql-js's executors (scripts/size.ts). Other
 * bundles contain none of it.
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
    throw new TypeError(`Expected maxParts of incrementalDelivery to be 0 or more, got ${describe(maxParts)}.`);
  return { directives: incrementalDirectives(), execute: (parts) => executeIncrementally({ early, maxParts }, parts), multipart };
}
