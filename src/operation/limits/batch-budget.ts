import type { OperationDefinitionNode } from 'graphql';

import { maxRecordedErrors } from '../../execution/run.ts';
import { createError } from '../errors.ts';
import type { BatchAnswers } from './answer-limit.ts';
import { ErrorAllowance } from './error-allowance.ts';
import { shown, tooManyComparisons, tooMuch } from './limits.ts';

/** Options that hold for the operations of a batch together. */
type SharedLimit = 'maxAliases' | 'maxCost';

interface BatchLimits {
  readonly maxTokens: number;
  readonly maxComparisons: number;
  readonly maxAliases?: number | undefined;
  readonly maxCost?: { readonly limit: number } | undefined;
  readonly answers?: BatchAnswers;
}

/**
 * The share that the operations of one batch have together: each alone may take as much as a request, and ten of them took ten
 * times as long (1.1 s of CPU; bench/hostile.ts).
 */
export class BatchBudget {
  /** The share that their errors have together. */
  readonly errors: ErrorAllowance = new ErrorAllowance({ left: maxRecordedErrors });
  readonly answers: BatchAnswers | undefined;
  readonly #maxTokens: number;
  readonly #maxComparisons: number;
  readonly #limits: Readonly<Record<SharedLimit, number>>;
  readonly #spent: Record<SharedLimit, number> = { maxAliases: 0, maxCost: 0 };
  #tokens = 0;
  #comparisons = 0;

  constructor({ maxTokens, maxComparisons, maxAliases = Infinity, maxCost, answers }: BatchLimits) {
    this.answers = answers;
    this.#maxTokens = maxTokens;
    this.#maxComparisons = maxComparisons;
    this.#limits = { maxAliases, maxCost: maxCost?.limit ?? Infinity };
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

  /** Throws when the operations of the batch would together take more than one may. Then this one takes nothing. */
  spend(limit: SharedLimit, amount: number, operation: OperationDefinitionNode): void {
    const sum = this.#spent[limit] + amount;
    const allowed = this.#limits[limit];
    if (sum > allowed) {
      throw tooMuch(`Expected the operations of a batch to keep ${limit} together, which is ${allowed}, got ${shown(sum)}.`, operation);
    }
    this.#spent[limit] = sum;
  }
}
