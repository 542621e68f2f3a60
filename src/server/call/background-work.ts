import { waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import type { Logger } from '../operation/types.ts';

/** Milliseconds that a buffered response waits for work passed to `waitUntil`. */
const longestWait = 1000;

/** Work that continues after the answer. On platforms that freeze the process after the response, the response waits for it. */
export class BackgroundWork {
  readonly #work = new Set<Promise<unknown>>();

  /** Adds work that never rejects. Finished work is removed, because a long stream may add much of it. */
  add(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  get isDone(): boolean {
    return this.#work.size === 0;
  }

  /** Resolves when all work is done, at `lastMoment`, or after one second, whichever is first. */
  async settled(lastMoment: Milliseconds | undefined, logger: () => Logger): Promise<void> {
    const limit = Math.max(0, Math.min(longestWait, Math.floor((lastMoment ?? Infinity) - Date.now())));
    if ((await waitAtMost(limit, this.#done())) === 'late')
      logger().warn(`Work passed to waitUntil did not finish within ${limit} ms of the answer. The platform may freeze it.`);
  }

  /** Loops, because work may add more work before it ends. */
  async #done(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
