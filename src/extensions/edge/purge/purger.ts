import type { Seconds } from '../../../cache/key-value-cache.ts';
import { waitAtMost } from '../../../message/eventual.ts';
import type { Logger } from '../../../operation/types.ts';
import { PurgeRefused } from './purge-client.ts';
import type { PurgeClient, PurgePlatform } from './purge-client.ts';

/** The settings of a {@link Purger}. */
export interface PurgerSettings extends PurgeClient {
  /** Seconds from the beginning of one round to that of the next: tags that come meanwhile go together. Default: 0 */
  readonly interval?: Seconds | undefined;
  /** Seconds after which everything is purged a second time. 0: never. */
  readonly againAfter: Seconds;
  readonly sleep: (time: Seconds) => Promise<void>;
  /** A clock: milliseconds since any fixed point. */
  readonly now: () => number;
}

/** Attempts for one batch, 1, 2 and 4 seconds apart, or as long as the CDN asks for: a CDN refuses frequent callers for a while. */
const attempts = 4;
const longestWait: Seconds = 60;
/** Milliseconds for one attempt: other purges wait for its end. */
const patience = 30_000;

/**
 * Purges in rounds, one after the other. The first tags are sent at once. Tags that come while a round is on its way, or within the
 * interval after its beginning, go into the next round together.
 */
export class Purger {
  readonly #settings: PurgerSettings;
  readonly #waiting = new Set<string>();
  /** The times at which each tag was purged, the oldest first, within the CDN's last window. */
  readonly #times = new Map<string, readonly number[]>();
  #running: Promise<void> | undefined;
  /** The beginning of the last round, by the clock. */
  #begun = -Infinity;
  #next: Promise<void> | undefined;
  #platform: PurgePlatform | undefined;
  /** The times of the next repeats, by the clock, the earliest first. */
  readonly #repeats: { readonly at: number; readonly come: Promise<void> }[] = [];

  constructor(settings: PurgerSettings) {
    this.#settings = settings;
  }

  /** Resolves when all of it is done. Rejects when the CDN has refused every attempt. */
  async purge(tags: readonly string[], platform?: PurgePlatform): Promise<void> {
    // An empty list means everything to some CDNs.
    if (tags.length === 0) return;
    await this.#once(tags, platform);
    await this.repeat(tags, platform);
  }

  /** Purges once more, later: an answer that was begun before the change, in another process, may be stored in the meantime. */
  async repeat(tags: readonly string[], platform?: PurgePlatform): Promise<void> {
    if (this.#settings.againAfter === 0) return;
    await this.#timeToRepeat();
    await this.#once(tags, platform);
  }

  /** Many mutations share a few repeats: two are half of `againAfter` apart, so each is up to that much later than its own time. */
  #timeToRepeat(): Promise<void> {
    const { againAfter, now, sleep } = this.#settings;
    const due = now() + againAfter * 1_000;
    const found = this.#repeats.find(({ at }) => at >= due);
    if (found !== undefined) return found.come;
    const at = Math.max(due, (this.#repeats.at(-1)?.at ?? -Infinity) + againAfter * 500);
    const come = sleep((at - now()) / 1_000).then(() => void this.#repeats.shift());
    this.#repeats.push({ at, come });
    return come;
  }

  /** The next round begins after the end of the current one, because the current one may have begun without these tags. */
  #once(tags: readonly string[], platform: PurgePlatform | undefined): Promise<void> {
    for (const tag of tags) this.#waiting.add(tag);
    // The platform's objects of any call that is still alive are enough; the last call is.
    this.#platform = platform ?? this.#platform;
    this.#next ??= this.#turn().then(() => {
      const all = [...this.#waiting];
      this.#waiting.clear();
      this.#next = undefined;
      return this.#round(all, this.#platform);
    });
    return this.#next;
  }

  /** Resolves when the next round may begin. */
  async #turn(): Promise<void> {
    await this.#running?.catch(() => undefined);
    const { interval = 0, now, sleep } = this.#settings;
    const left = this.#begun + interval * 1_000 - now();
    if (left > 0) await sleep(left / 1_000);
    this.#begun = now();
  }

  /** Tags that were purged too often lately wait for their turn, and hold up no other tags. */
  async #round(tags: readonly string[], platform: PurgePlatform | undefined): Promise<void> {
    const waits = tags.map((tag) => this.#waitOf(tag));
    const now = tags.filter((_, at) => waits[at] === 0);
    const later = tags.filter((_, at) => waits[at] !== 0);
    this.#running = this.#sendAll(now, platform);
    if (later.length === 0) return this.#running;
    const turn = this.#settings.sleep(Math.max(...waits) / 1_000).then(() => this.#once(later, platform));
    await Promise.all([this.#running, turn]);
  }

  /** Milliseconds. */
  #waitOf(tag: string): number {
    const { perTag, now } = this.#settings;
    if (perTag === undefined) return 0;
    const times = (this.#times.get(tag) ?? []).filter((time) => time > now() - perTag.within * 1_000);
    const [oldest] = times;
    return times.length < perTag.times || oldest === undefined ? 0 : oldest + perTag.within * 1_000 - now();
  }

  /** A batch that is refused does not hold up the others. */
  async #sendAll(tags: readonly string[], platform: PurgePlatform | undefined): Promise<void> {
    const failures: unknown[] = [];
    for (const batch of this.#batchesOf(tags)) await this.#send(batch, platform).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
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

  async #send(batch: readonly string[], platform: PurgePlatform | undefined, attempt = 1): Promise<void> {
    try {
      this.#noteTimes(batch);
      const answer = await waitAtMost(patience, this.#settings.purge(batch, platform));
      if (answer === 'late') throw new Error('A purge has not ended within 30 seconds.');
    } catch (error) {
      if (attempt === attempts) throw error;
      const asked = error instanceof PurgeRefused ? (error.retryAfter ?? 0) : 0;
      await this.#settings.sleep(Math.min(longestWait, Math.max(asked, 2 ** (attempt - 1))));
      await this.#send(batch, platform, attempt + 1);
    }
  }

  #noteTimes(batch: readonly string[]): void {
    const { perTag, now } = this.#settings;
    if (perTag === undefined) return;
    const since = now() - perTag.within * 1_000;
    for (const [tag, times] of this.#times) if (times.every((time) => time <= since)) this.#times.delete(tag);
    for (const tag of batch) this.#times.set(tag, [...(this.#times.get(tag) ?? []), now()].slice(-perTag.times));
  }
}

/** Purges in the background: a failure is logged. `isRepeat`: the tags have been purged, and are purged once more. */
export function purgeInBackground(
  purger: Purger,
  tags: readonly string[],
  { logger, platform, isRepeat = false }: { readonly logger: Logger; readonly platform?: PurgePlatform; readonly isRepeat?: boolean },
): Promise<void> {
  return (isRepeat ? purger.repeat(tags, platform) : purger.purge(tags, platform)).catch((error: unknown) => {
    logger.error(`A purge has failed: answers with the tags ${tags.join(', ')} may be served until their lifetime ends.`, error);
  });
}

/** The number of purges of this process that are remembered. */
const maxPurges = 1_000;

/** Remembers the tags of the last purges: an answer that was begun before a purge must not be stored after it. */
export class PurgeLog {
  readonly #purges: ReadonlySet<string>[] = [];
  #dropped = 0;

  /** The current moment: the number of purges so far. */
  get now(): number {
    return this.#dropped + this.#purges.length;
  }

  add(tags: readonly string[]): void {
    this.#purges.push(new Set(tags));
    if (this.#purges.length <= maxPurges) return;
    this.#purges.shift();
    this.#dropped++;
  }

  /** True when one of the tags may have been purged since that moment. */
  hasSince(moment: number, tags: readonly string[]): boolean {
    if (moment < this.#dropped) return true;
    for (let at = moment - this.#dropped; at < this.#purges.length; at++) if (tags.some((tag) => this.#purges[at]!.has(tag))) return true;
    return false;
  }
}
