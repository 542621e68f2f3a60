import type { FormattedExecutionResult } from 'graphql';

import { guardCache, PrefixingKeyValueCache } from '../../../datasources/index.ts';
import type { KeyValueCache, Milliseconds, Seconds } from '../../../datasources/index.ts';
import { HeaderMap, isRecord, parseExactly } from '../../../shared/index.ts';

/** A stored answer. */
interface StoredAnswer {
  readonly result: FormattedExecutionResult;
  /** The text of the operation's document. */
  readonly source: string;
  /** The fields that `context` and hooks had set. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** True if the operation read a field of `varyHeaders`. */
  readonly varies: boolean;
}

/** An answer from the store, with the rest of its lifetime. */
interface Hit extends StoredAnswer {
  readonly maxAge: Seconds;
  readonly tags: readonly string[];
}

/** The result of looking for an answer when an operation began. */
export interface Lookup {
  readonly key: string;
  /** The mark of the last purge. Undefined: the store has none, so the answer is not kept. */
  readonly moment: string | undefined;
  /** When the operation began. */
  readonly startedAtMs: Milliseconds;
  readonly hit: Hit | undefined;
}

/** An entry in the form that the store holds. */
interface StoredEntry extends StoredAnswer {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** True if the result has numbers that JavaScript would round: parsing them exactly takes several times as long. Default: false */
  readonly hasExactNumbers?: boolean;
  /** The tags of the answer, each with the version that it had. */
  readonly tags: readonly (readonly [tag: string, version: string])[];
}

/** The longest time that the store keeps an entry or the version of a tag. */
const longest: Seconds = 86_400;
const momentKey = 'moment';

/**
 * Answers in a key-value store that all processes share.
 *
 * Every tag has a version, a random text, which a purge replaces. An entry is valid as long as all of its tags have the versions that it
 * was kept with. If the store loses a version, the answers with that tag are lost, too.
 *
 * An answer that started before a purge must not be kept after it. So a purge first replaces one more text, the moment, and then the
 * versions. A process that keeps an answer reads the moment before the operation, and again after the versions: if it has read a new
 * version, the moment is new, too.
 *
 * Workers KV, and Blobs by default, may return an old value for up to a minute, so a process may read a new version and an old moment. So
 * a version contains the time when it was made, and an answer that started earlier is not kept with it. This is the only place where clocks
 * of two machines are compared. A clock that is ahead only delays the next answer.
 */
export class AnswerStore {
  /** A guarded store, whose calls never fail and never wait long. */
  readonly #cache: KeyValueCache;

  constructor(cache: KeyValueCache) {
    this.#cache = guardCache(new PrefixingKeyValueCache(cache, 'edge:'));
  }

  /** Looks for an answer. Never rejects: a store that is down counts as empty. */
  async look(key: string): Promise<Lookup> {
    const startedAtMs = Date.now();
    const [moment, text] = await Promise.all([this.#version(momentKey, startedAtMs), this.#cache.get(key)]);
    return { key, moment, startedAtMs, hit: text === undefined ? undefined : await this.#hitIn(text) };
  }

  /** Returns undefined if the answer has expired, was purged, or was damaged in the store. */
  async #hitIn(text: string): Promise<Hit | undefined> {
    try {
      const parsed = JSON.parse(text) as StoredEntry;
      const { result, source, headers, varies, until, tags } = parsed.hasExactNumbers ? (parseExactly(text) as StoredEntry) : parsed;
      const maxAge = Math.floor((until - Date.now()) / 1_000);
      if (!(maxAge > 0) || !isRecord(result.data)) return undefined;
      const versions = await Promise.all(tags.map(([tag]) => this.#cache.get(`tag:${tag}`)));
      if (tags.some(([, version], at) => version === undefined || versions[at] !== version)) return undefined;
      return { result, source, headers: [...new HeaderMap(headers)], varies, maxAge, tags: tags.map(([tag]) => tag) };
    } catch {
      return undefined;
    }
  }

  /** Keeps an answer, unless anything was purged since its lookup. Never rejects. */
  async keep(
    { key, moment, startedAtMs }: Lookup,
    // Takes the result as text, because code may write into the object after it has been sent.
    { resultJSON, ...answer }: Omit<StoredAnswer, 'result'> & { readonly resultJSON: string },
    { maxAge, tags }: { readonly maxAge: Seconds; readonly tags: readonly string[] },
  ): Promise<void> {
    if (moment === undefined) return;
    const versions = await Promise.all(tags.map(async (tag) => this.#version(`tag:${tag}`, startedAtMs)));
    if (versions.some((version) => version === undefined || timeOf(version) > startedAtMs)) return;
    if ((await this.#cache.get(momentKey)) !== moment) return;
    const ttl = Math.min(maxAge, longest);
    const hasExactNumbers = JSON.stringify(JSON.parse(resultJSON)) !== resultJSON;
    const versioned = tags.map((tag, at) => [tag, versions[at]]);
    const entry = JSON.stringify({ ...answer, until: Date.now() + ttl * 1_000, hasExactNumbers, tags: versioned });
    await this.#cache.set(key, `{"result":${resultJSON},${entry.slice(1)}`, { ttl });
  }

  /** Resolves when answers with these tags are gone for every process. Rejects if the store does not confirm that. */
  async purge(tags: readonly string[]): Promise<void> {
    await this.#replace(momentKey);
    await Promise.all(tags.map((tag) => this.#replace(`tag:${tag}`)));
  }

  /** Returns the version in the store. A tag without a version gets a new one of that time, which differs from all earlier versions. */
  async #version(key: string, time: Milliseconds): Promise<string | undefined> {
    const known = await this.#cache.get(key);
    if (known !== undefined) return known;
    await this.#cache.set(key, newVersion(time), { ttl: longest });
    return this.#cache.get(key);
  }

  /**
   * Reads the version back, because a guarded cache hides failures. A newer version of another process is as good, but where there was none
   * before, it might be an old one that could not be read. Then it is replaced once more: processes that find an empty store write at once.
   */
  async #replace(key: string): Promise<void> {
    let before = await this.#cache.get(key);
    for (let attempt = 0; attempt < 2; attempt++) {
      const version = newVersion(Date.now());
      await this.#cache.set(key, version, { ttl: longest });
      const after = await this.#cache.get(key);
      if (after === version || (before !== undefined && after !== undefined && after !== before)) return;
      before = after;
    }
    throw new Error('The store of answers did not accept a purge.');
  }
}

function newVersion(time: Milliseconds): string {
  return `${time.toString(36)}-${Math.random().toString(36).slice(2)}`;
}

function timeOf(version: string): Milliseconds {
  return Number.parseInt(version, 36);
}
