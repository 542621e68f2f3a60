import type { FormattedExecutionResult } from 'graphql';

import type { KeyValueCache, Seconds } from '../../../cache/key-value-cache.ts';
import { QuietCache } from './quiet-cache.ts';

/** An answer that was kept. */
export interface KeptAnswer {
  readonly result: FormattedExecutionResult;
  /** The text of its document. */
  readonly source: string;
  /** The fields that `context` and hooks had set. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** True when a field of `varyHeaders` was read for it. */
  readonly varies: boolean;
}

/** The result of looking for an answer when an operation began. */
export interface Lookup {
  readonly key: string;
  /** The mark of the last purge. Undefined: the store could not tell, and nothing is kept. */
  readonly moment: string | undefined;
  readonly hit: FoundAnswer | undefined;
  /** An answer whose lifetime has ended lately, and of which nothing was purged. `maxAge` is 0. */
  readonly stale: FoundAnswer | undefined;
}

/** An answer out of the store. */
export interface FoundAnswer extends KeptAnswer {
  /** What is left of its lifetime. */
  readonly maxAge: Seconds;
}

/** An entry as it stands in the store. */
interface Entry extends KeptAnswer {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** The same for those who would else wait. */
  readonly staleUntil: number;
  /** Each of its tags with the version that it had. */
  readonly tags: readonly (readonly [tag: string, version: string])[];
}

/** Seconds that an entry, and the version of a tag, is kept at most. */
const longest: Seconds = 86_400;
const momentKey = 'moment';

/**
 * Answers in a key-value store that all processes share.
 *
 * Every tag has a version, a random text, which a purge replaces; an entry counts as long as all of its tags have the versions that
 * it was kept with, so a version that was lost takes its answers with it. Clocks of different machines are never compared.
 *
 * A read that began before a purge must not be kept after it. So a purge replaces one more text before all versions, the moment, and
 * whoever keeps an answer reads the moment before the operation, and again after the versions: a version that is new then
 * comes with a moment that is new, too.
 */
export class AnswerStore {
  readonly #cache: QuietCache;

  constructor(cache: KeyValueCache) {
    this.#cache = new QuietCache(cache, 'edge:');
  }

  /** Never rejects: a store that is down has nothing. */
  async look(key: string): Promise<Lookup> {
    const [moment, text] = await Promise.all([this.#version(momentKey), this.#cache.get(key)]);
    const entry = text === undefined ? undefined : entryIn(text);
    const maxAge = entry === undefined ? 0 : Math.max(0, Math.floor((entry.until - Date.now()) / 1_000));
    const isUsable = entry !== undefined && (maxAge > 0 || entry.staleUntil > Date.now());
    if (!isUsable || !(await this.#isValid(entry))) return { key, moment, hit: undefined, stale: undefined };
    const { result, source, headers, varies } = entry;
    const found = { result, source, headers, varies, maxAge };
    return maxAge > 0 ? { key, moment, hit: found, stale: undefined } : { key, moment, hit: undefined, stale: found };
  }

  /** Keeps an answer, unless anything was purged since it was looked for. Never rejects. */
  async keep(
    { key, moment }: Lookup,
    answer: KeptAnswer,
    { maxAge, stale = 0, tags }: { readonly maxAge: Seconds; readonly stale?: Seconds | undefined; readonly tags: readonly string[] },
  ): Promise<void> {
    if (moment === undefined) return;
    const versions = await Promise.all(
      tags.map(async (tag): Promise<[string, string | undefined]> => [tag, await this.#version(`tag:${tag}`)]),
    );
    if (versions.some(([, version]) => version === undefined) || (await this.#cache.get(momentKey)) !== moment) return;
    const fresh = Math.min(maxAge, longest);
    const ttl = Math.min(maxAge + stale, longest);
    const now = Date.now();
    const entry = { ...answer, until: now + fresh * 1_000, staleUntil: now + ttl * 1_000, tags: versions };
    await this.#cache.set(key, JSON.stringify(entry), { ttl });
  }

  /** Resolves when answers with these tags are gone for every process; rejects when the store cannot say so. */
  async purge(tags: readonly string[]): Promise<void> {
    await this.#replace(momentKey);
    await Promise.all(tags.map((tag) => this.#replace(`tag:${tag}`)));
  }

  async #isValid({ tags }: Entry): Promise<boolean> {
    const versions = await Promise.all(tags.map(([tag]) => this.#cache.get(`tag:${tag}`)));
    return tags.every(([, version], at) => versions[at] === version);
  }

  /** That of the store, or a new one where there is none: never one that was there before. */
  async #version(key: string): Promise<string | undefined> {
    const known = await this.#cache.get(key);
    if (known !== undefined) return known;
    await this.#cache.set(key, newVersion(), { ttl: longest });
    return this.#cache.get(key);
  }

  /** Reads it again: a guarded cache hides what has failed. Another's that is newer is as good. */
  async #replace(key: string): Promise<void> {
    const before = await this.#cache.get(key);
    const version = newVersion();
    await this.#cache.set(key, version, { ttl: longest });
    const after = await this.#cache.get(key);
    if (after === version || (before !== undefined && after !== undefined && after !== before)) return;
    throw new Error('The store of answers did not take what was to be purged.');
  }
}

function newVersion(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Undefined for a text that is no entry. */
function entryIn(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Partial<Entry> | null;
    const isEntry =
      typeof entry?.until === 'number' &&
      typeof entry.staleUntil === 'number' &&
      Array.isArray(entry.tags) &&
      typeof entry.source === 'string';
    return isEntry && Array.isArray(entry.headers) && typeof entry.result === 'object' ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}
