import { guardCache } from '../../cache/guard.ts';
import { isInMemory } from '../../cache/in-memory.ts';
import type { KeyValueCache, Milliseconds } from '../../cache/key-value-cache.ts';
import type { CacheEntry, EntryHead } from './cache-entry.ts';
import type { CacheOutcome } from '../call-watch.ts';
import { isBypass, judgeEntry, mayAskOrigin, mayStandIn } from './cache-use.ts';
import { createNetworkError, isNetworkError } from '../errors.ts';
import { Flight, isPromise } from '../flight.ts';
import type { Waiting } from '../flight.ts';
import { OriginFetch } from './origin-fetch.ts';
import type { CacheLookup, OriginAnswer } from './origin-fetch.ts';
import { fromEntry, fromFetch, rebuildResponse } from '../received.ts';
import type { ReceivedResponse } from '../received.ts';
import type { OriginResponse } from '../origin/origin-response.ts';
import { RecentEntries } from './recent-entries.ts';
import { identityOf, isSelected, variesByCall } from './request-identity.ts';
import { RetryPauses, SharingMemory, isWorkerd } from './sharing.ts';
import { WriteOrder } from './write-order.ts';
import type { StoredForm } from './write-order.ts';

/** A response, with the layer that it came from. */
export interface Answered {
  readonly received: ReceivedResponse;
  readonly outcome: CacheOutcome;
}

/** A GET that has been sent and not been answered. */
interface RunningRequest {
  readonly flight: Flight<OriginAnswer>;
  /** The properties that another request must have in common to wait for the same answer; undefined: no other may. */
  readonly identity: string | undefined;
  readonly source: unknown;
  /** A write to the same key has begun or ended since: the answer may be from before it. */
  overtaken: boolean;
}

/** How long a revalidation may take that goes on after its caller was answered, when the call has no `timeout`. */
const backgroundTimeout: Milliseconds = 30_000;

/**
 * The HTTP responses in a KeyValueCache: which of them answers a request, and what is fetched when none does.
 *
 * There is one per cache object and process, whatever instances use it. So it knows of all requests under way: equal
 * ones are sent once, and the answer to one that a write has overtaken is never stored.
 */
export class ResponseCache {
  static readonly #instances = new WeakMap<KeyValueCache, ResponseCache>();
  readonly #writes: WriteOrder;
  readonly #recent: RecentEntries;
  readonly #running = new Map<string, Set<RunningRequest>>();
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

  /** Answers a GET. */
  async answer(lookup: CacheLookup): Promise<Answered> {
    const { request } = lookup;
    if (isBypass(request)) return { received: fromFetch(await lookup.send(lookup.waiting())), outcome: 'bypass' };

    const found = request.cache === 'reload' ? undefined : this.#writes.get(lookup.key);
    const stored = isPromise(found) ? await found : found;
    const entry = stored === undefined ? undefined : this.#select(lookup, stored);
    const now = lookup.now();
    const use = entry === undefined ? 'none' : judgeEntry(entry, request, now);
    if (entry !== undefined && use !== 'none') request.watch?.found(entry, use, now);
    if (entry !== undefined && (use === 'fresh' || use === 'stale'))
      return { received: fromEntry(entry, { url: request.url, now }), outcome: use };
    if (entry !== undefined && use === 'stale-while-revalidate') {
      this.#revalidateBehind(lookup, entry);
      return { received: fromEntry(entry, { url: request.url, now }), outcome: 'stale' };
    }
    if (entry !== undefined && mayStandIn(entry.head, now)) offerInstead(lookup, entry);
    if (!mayAskOrigin(request)) return { received: fromFetch(createGatewayTimeout(request.url)), outcome: 'miss' };
    return this.#fetchShared(lookup, entry);
  }

  /**
   * Runs a call of another method, and drops the response to a GET with the same key when it has gone well; also when it got
   * no answer, because then its effect is unknown. Resolves when the entry is gone, or the store's deadline over.
   */
  async invalidateAround(lookup: CacheLookup, write: () => Promise<OriginResponse>): Promise<OriginResponse> {
    this.#overtake(lookup.key);
    let failed = false;
    try {
      const response = await write();
      failed = response.status >= 400;
      return response;
    } finally {
      this.#overtake(lookup.key);
      if (!failed) await this.#writes.delete(lookup.key, lookup.now());
    }
  }

  /** Drops the response to a key: it cannot be read. Whatever comes of the deletion is handed over. */
  forget(lookup: CacheLookup): void {
    handOver(lookup, this.#writes.delete(lookup.key, lookup.now()));
  }

  /** The stored response, if it is for this request. */
  #select(lookup: CacheLookup, stored: StoredForm): CacheEntry | undefined {
    const entry = this.#recent.read(lookup.key, stored);
    if (entry === undefined || this.#writes.isVoid(lookup.key, entry)) return undefined;
    if (isSelected(lookup, entry.head)) return entry;
    lookup.request.watch?.passedOver(entry);
    return undefined;
  }

  /** Asks the origin, or waits for an equal request that is under way. */
  async #fetchShared(lookup: CacheLookup, entry: CacheEntry | undefined): Promise<Answered> {
    const waiting = lookup.waiting();
    if (waiting.abandoned) throw waiting.reason;

    const identity = this.#isShared(lookup, entry) ? identityOf(lookup.request, lookup.cacheIdentity) : undefined;
    const known = identity === undefined ? undefined : this.#findRunning(lookup, identity);
    if (known !== undefined) {
      lookup.request.watch?.joined();
      const answer = await known.flight.follow(waiting).catch((error: unknown) => ownFailure(lookup, waiting, error));
      if (answer?.entry !== undefined && isSelected(lookup, answer.entry.head)) return this.#settle(lookup, answer, false);
      // A response that may not be stored was meant for the one who asked (RFC 9111 section 4): we ask for ourselves.
    }
    const own = this.#depart(lookup, entry, known === undefined ? identity : undefined);
    return this.#settle(lookup, await own.flight.follow(waiting), true);
  }

  /** True when it makes sense to wait for an equal request, or to let others wait for this one. What was stored once may be again. */
  #isShared({ key, request, sharesInFlight }: CacheLookup, entry: CacheEntry | undefined): boolean {
    return sharesInFlight && !isWorkerd() && (entry !== undefined || this.#sharing.expects(key, request.url));
  }

  #findRunning({ key, request, source }: CacheLookup, identity: string): RunningRequest | undefined {
    // A request to reload needs an answer that was asked for after it.
    if (request.cache === 'reload' || request.cache === 'no-cache') return undefined;
    for (const running of this.#running.get(key) ?? []) {
      if (running.identity === identity && running.source === source && !running.overtaken && !running.flight.abandoned) return running;
    }
    return undefined;
  }

  /** Sends a request. It counts as running until its response is in the store, so that late comers still find it. */
  #depart(lookup: CacheLookup, entry: CacheEntry | undefined, identity: string | undefined): RunningRequest {
    const { key, request, source } = lookup;
    const end = (): void => this.#end(key, running);
    const flight = new Flight<OriginAnswer>(async (waiting) => {
      try {
        const answer = await new OriginFetch(lookup, waiting).ask(entry);
        this.#sharing.learn(key, request.url, answer.entry !== undefined && !variesByCall(answer.entry.head.vary));
        const written = running.overtaken ? undefined : this.#write(lookup, answer, entry);
        if (written === undefined) end();
        else written.then(end, end);
        return written === undefined ? answer : { ...answer, written };
      } catch (error) {
        end();
        throw error;
      }
    });
    const running: RunningRequest = { flight, identity, source, overtaken: false };
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

  /** Stores what is new; undefined when that is done. An answer that may not be stored ends the life of the entry in whose place it came. */
  #write(lookup: CacheLookup, { fetched, live }: OriginAnswer, entry: CacheEntry | undefined): Promise<unknown> | undefined {
    if (fetched !== undefined) {
      warnOfUnknownUser(lookup, fetched.entry.head);
      return this.#writes.set(lookup.key, fetched.entry, fetched.keepFor);
    }
    return entry !== undefined && live !== undefined && isLastWord(live) ? this.#writes.delete(lookup.key, lookup.now()) : undefined;
  }

  #overtake(key: string): void {
    for (const running of this.#running.get(key) ?? []) running.overtaken = true;
  }

  /** Hands the write to the operation, and makes a response of the answer. */
  #settle(lookup: CacheLookup, answer: OriginAnswer, isOwn: boolean): Answered | Promise<Answered> {
    const { written } = answer;
    if (written !== undefined && !handOver(lookup, written)) return written.then(() => this.#toAnswered(lookup, answer, isOwn));
    return this.#toAnswered(lookup, answer, isOwn);
  }

  #toAnswered(lookup: CacheLookup, answer: OriginAnswer, isOwn: boolean): Answered {
    const { entry, live, outcome } = answer;
    if (entry === undefined) return { received: fromFetch(live!), outcome };
    // Set-Cookie was meant for the one who asked, and is not in the entry.
    const cookies = isOwn ? answer.fetched?.cookies : undefined;
    return { received: fromEntry(entry, { url: lookup.request.url, now: lookup.now(), cookies }), outcome };
  }

  #revalidateBehind(lookup: CacheLookup, entry: CacheEntry): void {
    if (this.#pauses.isPaused(lookup.key, lookup.now())) return;
    const identity = identityOf(lookup.request, lookup.cacheIdentity);
    if (this.#findRunning(lookup, identity) !== undefined) return;
    const { flight } = this.#depart(lookup, entry, identity);
    handOver(lookup, this.#endOf(flight, lookup));
  }

  /** The end of a fetch whose response has no taker. When it fails, the entry stays as old as it was. */
  async #endOf(flight: Flight<OriginAnswer>, { key, request, now }: CacheLookup): Promise<void> {
    try {
      const { live, fetched, written } = await flight.join({ signals: [], timeout: request.timeout ?? backgroundTimeout });
      // One that is not stored would keep its connection, unread.
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
 * The failure of a request that another call has sent. A connection that breaks is everybody's, but each has an error of its own:
 * hooks write into errors. Undefined for a failure of the other call alone: that of its hook, or one by its limits.
 */
function ownFailure({ request }: CacheLookup, { abandoned }: Waiting, error: unknown): undefined {
  if (abandoned) throw error;
  if (isNetworkError(error)) throw createNetworkError(request, (error as Error).cause);
}

/** A temporary refusal says nothing about the resource: the origin is busy, or failing. */
function isLastWord({ status }: OriginResponse): boolean {
  return status < 500 && status !== 408 && status !== 429;
}

function offerInstead(lookup: CacheLookup, entry: CacheEntry): void {
  lookup.standIn(() => {
    const now = lookup.now();
    return mayStandIn(entry.head, now) ? fromEntry(entry, { url: lookup.request.url, now }) : undefined;
  });
}

/** Hands work to the operation, which waits for it before the process may freeze. False where there is none, or it has ended. */
function handOver({ waitUntil }: CacheLookup, work: Promise<unknown>): boolean {
  try {
    waitUntil?.(work);
    return waitUntil !== undefined;
  } catch {
    return false;
  }
}

/** The answer to "only if cached" when it is not (RFC 9111 section 5.2.1.7). */
function createGatewayTimeout(url: string): Response {
  return rebuildResponse(null, { url, status: 504, statusText: 'Gateway Timeout' });
}

const warned = new Set<string>();

/**
 * Says in development, once for each data source class, that a response is stored for all users although it is unknown whether
 * it is one user's: its origin did not call it public, and what `httpFetch` adds to a request cannot be seen.
 */
function warnOfUnknownUser({ warn, hasOwnFetch, cacheIdentity, sourceName }: CacheLookup, head: EntryHead): void {
  if (warn === undefined || !hasOwnFetch || cacheIdentity !== undefined || head.audience === 'everybody' || head.audienceHash !== '')
    return;
  if (warned.has(sourceName)) return;
  warned.add(sourceName);
  warn(
    `${sourceName} sends with its own httpFetch, and a response was stored for every user: no header field that the data source ` +
      'set tells users apart, and the response does not say "public". If httpFetch adds credentials, set cacheIdentity to ' +
      'what tells users apart, for example get cacheIdentity() { return this.context.userId; }. ' +
      "If it adds none, set cacheIdentity = '' in the class.",
  );
}
