import { createError } from './errors.ts';

/**
 * What the operations of one batch may have together: each alone could be as large as a request may be, and ten of them
 * would cost ten times as much (1.1 s of CPU without this; bench/hostile.ts).
 */
export class TokenBudget {
  readonly #limit: number;
  #spent = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many tokens are left. */
  get remaining(): number {
    return Math.max(0, this.#limit - this.#spent);
  }

  /** Throws when there are not so many left. */
  spend(tokens: number): void {
    this.#spent += tokens;
    if (this.#spent <= this.#limit) return;
    throw createError(
      'GRAPHQL_PARSE_FAILED',
      `Expected the documents of a batch to have at most ${this.#limit} tokens together, got more.`,
    );
  }
}
