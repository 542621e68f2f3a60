import { guardCache } from '../cache/guard.ts';
import { isInMemory } from '../cache/in-memory.ts';
import type { KeyValueCache, Milliseconds } from '../cache/key-value-cache.ts';
import type { CacheEntry } from './cache-entry.ts';
import type { CacheOutcome } from '../call-watch.ts';
import { isBypass, isUsableOnError, judgeEntry, mayUseNetwork, needsNewResponse, needsValidation } from './cache-use.ts';
import { createNetworkError, isNetworkError } from '../errors.ts';
import { Flight } from '../flight.ts';
import type { Waiting } from '../flight.ts';
import { OriginFetch } from './origin-fetch.ts';
import type { CacheLookup, OriginAnswer } from './origin-fetch.ts';
import { fromEntry, fromOrigin } from '../received.ts';
import type { ReceivedResponse } from '../received.ts';
import { createResponse } from '../response.ts';
import { RecentEntries } from './recent-entries.ts';
import { identityOf, isSameIdentity, isSelected, variesByCall } from './request-identity.ts';
import type { RequestIdentity } from './request-identity.ts';
import { RetryPauses, SharingMemory, isWorkerd } from './sharing.ts';
import { WriteOrder } from './write-order.ts';
import type { StoredForm } from './write-order.ts';
import { isPromiseLike } from '../../shared/index.ts';

/** A response and where it came from. */
export interface Answered {
  readonly received: ReceivedResponse;
  readonly outcome: CacheOutcome;
}

/** A GET without a response yet. */
interface RunningRequest {
  readonly flight: Flight<OriginAnswer>;
  /** Requests with this identity may wait for the response. Undefined: no request may. */
  readonly identity: RequestIdentity | undefined;
  readonly source: unknown;
  /** True if a write to the same key has started or ended since, so that the response may be outdated. */
  outdated: boolean;
}

/** Limit of a revalidation in the background if the call has no `timeout`. */
const backgroundTimeout: Milliseconds = 30_000;

/**
 * An HTTP cache in a KeyValueCache.
 *
 * There is one per cache object and process, so it knows all running requests: equal ones are sent once, and a response that a write
 * has outdated is not stored.
 */
export class ResponseCache {
  static readonly #instances = new WeakMap<KeyValueCache, ResponseCache>();
  readonly #writes: WriteOrder;
  readonly #recent: RecentEntries;
  readonly #running = new Map<string, Set<RunningRequest>>();
  /** Running writes by key. Meanwhile GETs do not use the stored response. */
  readonly #writing = new Map<string, number>();
  readonly #sharing = new SharingMemory();
  readonly #pauses = new RetryPauses();

  constructor(cache: KeyValueCache) {
    this.#writes = new WriteOrder(guardCache(cache));
    this.#recent = new RecentEntries(isInMemory(cache));
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
    return this.#fetchShared(lookup, entry);
  }

  /**
   * Runs a write. Invalidates the response with the same key if the write succeeds, or gets no response and so may have had its effect.
   * Resolves after the deletion or the deadline of the store.
   */
  async invalidateAround(lookup: CacheLookup, write: () => Promise<Response>): Promise<Response> {
    this.#markOutdated(lookup.key);
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
  #select(lookup: CacheLookup, stored: StoredForm): CacheEntry | undefined {
    const entry = this.#recent.read(lookup.key, stored);
    if (entry === undefined || this.#writes.isInvalidated(lookup.key, entry)) return undefined;
    if (isSelected(lookup, entry.head)) return entry;
    lookup.request.watch?.passedOver(entry);
    return undefined;
  }

  /** Sends the request, or waits for an equal one that is running. */
  async #fetchShared(lookup: CacheLookup, entry: CacheEntry | undefined): Promise<Answered> {
    const waiting = lookup.waiting();
    if (waiting.abandoned) throw waiting.reason;

    const identity = this.#isShared(lookup, entry) ? identityOf(lookup.request, lookup.cacheIdentity) : undefined;
    const known = identity === undefined ? undefined : this.#findRunning(lookup, identity);
    if (known !== undefined) {
      lookup.request.watch?.joined();
      const answer = await known.flight.follow(waiting).catch((error: unknown) => throwSharedFailure(lookup, waiting, error));
      const shared = answer?.entry;
      if (shared !== undefined && isSelected(lookup, shared.head) && !needsValidation(shared)) return this.#settle(lookup, answer!, false);
      // A response that may not be stored is for its request only (RFC 9111 section 4).
    }
    const sent = this.#startRequest(lookup, entry, known === undefined ? identity : undefined);
    return this.#settle(lookup, await sent.flight.follow(waiting), true);
  }

  /** True if the response is likely to be shareable with equal requests. */
  #isShared({ key, request, sharesInFlight }: CacheLookup, entry: CacheEntry | undefined): boolean {
    const expected = entry === undefined ? this.#sharing.expects(key, request.url) : !needsValidation(entry);
    return sharesInFlight && !isWorkerd() && expected;
  }

  #findRunning({ key, request, source }: CacheLookup, identity: RequestIdentity): RunningRequest | undefined {
    if (needsNewResponse(request)) return undefined;
    for (const running of this.#running.get(key) ?? []) {
      const isSame = running.identity !== undefined && isSameIdentity(running.identity, identity) && running.source === source;
      if (isSame && !running.outdated && !running.flight.abandoned) return running;
    }
    return undefined;
  }

  /** Sends a request. It counts as running until its response is stored. */
  #startRequest(lookup: CacheLookup, entry: CacheEntry | undefined, identity: RequestIdentity | undefined): RunningRequest {
    const { key, request, source } = lookup;
    const end = (): void => this.#end(key, running);
    const flight = new Flight<OriginAnswer>(async (waiting) => {
      try {
        const answer = await new OriginFetch(lookup, waiting).send(entry);
        const shareable = answer.entry !== undefined && !variesByCall(answer.entry.head.vary) && !needsValidation(answer.entry);
        this.#sharing.learn(key, request.url, shareable);
        const written = running.outdated ? undefined : this.#write(lookup, answer, entry);
        if (written === undefined) end();
        else written.then(end, end);
        return written === undefined ? answer : { ...answer, written };
      } catch (error) {
        end();
        throw error;
      }
    });
    const running: RunningRequest = { flight, identity, source, outdated: false };
    const others = this.#running.get(key);
    if (others === undefined) this.#running.set(key, new Set([running]));
    else others.add(running);
    return running;
  }

  #end(key: string, running: RunningRequest): void {
    const others = this.#running.get(key);
    others?.delete(running);
    if (others?.size === 0) this.#running.delete(key);
  }

  /** Stores a new entry. A response that may not be stored deletes the entry it replaces. Undefined: nothing to wait for. */
  #write(lookup: CacheLookup, { fetched, live }: OriginAnswer, entry: CacheEntry | undefined): Promise<unknown> | undefined {
    if (fetched !== undefined) return this.#writes.set(lookup.key, fetched.entry, fetched.keepFor);
    return entry !== undefined && live !== undefined && isConclusive(live) ? this.#writes.delete(lookup.key, lookup.now()) : undefined;
  }

  #markOutdated(key: string): void {
    for (const running of this.#running.get(key) ?? []) running.outdated = true;
  }

  /** Passes the write to the operation, or waits for it. */
  #settle(lookup: CacheLookup, answer: OriginAnswer, isSender: boolean): Answered | Promise<Answered> {
    const { written } = answer;
    if (written !== undefined && !passToOperation(lookup, written)) return written.then(() => this.#toAnswered(lookup, answer, isSender));
    return this.#toAnswered(lookup, answer, isSender);
  }

  #toAnswered(lookup: CacheLookup, answer: OriginAnswer, isSender: boolean): Answered {
    const { entry, live, outcome } = answer;
    if (entry === undefined) return { received: fromOrigin(live!), outcome };
    // Set-Cookie is only for the request that was sent.
    const cookies = isSender ? answer.fetched?.cookies : undefined;
    return { received: useEntry(lookup, entry, cookies), outcome };
  }

  #revalidateInBackground(lookup: CacheLookup, entry: CacheEntry): void {
    if (this.#pauses.isPaused(lookup.key, lookup.now())) return;
    const identity = identityOf(lookup.request, lookup.cacheIdentity);
    if (this.#findRunning(lookup, identity) !== undefined) return;
    const { flight } = this.#startRequest(lookup, entry, identity);
    passToOperation(lookup, this.#finishInBackground(flight, lookup));
  }

  /** Waits for a revalidation that no caller waits for. If it fails, the entry stays stale. */
  async #finishInBackground(flight: Flight<OriginAnswer>, { key, request, now }: CacheLookup): Promise<void> {
    try {
      const { live, fetched, written } = await flight.join({ signals: [], timeout: request.timeout ?? backgroundTimeout });
      // An unread body would keep its connection.
      await live?.body?.cancel();
      if (fetched === undefined && written === undefined) this.#pauses.failed(key, now());
      else this.#pauses.succeeded(key);
      await written;
    } catch {
      this.#pauses.failed(key, now());
    }
  }
}

/**
 * Handles the failure of a request that another call has sent: a network error is thrown as a new error, because hooks change errors.
 * Undefined for a failure of the other call only, by its hooks or limits.
 */
function throwSharedFailure({ request }: CacheLookup, { abandoned }: Waiting, error: unknown): undefined {
  if (abandoned) throw error;
  if (isNetworkError(error)) throw createNetworkError(request, (error as Error).cause);
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

/** Passes work to the operation, which waits for it before the process may freeze. False if there is none, or it has ended. */
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
