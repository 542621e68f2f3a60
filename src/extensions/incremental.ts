import { multipart } from '../http/streams/multipart.ts';
import type { IncrementalDelivery } from '../http/streams/multipart.ts';
import { executeIncrementally } from '../operation/delivery/incremental.ts';
import { incrementalDirectives } from './incremental-directives.ts';

export type { IncrementalDelivery } from '../http/streams/multipart.ts';

/** How answers are divided into parts. */
export interface IncrementalDeliveryOptions {
  /**
   * true: deferred and streamed parts begin at once, beside the first part. The whole answer is complete sooner; its first
   * part may come later. Default: false, they begin when the first part is complete.
   */
  readonly early?: boolean;
}

/**
 * The value of the option `incrementalDelivery`: answers `@defer` and `@stream` in several parts. Needs graphql 17; 16
 * answers such operations once, complete.
 *
 * Handed in, and not switched on by a word, because of its weight: 7.1 KiB of gzip, 6 of them graphql-js's two executors
 * (scripts/size.ts). Bundles without it carry nothing of that.
 *
 * @example
 * ```ts
 * import { incrementalDelivery } from 'graphql-functions/incremental';
 *
 * export default createHandler({ typeDefs, resolvers, incrementalDelivery: incrementalDelivery() });
 * ```
 */
export function incrementalDelivery({ early = false }: IncrementalDeliveryOptions = {}): IncrementalDelivery {
  return { directives: incrementalDirectives(), execute: (parts) => executeIncrementally({ early }, parts), multipart };
}
