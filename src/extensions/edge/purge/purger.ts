import type { Seconds } from '../../../datasources/index.ts';
import { waitAtMost } from '../../../shared/index.ts';
import type { Milliseconds } from '../../../shared/index.ts';
import { PurgeRefused } from './purge-client.ts';
import type { PurgeClient, PurgePlatform } from './purge-client.ts';

/** A purge that was refused, as a whole or in part. */
export interface Refusal {
  readonly tags: ReadonlySet<string>;
  readonly error: Error;
  /** The time after which the tags may be sent again. */
  readonly retryAfter: Seconds;
}

/** For one request to the CDN. */
const timeout: Milliseconds = 30_000;
const defaultRetryAfter: Seconds = 3;
/** The number of refused tags that are kept. Each purge sends all of them. */
const maxRefused = 1_000;

/** Purges one CDN or store. The tags that it refuses are sent again with the next purge of this process. */
export class Purger {
  readonly #client: PurgeClient;
  #refused = new Set<string>();

  constructor(client: PurgeClient) {
    this.#client = client;
  }

  /** Sends tags immediately, with those that were refused before. Never rejects. Undefined: all were accepted. */
  async purge(tags: readonly string[], platform: PurgePlatform | undefined): Promise<Refusal | undefined> {
    const all = new Set([...this.#refused, ...tags]);
    this.#refused = new Set();
    const [refused, errors] = [new Set<string>(), [] as Error[]];
    const send = async (batch: readonly string[]): Promise<void> => {
      try {
        const result = await waitAtMost(timeout, this.#client.purge(batch, platform));
        if (result === 'late') throw new Error('A purge has not ended within 30 seconds.');
      } catch (thrown) {
        errors.push(thrown instanceof Error ? thrown : new Error(String(thrown)));
        for (const tag of batch) refused.add(tag);
      }
    };
    // Some CDNs treat an empty list as everything: without tags, there is no batch.
    await Promise.all(batchesOf(all, this.#client).map(send));
    const [error] = errors;
    if (error === undefined) return undefined;
    this.#keep(refused);
    return { tags: refused, error, retryAfter: Math.max(...errors.map((one) => this.#waitAfter(one))) };
  }

  #keep(refused: ReadonlySet<string>): void {
    for (const tag of refused) this.#refused.add(tag);
    for (const oldest of this.#refused) {
      if (this.#refused.size <= maxRefused) return;
      this.#refused.delete(oldest);
    }
  }

  #waitAfter(error: Error): Seconds {
    const { retryAfter = defaultRetryAfter } = this.#client;
    return error instanceof PurgeRefused ? Math.max(1, error.retryAfter ?? retryAfter) : retryAfter;
  }
}

function batchesOf(tags: ReadonlySet<string>, { batchSize = 30, batchLength = Infinity }: PurgeClient): string[][] {
  const batches: string[][] = [];
  let length = Infinity;
  for (const tag of tags) {
    const batch = batches.at(-1);
    length += tag.length + 1;
    if (batch !== undefined && batch.length < batchSize && length <= batchLength) batch.push(tag);
    else {
      batches.push([tag]);
      length = tag.length;
    }
  }
  return batches;
}
