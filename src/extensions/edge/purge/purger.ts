import type { Seconds } from '../../../datasources/index.ts';
import { waitAtMost } from '../../../shared/index.ts';
import type { Milliseconds } from '../../../shared/index.ts';
import { PurgeRefused } from './purge-client.ts';
import type { PurgeClient, PurgePlatform } from './purge-client.ts';

/** The settings of a {@link Purger}. */
export interface PurgerSettings extends PurgeClient {
  /** False on Workers, where a call cannot wait for the work of another, so that each call sends its tags immediately. Default: true */
  readonly mergesCalls?: boolean | undefined;
  readonly sleep: (time: Seconds) => Promise<void>;
  /** A clock: milliseconds since any fixed point. */
  readonly now: () => Milliseconds;
}

/** The call that a purge belongs to. */
export interface PurgeCall {
  readonly platform?: PurgePlatform | undefined;
  /** When the call ends, by the clock. No later retry is sent. */
  readonly until: Milliseconds;
}

/** Tags that were still refused when their call ended. */
export interface Unpurged {
  readonly tags: readonly string[];
  /** The last refusal. */
  readonly error: Error;
}

const defaultInterval: Seconds = 0.1;
const longestWait: Seconds = 60;
/** For one request to the CDN. */
const timeout: Milliseconds = 30_000;

/** The refused tags, each with the reason. */
type Refused = ReadonlyMap<string, Error>;

/** A purge to which calls may still add tags. */
interface NextPurge {
  readonly tags: Set<string>;
  readonly refused: Promise<Refused>;
}

/** Purges one CDN or store, and retries what it refuses until the call ends. Keeps no tags beyond the call. */
export class Purger {
  readonly #settings: PurgerSettings;
  /** When the client's interval since the last purge ends. */
  #notBefore: Milliseconds = -Infinity;
  /** The tags that are sent at that time. */
  #next: NextPurge | undefined;

  constructor(settings: PurgerSettings) {
    this.#settings = settings;
  }

  /** Resolves when the client has accepted the tags, or the call ends. Never rejects. */
  async purge(tags: readonly string[], call: PurgeCall): Promise<Unpurged | undefined> {
    const { now, sleep } = this.#settings;
    let left = tags;
    // Some CDNs treat an empty list as everything.
    for (let attempt = 0; left.length > 0; attempt++) {
      const refused = await this.#sendInTurn(left, call);
      left = left.filter((tag) => refused.has(tag));
      const error = refused.get(left[0]!);
      if (error === undefined) return undefined;
      const wait = this.#waitAfter(error, attempt);
      if (now() + wait * 1_000 > call.until) return { tags: left, error };
      await sleep(wait);
    }
    return undefined;
  }

  /** Sends tags at once, or together with those of other calls when the interval ends. */
  #sendInTurn(tags: readonly string[], { platform, until }: PurgeCall): Promise<Refused> {
    const { now, sleep, mergesCalls = true } = this.#settings;
    const isDue = this.#notBefore <= now() && this.#next === undefined;
    // A call that ends before the interval must send its tags now.
    if (!mergesCalls || isDue || this.#notBefore > until) return this.#send(tags, platform);
    this.#next ??= this.#plan(sleep((this.#notBefore - now()) / 1_000), platform);
    for (const tag of tags) this.#next.tags.add(tag);
    return this.#next.refused;
  }

  #plan(turn: Promise<void>, platform: PurgePlatform | undefined): NextPurge {
    const tags = new Set<string>();
    const refused = turn.then(() => {
      this.#next = undefined;
      return this.#send([...tags], platform);
    });
    return { tags, refused };
  }

  async #send(tags: readonly string[], platform: PurgePlatform | undefined): Promise<Refused> {
    const { now, purge, interval = defaultInterval } = this.#settings;
    this.#notBefore = now() + interval * 1_000;
    const refused = new Map<string, Error>();
    const send = async (batch: readonly string[]): Promise<void> => {
      try {
        const result = await waitAtMost(timeout, purge(batch, platform));
        if (result === 'late') throw new Error('A purge has not ended within 30 seconds.');
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        for (const tag of batch) refused.set(tag, error);
      }
    };
    await Promise.all(batchesOf([...new Set(tags)], this.#settings).map(send));
    return refused;
  }

  /** Returns the time to the next retry: that of the CDN's answer, or of its limit of purges, or 1, 2, 4 seconds and so on. */
  #waitAfter(error: Error, attempt: number): Seconds {
    const { retryAfter = 0 } = this.#settings;
    const said = error instanceof PurgeRefused ? error.retryAfter : undefined;
    return Math.min(longestWait, said === undefined ? Math.max(retryAfter, 2 ** attempt) : Math.max(said, 1));
  }
}

function batchesOf(tags: readonly string[], { batchSize = 30, batchLength = Infinity }: PurgeClient): string[][] {
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
