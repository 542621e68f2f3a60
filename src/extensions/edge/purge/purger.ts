import type { Seconds } from '../../../datasources/index.ts';
import { waitAtMost } from '../../../shared/index.ts';
import type { Milliseconds } from '../../../shared/index.ts';
import type { Logger } from '../../../server/index.ts';
import { PurgeRefused } from './purge-client.ts';
import type { PurgeClient, PurgePlatform } from './purge-client.ts';

/** The settings of a {@link Purger}. */
export interface PurgerSettings extends PurgeClient {
  /** Seconds from one round to the next: tags that arrive in between are sent together. Default: 0 */
  readonly interval?: Seconds | undefined;
  /** False on Workers, where a call cannot wait for the work of another: each call sends its tags itself. Default: true */
  readonly mergesCalls?: boolean | undefined;
  readonly sleep: (time: Seconds) => Promise<void>;
  /** A clock: milliseconds since any fixed point. */
  readonly now: () => Milliseconds;
}

/** The call that a purge belongs to. */
export interface PurgeCall {
  readonly platform?: PurgePlatform | undefined;
  /** When the call ends, by the clock: no round starts later. Default: 65 seconds after the purge, for a long-lived process */
  readonly until?: Milliseconds | undefined;
}

const lifetime: Milliseconds = 65_000;
const longestWait: Seconds = 60;
/** For one request to the CDN. */
const timeout: Milliseconds = 30_000;
/** The most leftover tags. The oldest are dropped first. */
const maxLeftovers = 10_000;
/** Rounds in which a leftover tag is retried. A tag that the CDN never accepts makes it refuse the whole batch. */
const maxRetries = 5;

/** Tags that are sent together later. */
interface Round {
  readonly tags: Set<string>;
  readonly refused: Promise<ReadonlySet<string>>;
}

/**
 * Purges one CDN in rounds. The first tags are sent at once; tags that arrive within the interval after that, or before a retry, are
 * sent together. No round waits for the end of another, so a request that hangs delays no other call.
 */
export class Purger {
  readonly #settings: PurgerSettings;
  readonly #interval: Seconds;
  /** The round that has not started yet. */
  #next: Round | undefined;
  /** No round starts before. */
  #notBefore: Milliseconds = -Infinity;
  /** Rounds refused in a row, and the last refusal. */
  #refusals = 0;
  #refusal: Error | undefined;
  /** Tags that ended calls could not purge, with the number of retries. Every round takes them along. */
  readonly #leftovers = new Map<string, number>();
  /** When each tag was sent, oldest first, within the CDN's window. */
  readonly #times = new Map<string, readonly Milliseconds[]>();
  /** The next repeats, earliest first. */
  readonly #repeats: { readonly at: Milliseconds; readonly tags: Set<string>; readonly done: Promise<void> }[] = [];

  constructor(settings: PurgerSettings) {
    this.#settings = settings;
    this.#interval = settings.mergesCalls === false ? 0 : (settings.interval ?? 0);
  }

  /** Resolves when the CDN has accepted all tags. Rejects if it still refuses some at the end of the call; these become leftovers. */
  async purge(tags: readonly string[], { platform, until = this.#settings.now() + lifetime }: PurgeCall = {}): Promise<void> {
    const { now } = this.#settings;
    // Some CDNs take an empty list for everything.
    for (let left = tags; left.length > 0;) {
      const turn = Math.min(...left.map((tag) => this.#turnOf(tag)));
      const at = Math.max(turn, this.#notBefore);
      if (at > until) {
        this.#leave(left.map((tag) => [tag, 0]));
        throw this.#refusal ?? new Error('The CDN accepts no purge before the call ends.');
      }
      // Tags over the CDN's limit wait on their own, so that they delay no others.
      await this.#sleepUntil(turn);
      const time = Math.max(turn, now());
      const due = left.filter((tag) => this.#turnOf(tag) <= time);
      if (due.length === 0) continue;
      const refused = await this.#join(due, platform);
      left = left.filter((tag) => refused.has(tag) || !due.includes(tag));
    }
  }

  /** Sends the leftovers once, unless the CDN accepts nothing yet. */
  async purgeLeftovers(platform?: PurgePlatform): Promise<void> {
    const refused = await this.#send([], platform);
    if (refused.size > 0) throw this.#refusal ?? new Error('The CDN has refused a purge.');
  }

  /** The tags that ended calls could not purge, if the CDN accepts a purge now. */
  get leftovers(): readonly string[] {
    return this.#leftovers.size === 0 || this.#settings.now() < this.#notBefore ? [] : [...this.#leftovers.keys()];
  }

  /**
   * Purges again after so many seconds: an answer started before the change may be stored in the meantime. Repeats of many mutations
   * are sent together: their rounds are half of `after` apart, so a repeat is up to that much later.
   */
  async repeat(tags: readonly string[], after: Seconds, call: PurgeCall = {}): Promise<void> {
    const { mergesCalls = true, now, sleep } = this.#settings;
    // A call that ends soon has no time to wait for others.
    if (!mergesCalls || call.until !== undefined) return sleep(after).then(() => this.purge(tags, call));
    const due = now() + after * 1_000;
    let repeat = this.#repeats.find(({ at }) => at >= due);
    if (repeat === undefined) {
      const at = Math.max(due, (this.#repeats.at(-1)?.at ?? -Infinity) + after * 500);
      const merged = new Set<string>();
      const done = this.#sleepUntil(at).then(() => {
        this.#repeats.shift();
        return this.purge([...merged], call);
      });
      this.#repeats.push((repeat = { at, tags: merged, done }));
    }
    for (const tag of tags) repeat.tags.add(tag);
    return repeat.done;
  }

  async #sleepUntil(at: Milliseconds): Promise<void> {
    const { now, sleep } = this.#settings;
    if (at > now()) await sleep((at - now()) / 1_000);
  }

  /** Sends the tags as soon as the CDN accepts a purge, with those of other calls. Resolves with the tags that it has refused. */
  async #join(tags: readonly string[], platform: PurgePlatform | undefined): Promise<ReadonlySet<string>> {
    const at = this.#notBefore;
    const mergesCalls = this.#settings.mergesCalls !== false;
    if (this.#next === undefined && (!mergesCalls || at <= this.#settings.now())) return this.#round(tags, at, platform);
    if (this.#next === undefined) {
      const merged = new Set<string>();
      this.#next = { tags: merged, refused: this.#round(merged, at, platform) };
    }
    for (const tag of tags) this.#next.tags.add(tag);
    return this.#next.refused;
  }

  async #round(tags: Iterable<string>, at: Milliseconds, platform: PurgePlatform | undefined): Promise<ReadonlySet<string>> {
    if (at > this.#settings.now()) await this.#sleepUntil(at);
    if (this.#next?.tags === tags) this.#next = undefined;
    // Another round was refused in the meantime.
    return this.#notBefore > at ? new Set(tags) : this.#send(tags, platform);
  }

  async #send(tags: Iterable<string>, platform: PurgePlatform | undefined): Promise<ReadonlySet<string>> {
    const { now, perTag } = this.#settings;
    const leftovers = [...this.#leftovers].filter(([tag]) => this.#turnOf(tag) <= now());
    for (const [tag] of leftovers) this.#leftovers.delete(tag);
    const all = [...new Set([...leftovers.map(([tag]) => tag), ...tags])];
    if (perTag !== undefined) this.#noteTimes(all, perTag);
    this.#notBefore = Math.max(this.#notBefore, now() + this.#interval * 1_000);
    const refused = new Set<string>();
    let error: Error | undefined;
    const send = async (batch: readonly string[]): Promise<void> => {
      try {
        const result = await waitAtMost(timeout, this.#settings.purge(batch, platform));
        if (result === 'late') throw new Error('A purge has not ended within 30 seconds.');
      } catch (thrown) {
        error = thrown instanceof Error ? thrown : new Error(String(thrown));
        for (const tag of batch) refused.add(tag);
      }
    };
    await Promise.all(this.#batchesOf(all).map(send));
    this.#refusals = error === undefined ? 0 : this.#refusals + 1;
    this.#refusal = error;
    if (error !== undefined) this.#notBefore = Math.max(this.#notBefore, now() + this.#waitAfter(error) * 1_000);
    this.#leave(leftovers.flatMap(([tag, retries]) => (refused.has(tag) ? [[tag, retries + 1]] : [])));
    return refused;
  }

  #leave(tags: readonly (readonly [tag: string, retries: number])[]): void {
    for (const [tag, retries] of tags) if (retries < maxRetries) this.#leftovers.set(tag, retries);
    for (const oldest of this.#leftovers.keys()) {
      if (this.#leftovers.size <= maxLeftovers) return;
      this.#leftovers.delete(oldest);
    }
  }

  /** When the CDN accepts the tag again. */
  #turnOf(tag: string): Milliseconds {
    const { perTag, now } = this.#settings;
    if (perTag === undefined) return -Infinity;
    const window = perTag.within * 1_000;
    const times = (this.#times.get(tag) ?? []).filter((time) => time > now() - window);
    return times.length < perTag.times ? -Infinity : times[0]! + window;
  }

  #noteTimes(tags: readonly string[], { times: most, within }: NonNullable<PurgeClient['perTag']>): void {
    const time = this.#settings.now();
    for (const [tag, times] of this.#times) if (times.at(-1)! <= time - within * 1_000) this.#times.delete(tag);
    for (const tag of tags) this.#times.set(tag, [...(this.#times.get(tag) ?? []), time].slice(-most));
  }

  /** As long as the CDN says, or as its limit of purges requires, or 1, 2, 4 seconds and so on. */
  #waitAfter(error: Error): Seconds {
    const { retryAfter = 0 } = this.#settings;
    const said = error instanceof PurgeRefused ? error.retryAfter : undefined;
    return Math.min(longestWait, said === undefined ? Math.max(retryAfter, 2 ** (this.#refusals - 1)) : Math.max(said, 1));
  }

  #batchesOf(tags: readonly string[]): string[][] {
    const { batchSize = 30, batchLength = Infinity } = this.#settings;
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
}

/** Logs a purge that fails in the background. */
export function logFailure(purge: Promise<void>, tags: readonly string[], logger: Logger): Promise<void> {
  return purge.catch((error: unknown) => {
    logger.error(
      `A purge failed and will be retried with a later request. Answers with these tags may be old until then: ${tags.join(', ')}`,
      error,
    );
  });
}
