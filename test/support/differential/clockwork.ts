/** How the asynchronous values of a run arrive. */
export type Timing = 'sync' | 'apart' | 'together';

/**
 * Settles the promises of a run in an order that does not depend on who asked first.
 *
 * 'apart': one at a time, everything that follows from one happens before the next. 'together': all that are open
 * settle in the same turn, as the promises of `async` resolvers without a wait do.
 */
export class Clockwork {
  readonly timing: Timing;
  readonly #open = new Map<string, { readonly rank: number; readonly settle: () => void }>();
  #serial = 0;

  constructor(timing: Timing) {
    this.timing = timing;
  }

  /** A promise that will settle as `outcome` does. The rank says when, among those that are open. */
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

  /** Settles promises until none is open. */
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

/** When all microtasks are done. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
