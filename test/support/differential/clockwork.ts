/** How the asynchronous values of a run arrive. */
export type Timing = 'sync' | 'apart' | 'together';

/**
 * Settles the promises of a run in an order that does not depend on the order in which they were created.
 *
 * 'apart': promises settle one at a time, and all reactions to one run before the next settles. 'together': all pending promises
 * settle in the same turn, as those of `async` resolvers that await nothing do.
 */
export class Clockwork {
  readonly timing: Timing;
  readonly #open = new Map<string, { readonly rank: number; readonly settle: () => void }>();
  #serial = 0;

  constructor(timing: Timing) {
    this.timing = timing;
  }

  /** A promise that will settle as `outcome` does. The rank determines its position among the pending promises. */
  promise(rank: number, outcome: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(outcome());
        } catch (error) {
          reject(error as Error);
        }
      };
      this.#open.set(String(this.#serial++), { rank, settle });
    });
  }

  /** Settles promises until none is pending. */
  async run(): Promise<void> {
    await nextTurn();
    while (this.#open.size > 0) {
      const ranked = [...this.#open].toSorted(([, a], [, b]) => a.rank - b.rank);
      for (const [key, { settle }] of this.timing === 'apart' ? ranked.slice(0, 1) : ranked) {
        this.#open.delete(key);
        settle();
      }
      await nextTurn();
    }
  }
}

/** Resolves when all microtasks have run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
