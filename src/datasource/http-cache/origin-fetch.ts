import { readBody } from '../bounded-body.ts';
import type { Waiting } from '../flight.ts';
import { decodeBody, rebuildResponse, toWebResponse } from '../received.ts';
import type { ReceivedResponse } from '../received.ts';
import type { OriginResponse } from '../origin/origin-response.ts';
import type { CacheOptions } from '../request.ts';
import type { Milliseconds } from '../../cache/key-value-cache.ts';
import { createEntry } from './cache-entry.ts';
import type { CacheEntry, EntryHead } from './cache-entry.ts';
import type { CacheOutcome } from '../call-watch.ts';
import { mayStandIn } from './cache-use.ts';
import { storageTermsFor } from './freshness.ts';
import type { StorageCase, StorageTerms } from './freshness.ts';
import { comparableVary, describeSelection, hidesUser, namesUser, parseVary } from './request-identity.ts';
import type { SelectionSource } from './request-identity.ts';
import { cookiesOf, mergeHeaders, storedHeadersOf, toRecord } from './stored-headers.ts';

/** A call, as the response cache sees it. */
export interface CacheLookup extends SelectionSource {
  /** True when an equal request that is under way may answer this one. */
  readonly sharesInFlight: boolean;
  /** The class of the data source, for messages. */
  readonly sourceName: string;
  /** The function that sends: requests through different ones are never equal. */
  readonly source: unknown;
  /** The takers of this call. Asked for only when something is sent. */
  waiting(): Waiting;
  /** Takes work that may end after the call; undefined where the platform has no such function. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined;
  /** Development's word to the developer; undefined elsewhere. */
  readonly warn: ((message: string) => void) | undefined;
  now(): Milliseconds;
  send(waiting: Waiting, validators?: Readonly<Record<string, string>>): Promise<OriginResponse>;
  /** The hooks' word on a response's life; undefined where there is no hook, and no Response need be made for one. */
  readonly cacheOptionsFor: ((response: Response) => Promise<CacheOptions | undefined>) | undefined;
  /** Offers an old response, should the call's time be over, or its connection break, before there is a new one. */
  standIn(offer: () => ReceivedResponse | undefined): void;
}

/** The origin's answer: an entry that other calls may be given too, or a response for this call alone. */
export interface OriginAnswer {
  readonly outcome: CacheOutcome;
  readonly entry?: CacheEntry;
  readonly live?: OriginResponse;
  /** There when the entry is new. */
  readonly fetched?: { readonly entry: CacheEntry; readonly keepFor: number; readonly cookies: readonly string[] };
  /** Resolves when the entry is in the store, or has failed to get there. */
  readonly written?: Promise<unknown>;
}

/** A failing origin, for which an old answer may stand in (RFC 5861 section 4). */
const failures = [500, 502, 503, 504];

/** One question to the origin, with what is known from before. */
export class OriginFetch {
  readonly #lookup: CacheLookup;
  readonly #waiting: Waiting;

  constructor(lookup: CacheLookup, waiting: Waiting) {
    this.#lookup = lookup;
    this.#waiting = waiting;
  }

  /** Asks, with the validators of an entry if there is one. The entry stands in when the origin fails, if it may. */
  async ask(entry: CacheEntry | undefined): Promise<OriginAnswer> {
    const sentAt = this.#lookup.now();
    const response = await this.#orStale(entry, () => this.#lookup.send(this.#waiting, entry && validatorsOf(entry)));
    if (response === undefined || (failures.includes(response.status) && this.#mayStandIn(entry))) {
      await response?.body?.cancel();
      return { entry: entry!, outcome: 'stale' };
    }
    if (response.status !== 304 || entry === undefined) return this.#receive(response, { sentAt, entry });
    return isSameVersion(entry, response) ? this.#refresh(entry, response, sentAt) : this.ask(undefined);
  }

  /** Undefined when the work fails and the entry may stand in for what would have come of it. */
  async #orStale<T>(entry: CacheEntry | undefined, work: () => Promise<T>): Promise<T | undefined> {
    if (entry === undefined) return work();
    try {
      return await work();
    } catch (error) {
      if (this.#mayStandIn(entry)) return undefined;
      throw error;
    }
  }

  #mayStandIn(entry: CacheEntry | undefined): boolean {
    return entry !== undefined && !this.#waiting.abandoned && mayStandIn(entry.head, this.#lookup.now());
  }

  /** Reads a response that may be stored; leaves any other to the one who asked, its body unread. */
  async #receive(
    received: OriginResponse,
    { sentAt, entry }: { sentAt: Milliseconds; entry: CacheEntry | undefined },
  ): Promise<OriginAnswer> {
    const { request, cacheOptionsFor } = this.#lookup;
    const fields = toRecord(received.headers);
    // A hook is shown the web's Response.
    const response = cacheOptionsFor === undefined ? received : toWebResponse(request, received);
    const judged = { status: response.status, headers: fields, redirected: this.#isRedirected(response) };
    const terms = await this.#termsFor(judged, () => response as Response);
    if (terms === undefined) return { live: response, outcome: 'miss' };

    const bytes = await this.#orStale(entry, () => readBody(request, response));
    if (bytes === undefined) return { entry: entry!, outcome: 'stale' };
    const { status, statusText } = response;
    const source = { status, statusText, headers: storedHeadersOf(fields, bytes.byteLength), body: decodeBody(bytes) };
    return this.#toAnswer(source, terms, { sentAt, cookies: cookiesOf(response.headers, fields), outcome: 'miss' });
  }

  /** RFC 9111 section 4.3.4: the stored body with the header fields of now, and a life that starts anew. */
  async #refresh(entry: CacheEntry, response: OriginResponse, sentAt: Milliseconds): Promise<OriginAnswer> {
    const { head, body } = entry;
    const { status, statusText } = head;
    const { url } = this.#lookup.request;
    const fields = toRecord(response.headers);
    const headers = mergeHeaders(entry.headers, fields);
    const refreshed = { status, statusText, headers, body };
    const rebuild = (): Response => rebuildResponse(body, { ...refreshed, url });
    const terms = await this.#termsFor({ status, headers, redirected: this.#isRedirected(response) }, rebuild);
    if (terms === undefined) return { live: rebuild(), outcome: 'revalidated' };
    return this.#toAnswer(refreshed, terms, { sentAt, cookies: cookiesOf(response.headers, fields), outcome: 'revalidated' });
  }

  /** A response that `httpFetch` has made has no URL, and never says that it was redirected. */
  #isRedirected(response: OriginResponse): boolean {
    const { request } = this.#lookup;
    return request.redirected || response.redirected || (response.url !== request.url && response.url !== '');
  }

  async #termsFor(
    { status, headers, redirected }: Pick<StorageCase, 'status' | 'headers' | 'redirected'>,
    toResponse: () => Response,
  ): Promise<StorageTerms | undefined> {
    const lookup = this.#lookup;
    const shown = lookup.cacheOptionsFor && toResponse();
    const options = shown && (await lookup.cacheOptionsFor(shown));
    // The hook has read the body: there is nothing left to store.
    if (shown?.bodyUsed) return undefined;
    const storage: StorageCase = {
      status,
      headers,
      vary: comparableVary(lookup, headers['vary']),
      redirected,
      namesUser: namesUser(lookup),
      hidesUser: hidesUser(lookup),
      ttl: options?.ttl,
      now: lookup.now(),
    };
    const terms = storageTermsFor(storage);
    lookup.request.watch?.judged(storage, terms);
    return typeof terms === 'string' ? undefined : terms;
  }

  async #toAnswer(
    { status, statusText, headers, body }: Pick<EntryHead, 'status' | 'statusText'> & Pick<CacheEntry, 'headers' | 'body'>,
    terms: StorageTerms,
    { sentAt, cookies, outcome }: { sentAt: Milliseconds; cookies: readonly string[]; outcome: CacheOutcome },
  ): Promise<OriginAnswer> {
    const { audience, audienceHash, vary } = describeSelection(this.#lookup, {
      audience: terms.audience,
      vary: parseVary(headers['vary']) ?? [],
    });
    // Field by field: three spreads and two rests took as long as the reading of Cache-Control.
    const head: EntryHead = {
      status,
      statusText,
      byTTL: terms.byTTL,
      age: terms.age,
      strict: terms.strict,
      freshUntil: terms.freshUntil,
      staleWhileRevalidateUntil: terms.staleWhileRevalidateUntil,
      staleIfErrorUntil: terms.staleIfErrorUntil,
      audience,
      audienceHash,
      vary,
      contentType: headers['content-type'] ?? null,
      sentAt,
      storedAt: this.#lookup.now(),
    };
    const entry = createEntry(head, headers, body);
    return { outcome, entry, fetched: { entry, keepFor: terms.keepFor, cookies } };
  }
}

function validatorsOf(entry: CacheEntry): Record<string, string> {
  const { etag, 'last-modified': lastModified } = entry.headers;
  return { ...(etag && { 'if-none-match': etag }), ...(lastModified && { 'if-modified-since': lastModified }) };
}

/** A 304 without an ETag speaks of what we asked about; one with another ETag speaks of something else. */
function isSameVersion(entry: CacheEntry, response: OriginResponse): boolean {
  const etag = response.headers.get('etag');
  return etag === null || entry.headers['etag'] === undefined || toOpaqueTag(etag) === toOpaqueTag(entry.headers['etag']);
}

function toOpaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//i, '');
}
