import { isListOfText, isRecord, positive } from '../../shared/index.ts';
import type { Expectation } from '../../shared/index.ts';
import type { PageLimitOptions } from './page-limits.ts';

/** Options of {@link limits}. */
export interface LimitsOptions {
  /** Levels of fields in an operation with its fragments expanded; `{ books { title } }` has two. Default: 200, as for all nesting. */
  readonly maxDepth?: number | undefined;
  /** Aliased fields in an operation with its fragments expanded. Default: any number. */
  readonly maxAliases?: number | undefined;
  /**
   * The highest cost of an operation, calculated before it runs: each field costs 1, and the selection of a list counts once for each item.
   * Default: any cost.
   */
  readonly maxCost?: number | undefined;
  /**
   * Arguments that give the number of items, or fields of input objects in arguments, which can only raise the cost; a list gives its
   * length. Default: first, last, limit.
   */
  readonly sizeArguments?: readonly string[] | undefined;
  /** The number of items of a list without a size. Default: 10. */
  readonly listSize?: number | undefined;
  /** The cost of single fields, for example `{ 'Query.search': 50 }`. Default: 1. */
  readonly fields?: Readonly<Record<string, number>> | undefined;
  /**
   * The number of items of fields that return a list or a connection and have one of the size arguments: `default` if the client gives none,
   * at most `max`. `fields` has others for single fields. Default: any number.
   */
  readonly pageLimits?: PageLimitOptions | undefined;
}

const pageSizes: Readonly<Record<string, Expectation>> = { default: positive, max: positive };

export const expectations: Readonly<Record<keyof LimitsOptions, Expectation>> = {
  maxDepth: positive,
  maxAliases: { words: 'a whole number that is not negative', holds: (value) => Number.isInteger(value) && (value as number) >= 0 },
  maxCost: positive,
  sizeArguments: { words: 'a list of strings', holds: isListOfText },
  listSize: positive,
  fields: {
    words: 'an object like { "Query.search": 50 }, with costs that are not negative',
    holds: (value) => isRecord(value) && Object.values(value).every((cost) => typeof cost === 'number' && cost >= 0),
  },
  pageLimits: {
    words: 'an object with default and max, like { default: 20, max: 100, fields: { "Query.books": { max: 500 } } }',
    holds: (value) => isRecord(value) && value['default'] !== undefined && value['max'] !== undefined,
    entries: {
      ...pageSizes,
      fields: {
        words: 'an object like { "Query.books": { max: 500 } }',
        holds: isRecord,
        each: { words: 'an object like { max: 500 }', holds: isRecord, entries: pageSizes },
      },
    },
  },
};
