import assert from 'node:assert/strict';

import type { Random } from '../../../support/random.ts';

/** Lets waiting steps continue one by one, in a random order. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly wait = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
    });

  /** Lets steps continue until `work` has ended. */
  async run<T>(work: Promise<T>): Promise<T> {
    const ended: T[] = [];
    work.then(
      (value) => ended.push(value),
      () => undefined,
    );
    for (let step = 0; ended.length === 0; step++) {
      assert.ok(step < 10_000, 'it does not come to an end');
      const [next] = this.#waiting.splice(this.#random.below(Math.max(1, this.#waiting.length)), 1);
      next?.();
      for (let turn = 0; turn < 12; turn++) await Promise.resolve();
      // Streams need more turns than promises.
      if (next === undefined) await new Promise(setImmediate);
    }
    return work;
  }
}
