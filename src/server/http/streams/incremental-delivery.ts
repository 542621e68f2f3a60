import { deferDirective, planners, streamDirective } from '../../../executor/index.ts';
import { assertKnownOptions, describe } from '../../../shared/index.ts';
import { executeIncrementally } from '../../operation/delivery/incremental.ts';
import { incrementalRules } from '../../operation/delivery/incremental-rules.ts';
import type { StreamFormat } from './payload-chunks.ts';
import type { IncrementalExecution } from '../../operation/operation.ts';

/** The value of the option `incrementalDelivery`, from `incrementalDelivery()` of `graphql-functions/incremental`. */
export interface IncrementalDelivery extends IncrementalExecution {
  readonly multipart: StreamFormat;
}

const opening = '\r\n---';

/**
 * The boundary is a single dash, as in the incremental delivery RFC of GraphQL over HTTP: no line of JSON text begins with three. Each part
 * ends with the boundary of the next one, because clients use a part only when they see the next boundary.
 */
const multipart: StreamFormat = {
  type: 'multipart/mixed; boundary="-"',
  opening,
  part: (json) => `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}${opening}`,
  closing: '--\r\n',
};

/** How answers are divided into parts. */
export interface IncrementalDeliveryOptions {
  /**
   * The most parts of an answer: fragments with `@defer`, counted for each object, and lists with `@stream`, whatever their items. In an
   * object or a list that would exceed the limit nothing is deferred or streamed: it is complete at once. Each hundred characters of a path
   * count as one more. Default: 1,000
   */
  readonly maxParts?: number;
}

const known: Readonly<Record<keyof IncrementalDeliveryOptions, true>> = { maxParts: true };

/**
 * The value of the option `incrementalDelivery`: answers `@defer` and `@stream` in several parts.
 *
 * A value to import and not a boolean, because of its size (scripts/size.ts). Other bundles contain none of it.
 *
 * @example
 * ```ts
 * import { incrementalDelivery } from 'graphql-functions/incremental';
 *
 * export default createHandler({ typeDefs, resolvers, incrementalDelivery: incrementalDelivery() });
 * ```
 */
export function incrementalDelivery(options: IncrementalDeliveryOptions = {}): IncrementalDelivery {
  assertKnownOptions(options, known, { of: 'incrementalDelivery' });
  const { maxParts = 1_000 } = options;
  if (typeof maxParts !== 'number' || !(maxParts >= 0))
    throw new TypeError(`Expected maxParts of incrementalDelivery to be 0 or more, got ${describe(maxParts)}.`);
  return {
    directives: [deferDirective, streamDirective],
    validationRules: incrementalRules,
    partsOf: (format) => ({ planner: planners[format], maxParts }),
    execute: executeIncrementally,
    multipart,
  };
}
