import { createError } from '../errors.ts';
import { tooManyComparisons } from './limits.ts';

/**
 * What the operations of one batch may take together: each alone may take as much as a request, and ten of them took ten
 * times as long (1.1 s of CPU; bench/hostile.ts).
 */
export class BatchBudget {
  readonly #maxTokens: number;
  readonly #maxComparisons: number;
  #tokens = 0;
  #comparisons = 0;

  constructor({ maxTokens, maxComparisons }: { readonly maxTokens: number; readonly maxComparisons: number }) {
    this.#maxTokens = maxTokens;
    this.#maxComparisons = maxComparisons;
  }

  /** How many tokens are left. */
  get tokens(): number {
    return Math.max(0, this.#maxTokens - this.#tokens);
  }

  /** Throws when there are not so many tokens left. */
  spendTokens(tokens: number): void {
    this.#tokens += tokens;
    if (this.#tokens <= this.#maxTokens) return;
    throw createError(
      'GRAPHQL_PARSE_FAILED',
      `Expected the documents of a batch to have at most ${this.#maxTokens} tokens together, got more.`,
    );
  }

  /** Throws when there are not so many comparisons of fields left. Then none are made, and none are spent. */
  spendComparisons(comparisons: number): void {
    if (this.#comparisons + comparisons > this.#maxComparisons) throw tooManyComparisons();
    this.#comparisons += comparisons;
  }
}
