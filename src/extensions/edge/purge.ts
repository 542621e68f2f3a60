import type { Seconds } from '../../datasources/index.ts';
import type { Logger, RequestCall } from '../../server/index.ts';
import { guardLogger, waitAtMost } from '../../shared/index.ts';
import type { Milliseconds } from '../../shared/index.ts';
import { tagsOfEntity, tagsOfType } from './tags.ts';

/** The platform's objects for the call that purges. Workers needs them. */
export interface PurgePlatform {
  readonly context: unknown;
  readonly env: unknown;
}

/** Removes answers from a CDN by their tags. The function gets at least one tag and at most `batchSize`, without duplicates. */
export type Purge = (tags: readonly string[], platform: PurgePlatform | undefined) => Promise<unknown>;

/** A way to purge a CDN, with its limits. */
export interface PurgeClient {
  readonly purge: Purge;
  /** The maximum number of tags in one call. Default: 30 */
  readonly batchSize?: number | undefined;
  /** The time after which refused tags may be sent again, unless the Error has a number as its `retryAfter`. Default: 3 */
  readonly retryAfter?: Seconds | undefined;
}

/** The answers that a purge removes. */
export interface PurgeRequest {
  /** Purges all answers that show one of these objects, and lists of their type. */
  readonly entities?: readonly { readonly typename: string; readonly id: string | number }[] | undefined;
  /** Types: all answers with an object of one, and lists. */
  readonly types?: readonly string[] | undefined;
  /** Fields of Query: all answers with one of them. */
  readonly fields?: readonly string[] | undefined;
  /** Tags, sent unchanged. */
  readonly tags?: readonly string[] | undefined;
}

/** A purge that was refused, as a whole or in part. */
export interface Refusal {
  readonly tags: ReadonlySet<string>;
  readonly error: Error;
  /** The time after which the tags may be sent again. */
  readonly retryAfter: Seconds;
}

/** For one request to the CDN. */
const timeout: Milliseconds = 30_000;
/** The number of refused tags that are kept. Each purge sends all of them. */
const maxRefused = 1_000;

/** Purges one CDN or store. The tags that it refuses are sent again with the next purge of this process. */
export class Purger {
  readonly #client: PurgeClient;
  #refused: readonly string[] = [];

  constructor(client: PurgeClient) {
    this.#client = client;
  }

  /**
   * Sends tags immediately, together with tags that were refused before. Returns the tags that were refused; undefined if all were
   * accepted. Never rejects.
   */
  async purge(tags: readonly string[], platform: PurgePlatform | undefined): Promise<Refusal | undefined> {
    const all = [...new Set([...this.#refused, ...tags])];
    this.#refused = [];
    const refused: string[] = [];
    const errors: (Error & { readonly retryAfter?: unknown })[] = [];
    const send = async (batch: readonly string[]): Promise<void> => {
      try {
        const result = await waitAtMost(timeout, this.#client.purge(batch, platform));
        if (result === 'late') throw new Error('A purge has not ended within 30 seconds.');
      } catch (thrown) {
        errors.push(thrown instanceof Error ? thrown : new Error(String(thrown)));
        refused.push(...batch);
      }
    };
    // Some CDNs treat an empty list as everything: without tags, there is no batch.
    const { batchSize = 30, retryAfter: usual = 3 } = this.#client;
    const sending: Promise<void>[] = [];
    for (let at = 0; at < all.length; at += batchSize) sending.push(send(all.slice(at, at + batchSize)));
    await Promise.all(sending);
    if (errors.length === 0) return undefined;
    this.#refused = [...new Set([...this.#refused, ...refused])].slice(-maxRefused);
    const waits = errors.map(({ retryAfter }) => (typeof retryAfter === 'number' ? Math.max(1, retryAfter) : usual));
    return { tags: new Set(refused), error: errors[0]!, retryAfter: Math.max(...waits) };
  }
}

/** Milliseconds that the answer to a mutation waits for the shared store, so that its client then reads the new state. */
const storeTime = 500;
/** Seconds from a purge to its repeat: another process may have stored an answer that it read before the change. */
const repeatAfter: Seconds = 3;
/** Milliseconds in which refused tags are sent again. On Workers, a call ends 30 seconds after its answer. */
const life = 27_000;

/** The tags of a purge, and the call during which it is sent. */
interface Purging {
  readonly tags: readonly string[];
  readonly platform: PurgePlatform | undefined;
  readonly logger: Logger;
}

/** Purges answers, in the CDN and in the shared store. */
export class Purges {
  /**
   * For each request in progress, the tags that were purged since it began: an answer that started before a purge must not be stored after
   * it.
   */
  readonly #requests = new Set<Set<string>>();
  readonly #cdn: Purger | undefined;
  readonly #store: Purger | undefined;
  readonly #salt: string | undefined;
  /** Unfinished purges by hand. The next request that ends keeps the process alive for them. */
  readonly #work = new Set<Promise<void>>();
  /** True if the platform freezes the process after its answer, as the last request has shown. */
  #isFrozen = false;
  #logger: Logger | undefined;

  constructor(cdn: Purge | PurgeClient | undefined, store: Purge | undefined, salt: string | undefined) {
    this.#cdn = cdn && new Purger(typeof cdn === 'function' ? { purge: cdn } : cdn);
    this.#store = store && new Purger({ purge: store, batchSize: Infinity });
    this.#salt = salt;
  }

  get hasNone(): boolean {
    return this.#cdn === undefined && this.#store === undefined;
  }

  /**
   * Where purges are repeated, a slower answer may show the state before a mutation, and reach the CDN after the repeat. A third of the time
   * is left for its way to the CDN. Where nothing keeps the process alive for a repeat, such answers stay for a minute at most.
   */
  get answerLimits(): { readonly milliseconds: Milliseconds; readonly maxAge: Seconds } {
    if (this.#cdn === undefined) return { milliseconds: Infinity, maxAge: Infinity };
    return this.#isFrozen ? { milliseconds: Infinity, maxAge: 60 } : { milliseconds: (repeatAfter * 2_000) / 3, maxAge: Infinity };
  }

  /** Returns a set to which the tags of purges are added until {@link end}. */
  begin({ invocation, logger }: RequestCall): Set<string> {
    this.#isFrozen = invocation.waitsForWork === true;
    this.#logger = logger;
    const purged = new Set<string>();
    this.#requests.add(purged);
    return purged;
  }

  end({ invocation }: RequestCall, purged: Set<string>): void {
    this.#requests.delete(purged);
    for (const work of this.#work) invocation.waitUntil(work);
    this.#work.clear();
  }

  /** Purges on request of the application. */
  async purge({ entities = [], types = [], fields = [], tags = [] }: PurgeRequest, platform: PurgePlatform | undefined): Promise<void> {
    if (this.hasNone) throw new Error('Expected edge to have the option purge or store to purge answers from, got neither.');
    const named = entities.flatMap(({ typename, id }) => tagsOfEntity(typename, String(id), this.#salt));
    const all = [...named, ...types.flatMap(tagsOfType), ...fields.map((name) => `q:${name}`), ...tags];
    const purges = this.#start({ tags: [...new Set(all)], platform, logger: this.#logger ?? guardLogger(console) });
    const { waitUntil } = (platform?.context ?? {}) as { waitUntil?: unknown };
    for (const { work } of purges) {
      if (typeof waitUntil === 'function') waitUntil.call(platform!.context, work);
      else this.#work.add(work);
      void work.then(() => this.#work.delete(work));
    }
    for (const refusal of await Promise.all(purges.map(({ first }) => first))) if (refusal !== undefined) throw refusal.error;
  }

  /** Purges after a mutation. Resolves when the store is purged, or after a while. */
  async purgeAfterMutation(tags: readonly string[], { invocation, logger }: RequestCall): Promise<void> {
    const purges = this.#start({ tags, platform: invocation, logger });
    for (const { work } of purges) invocation.waitUntil(work);
    if (this.#store !== undefined) await waitAtMost(storeTime, purges[0]!.first);
  }

  /** Sends tags to the store and the CDN at once. `work` ends when nothing is left to be sent. */
  #start(purging: Purging): { first: Promise<Refusal | undefined>; work: Promise<void> }[] {
    const { tags, platform } = purging;
    for (const purged of this.#requests) for (const tag of tags) purged.add(tag);
    return [this.#store, this.#cdn].flatMap((purger) => {
      if (purger === undefined || tags.length === 0) return [];
      const first = purger.purge(tags, platform);
      return { first, work: this.#repeat(purger, first, purging) };
    });
  }

  /** Repeats a purge in the CDN, and sends refused tags again, where something keeps the process alive. Logs the tags that are left. */
  async #repeat(purger: Purger, first: Promise<Refusal | undefined>, { tags, platform, logger }: Purging): Promise<void> {
    const until = performance.now() + life;
    const isRepeated = purger === this.#cdn && !this.#isFrozen;
    // The store itself rejects answers that were started before. It needs no repeat.
    let refusal = isRepeated ? await sleep(repeatAfter).then(() => purger.purge(tags, platform)) : await first;
    while (refusal !== undefined && !this.#isFrozen && performance.now() + refusal.retryAfter * 1_000 <= until) {
      await sleep(refusal.retryAfter);
      refusal = await purger.purge([], platform);
    }
    const left = tags.filter((tag) => refusal?.tags.has(tag));
    if (left.length === 0) return;
    logger.error(
      `A purge was refused. Answers with these tags may be old until the next purge of this process, or until their lifetime ends: ${left.join(', ')}`,
      refusal!.error,
    );
  }
}

function sleep(time: Seconds): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, time * 1_000);
  });
}
