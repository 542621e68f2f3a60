import { guardCache } from '../cache/guard.ts';
import type { KeyValueCache, Milliseconds } from '../cache/key-value-cache.ts';
import type { CacheEntry } from './cache-entry.ts';
import type { CacheOutcome } from '../call-watch.ts';
import { isBypass, isUsableOnError, judgeEntry, mayUseNetwork } from './cache-use.ts';
import { Flight } from '../flight.ts';
import type { Waiting } from '../flight.ts';
import { OriginFetch } from './origin-fetch.ts';
import type { CacheLookup, OriginAnswer } from './origin-fetch.ts';
import { fromEntry, fromOrigin } from '../received.ts';
import type { ReceivedResponse } from '../received.ts';
import { createResponse } from '../response.ts';
import { isSelected } from './request-identity.ts';
import { WriteOrder } from './write-order.ts';
import { isPromiseLike } from '../../shared/index.ts';

/** A response and where it came from. */
export interface Answered {
  readonly received: ReceivedResponse;
  readonly outcome: CacheOutcome;
}

/** The result of a request, and the change of the store that it leads to. */
interface Sent {
  readonly answer: OriginAnswer;
  /** Resolves when the store has changed, or could not be changed. Undefined: nothing to wait for. */
  readonly written: Promise<unknown> | undefined;
}

/** Limit of a revalidation in the background if the call has no `timeout`. */
const backgroundTimeout: Milliseconds = 30_000;

/** Limit of remembered keys. */
const maxPauses = 1000;

const firstPause: Milliseconds = 1000;
const longestPause: Milliseconds = 60_000;

/**
 * An HTTP cache in a KeyValueCache. There is one per cache object and process, so it knows all running requests.
 */
export class ResponseCache {
  static readonly #instances = new WeakMap<KeyValueCache, ResponseCache>();
  readonly #writes: WriteOrder;
  /** Running GETs by key. Outdated: a write to the same key has ended since, so the response is not stored. */
  readonly #running = new Map<string, Set<{ outdated: boolean }>>();
  /** Running writes by key. Meanwhile GETs do not use the stored response. */
  readonly #writing = new Map<string, number>();
  /**
   * Pauses between revalidations in the background, so that a slow origin, or one that is down, does not get a request for every stale
   * response. Each is twice as long as the one before, until a revalidation succeeds.
   */
  readonly #pauses = new Map<string, { readonly since: Milliseconds; readonly length: Milliseconds }>();

  constructor(cache: KeyValueCache) {
    this.#writes = new WriteOrder(guardCache(cache));
  }

  /** The response cache of a key-value cache. */
  static of(cache: KeyValueCache): ResponseCache {
    const known = this.#instances.get(cache);
    if (known !== undefined) return known;
    const created = new ResponseCache(cache);
    this.#instances.set(cache, created);
    return created;
  }

  /** The response to a GET. */
  async answer(lookup: CacheLookup): Promise<Answered> {
    const { request } = lookup;
    if (isBypass(request)) return { received: fromOrigin(await lookup.send(lookup.waiting())), outcome: 'bypass' };

    const skipsStore = request.cache === 'reload' || this.#writing.has(lookup.key);
    const found = skipsStore ? undefined : this.#writes.get(lookup.key);
    const stored = isPromiseLike(found) ? await found : found;
    const entry = stored === undefined ? undefined : this.#select(lookup, stored);
    const now = lookup.now();
    const use = entry === undefined ? 'none' : judgeEntry(entry, request, now);
    if (entry !== undefined && use !== 'none') request.watch?.found(entry, use, now);
    if (entry !== undefined && (use === 'fresh' || use === 'stale')) return { received: useEntry(lookup, entry), outcome: use };
    if (entry !== undefined && use === 'stale-while-revalidate') {
      this.#revalidateInBackground(lookup, entry);
      return { received: useEntry(lookup, entry), outcome: 'stale' };
    }
    if (entry !== undefined && isUsableOnError(entry.head, now)) offerFallback(lookup, entry);
    if (!mayUseNetwork(request)) return { received: fromOrigin(createGatewayTimeout(request.url)), outcome: 'miss' };
    return this.#fetch(lookup, entry);
  }

  /**
   * Runs a write. Invalidates the response with the same key if the write succeeds, or gets no response and so may have had its effect.
   * Resolves after the deletion or the deadline of the store.
   */
  async invalidateAround(lookup: CacheLookup, write: () => Promise<Response>): Promise<Response> {
    this.#writing.set(lookup.key, (this.#writing.get(lookup.key) ?? 0) + 1);
    let failed = false;
    try {
      const response = await write();
      failed = response.status >= 400;
      return response;
    } finally {
      this.#markOutdated(lookup.key);
      const others = this.#writing.get(lookup.key)! - 1;
      if (others === 0) this.#writing.delete(lookup.key);
      else this.#writing.set(lookup.key, others);
      if (!failed) await this.#writes.delete(lookup.key, lookup.now());
    }
  }

  /** Deletes a response that cannot be parsed. */
  forget(lookup: CacheLookup): void {
    passToOperation(lookup, this.#writes.delete(lookup.key, lookup.now()));
  }

  /** The stored response, if this request may use it. */
  #select(lookup: CacheLookup, entry: CacheEntry): CacheEntry | undefined {
    if (this.#writes.isInvalidated(lookup.key, entry)) return undefined;
    if (isSelected(lookup, entry.head)) return entry;
    lookup.request.watch?.passedOver(entry);
    return undefined;
  }

  async #fetch(lookup: CacheLookup, entry: CacheEntry | undefined): Promise<Answered> {
    const { answer, written } = await this.#send(lookup, entry, lookup.waiting());
    if (written !== undefined && !passToOperation(lookup, written)) await written;
    const { entry: usable, live, fetched, outcome } = answer;
    // Set-Cookie is only for the request that was sent.
    return { received: usable === undefined ? fromOrigin(live!) : useEntry(lookup, usable, fetched?.cookies), outcome };
  }

  async #send(lookup: CacheLookup, entry: CacheEntry | undefined, waiting: Waiting): Promise<Sent> {
    const { key } = lookup;
    const running = { outdated: false };
    const others = this.#running.get(key) ?? new Set();
    this.#running.set(key, others.add(running));
    try {
      const answer = await new OriginFetch(lookup, waiting).send(entry);
      return { answer, written: running.outdated ? undefined : this.#write(lookup, answer, entry) };
    } finally {
      others.delete(running);
      if (others.size === 0) this.#running.delete(key);
    }
  }

  /** Stores a new entry. A response that may not be stored deletes the entry it replaces. Undefined: nothing to wait for. */
  #write(lookup: CacheLookup, { fetched, live }: OriginAnswer, entry: CacheEntry | undefined): Promise<unknown> | undefined {
    if (fetched !== undefined) return this.#writes.set(lookup.key, fetched.entry, fetched.keepFor);
    return entry !== undefined && live !== undefined && isConclusive(live) ? this.#writes.delete(lookup.key, lookup.now()) : undefined;
  }

  #markOutdated(key: string): void {
    for (const running of this.#running.get(key) ?? []) running.outdated = true;
  }

  /** Sends at most one revalidation in each pause. */
  #revalidateInBackground(lookup: CacheLookup, entry: CacheEntry): void {
    const now = lookup.now();
    const pause = this.#pauses.get(lookup.key);
    // The clock may have been set back.
    if (pause !== undefined && now >= pause.since && now < pause.since + pause.length) return;
    if (this.#pauses.size === maxPauses) this.#pauses.clear();
    this.#pauses.set(lookup.key, { since: now, length: pause === undefined ? firstPause : Math.min(pause.length * 2, longestPause) });
    passToOperation(lookup, this.#revalidate(lookup, entry));
  }

  /** A revalidation that no caller waits for. If it fails, the entry stays stale. */
  async #revalidate(lookup: CacheLookup, entry: CacheEntry): Promise<void> {
    const flight = new Flight<Sent>((waiting) => this.#send(lookup, entry, waiting));
    try {
      const { answer, written } = await flight.join({ signals: [], timeout: lookup.request.timeout ?? backgroundTimeout });
      // An unread body would keep its connection.
      await answer.live?.body?.cancel();
      if (answer.fetched !== undefined || written !== undefined) this.#pauses.delete(lookup.key);
      await written;
    } catch {
      // The next one is sent after the pause.
    }
  }
}

/** False for temporary failures, which do not concern the resource. */
function isConclusive({ status }: Response): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

function offerFallback(lookup: CacheLookup, entry: CacheEntry): void {
  lookup.fallback(() => (isUsableOnError(entry.head, lookup.now()) ? useEntry(lookup, entry) : undefined));
}

function useEntry({ request, now }: CacheLookup, entry: CacheEntry, cookies?: readonly string[]): ReceivedResponse {
  request.watch?.used?.(entry);
  return fromEntry(entry, { url: request.url, now: now(), cookies });
}

/**
 * Passes work to the operation, which waits for it before the process may freeze. Returns false if there is no operation, or if it has
 * ended.
 */
function passToOperation({ waitUntil }: CacheLookup, work: Promise<unknown>): boolean {
  try {
    waitUntil?.(work);
    return waitUntil !== undefined;
  } catch {
    return false;
  }
}

/** The response to only-if-cached without a stored response (RFC 9111 section 5.2.1.7). */
function createGatewayTimeout(url: string): Response {
  return createResponse(null, { url, status: 504, statusText: 'Gateway Timeout' });
}
