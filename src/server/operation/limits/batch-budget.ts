import { createError } from '../errors.ts';
import { maxComparisons as mostComparisons, tooManyComparisons } from './limits.ts';

interface BatchLimits {
  readonly maxTokens: number;
  /** Default: the limit for one operation. */
  readonly maxComparisons?: number | undefined;
  readonly operations?: number;
}

/**
 * The limits that the operations of one batch share. With separate limits, a batch of ten took ten times as long as a single request
 * (1.1 s of CPU; bench/hostile.ts).
 */
export class BatchBudget {
  /** The number of operations. */
  readonly operations: number;
  readonly #maxTokens: number;
  readonly #maxComparisons: number;
  #tokens = 0;
  #comparisons = 0;

  constructor({ maxTokens, maxComparisons = mostComparisons, operations = 1 }: BatchLimits) {
    this.operations = operations;
    this.#maxTokens = maxTokens;
    this.#maxComparisons = maxComparisons;
  }

  get tokens(): number {
    return Math.max(0, this.#maxTokens - this.#tokens);
  }

  /** Throws when fewer tokens are left. */
  spendTokens(tokens: number): void {
    this.#tokens += tokens;
    if (this.#tokens <= this.#maxTokens) return;
    throw createError(
      'GRAPHQL_PARSE_FAILED',
      `Expected the documents of a batch to have at most ${this.#maxTokens} tokens together, got more.`,
    );
  }

  /** Throws when fewer comparisons of fields are left. Then none are spent, because none are made. */
  spendComparisons(comparisons: number): void {
    if (this.#comparisons + comparisons > this.#maxComparisons) throw tooManyComparisons();
    this.#comparisons += comparisons;
  }
}
