import { waitAtMost } from '../message/eventual.ts';
import type { Milliseconds } from '../message/invocation.ts';
import type { Logger } from '../operation/types.ts';

/** Milliseconds that a buffered answer waits for what was handed to `waitUntil`. */
const longestWait = 1000;

/** Work that outlasts an answer, on platforms whose process freezes after it: the answer waits for it. */
export class BackgroundWork {
  readonly #work = new Set<Promise<unknown>>();

  /** Takes work that never rejects. A stream hands over work for as long as it lasts: what is done is not kept until its end. */
  add(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  get isDone(): boolean {
    return this.#work.size === 0;
  }

  /** Resolves when all of it is done, or has been waited for long enough: until `lastMoment`, if there is one, and a second at most. */
  async settled(lastMoment: Milliseconds | undefined, logger: () => Logger): Promise<void> {
    const limit = Math.max(0, Math.min(longestWait, Math.floor((lastMoment ?? Infinity) - Date.now())));
    if ((await waitAtMost(limit, this.#done())) === 'late')
      logger().warn(`Work handed to waitUntil was not done ${limit} ms after the answer. The platform may freeze it.`);
  }

  /** Work may hand over more work before it ends. */
  async #done(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
