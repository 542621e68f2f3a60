import type { Seconds } from '../../cache/key-value-cache.ts';
import type { Logger } from '../../operation/types.ts';

/** Takes answers back from a store, by their tags. At least one tag, at most `batchSize` of them. */
export type Purge = (tags: readonly string[]) => Promise<unknown>;

/** What a {@link Purger} is made of. */
export interface PurgeSettings {
  readonly send: Purge;
  readonly batchSize: number;
  /** Seconds after which everything is purged a second time. 0: it is not. */
  readonly againAfter: Seconds;
  readonly sleep: (time: Seconds) => Promise<void>;
}

/** Attempts for one batch, with 1, 2 and 4 seconds between them: stores that limit purges say no for a moment. */
const attempts = 4;

/** Purges in batches, one after the other. What is asked for while one is on its way goes into the next together. */
export class Purger {
  readonly #settings: PurgeSettings;
  readonly #waiting = new Set<string>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(settings: PurgeSettings) {
    this.#settings = settings;
  }

  /** Resolves when all of it is done. Rejects when the store has refused every attempt. */
  async purge(tags: readonly string[]): Promise<void> {
    // An empty list means everything to some stores.
    if (tags.length === 0) return;
    await this.#once(tags);
    if (this.#settings.againAfter === 0) return;
    // An answer that was begun before the change, in another process, may have been stored in the meantime.
    await this.#settings.sleep(this.#settings.againAfter);
    await this.#once(tags);
  }

  /** The next round begins when the one on its way has ended: that may have been begun without these. */
  #once(tags: readonly string[]): Promise<void> {
    for (const tag of tags) this.#waiting.add(tag);
    this.#next ??= (this.#running ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => {
        const all = [...this.#waiting];
        this.#waiting.clear();
        this.#next = undefined;
        this.#running = this.#sendAll(all);
        return this.#running;
      });
    return this.#next;
  }

  /** One batch that is refused does not keep the others. */
  async #sendAll(tags: readonly string[]): Promise<void> {
    const { batchSize } = this.#settings;
    const failures: unknown[] = [];
    for (let at = 0; at < tags.length; at += batchSize)
      await this.#send(tags.slice(at, at + batchSize)).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  async #send(batch: readonly string[], attempt = 1): Promise<void> {
    try {
      await this.#settings.send(batch);
    } catch (error) {
      if (attempt === attempts) throw error;
      await this.#settings.sleep(2 ** (attempt - 1));
      await this.#send(batch, attempt + 1);
    }
  }
}

/** Purges, for somebody who does not wait: a failure is logged. */
export function purgeInBackground(purger: Purger, tags: readonly string[], logger: Logger): Promise<void> {
  return purger.purge(tags).catch((error: unknown) => {
    logger.error(`A purge has failed: answers with the tags ${tags.join(', ')} may be served until their lifetime ends.`, error);
  });
}
