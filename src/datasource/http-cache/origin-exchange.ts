import { createEntry, type CacheEntry, type EntryHead } from './cache-entry.ts';
import type { CacheOutcome } from './cache-outcome.ts';
import { storageTermsFor, type StorageCase, type StorageTerms } from './freshness.ts';
import { decodeBody, readFor, rebuildResponse } from '../received.ts';
import { describeSelection, hasCredentials, parseVary, type SelectionSource } from './request-identity.ts';
import type { CacheOptions } from '../request.ts';
import type { Milliseconds } from '../units.ts';

/** A call, as the response cache sees it. */
export interface Exchange extends SelectionSource {
  /** Whether an equal request that is under way may answer this one. */
  readonly sharesInFlight: boolean;
  /** What sends: requests through different ones are never equal. */
  readonly source: unknown;
  /** A signal that aborts when nobody waits for this call any more. Asked for only when something is sent. */
  patience(): AbortSignal;
  /** Takes work that may end after the call; undefined where nobody takes it. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined;
  now(): Milliseconds;
  send(signal: AbortSignal, validators?: Readonly<Record<string, string>>): Promise<Response>;
  cacheOptionsFor(response: Response): CacheOptions | undefined | Promise<CacheOptions | undefined>;
}

/** What came of asking the origin: an entry that others may be given too, or a response for the one who asked. */
export interface OriginAnswer {
  readonly outcome: CacheOutcome;
  readonly entry?: CacheEntry;
  readonly live?: Response;
  /** There when the entry is new. */
  readonly fetched?: { readonly entry: CacheEntry; readonly keepFor: number; readonly headers: Headers };
  /** Resolves when the entry is in the store, or has failed to get there. */
  readonly written?: Promise<void>;
}

/** A failing origin, for which an old answer may stand in (RFC 5861 section 4). */
const FAILURES = [500, 502, 503, 504];

/** One question to the origin, with what is known from before. */
export class OriginExchange {
  readonly #exchange: Exchange;
  readonly #signal: AbortSignal;

  constructor(exchange: Exchange, signal: AbortSignal) {
    this.#exchange = exchange;
    this.#signal = signal;
  }

  /** Asks, with the validators of an entry if there is one. */
  async ask(entry: CacheEntry | undefined): Promise<OriginAnswer> {
    const sentAt = this.#exchange.now();
    const response = await this.#sendUnlessStale(entry);
    if (response === undefined) return { entry: entry!, outcome: 'stale' };
    if (response.status !== 304 || entry === undefined) return this.#receive(response, sentAt);
    return isSameVersion(entry, response) ? this.#refresh(entry, response, sentAt) : this.ask(undefined);
  }

  /** Sends; undefined when the origin fails and the entry may stand in for it. */
  async #sendUnlessStale(entry: CacheEntry | undefined): Promise<Response | undefined> {
    const validators = entry === undefined ? undefined : validatorsOf(entry);
    const mayBeStale = (): boolean => entry !== undefined && !this.#signal.aborted && this.#exchange.now() < entry.head.staleIfErrorUntil;
    try {
      const response = await this.#exchange.send(this.#signal, validators);
      if (!FAILURES.includes(response.status) || !mayBeStale()) return response;
      await response.body?.cancel();
      return undefined;
    } catch (error) {
      if (mayBeStale()) return undefined;
      throw error;
    }
  }

  /** Reads a response that may be stored; leaves any other to the one who asked, its body unread. */
  async #receive(response: Response, sentAt: Milliseconds): Promise<OriginAnswer> {
    const headers = toStoredHeaders(response.headers);
    const redirected = response.redirected || (response.url !== '' && response.url !== this.#exchange.request.url);
    const terms = await this.#termsFor(response, toRecord(response.headers), redirected);
    if (terms === undefined) return { live: response, outcome: 'miss' };

    const body = decodeBody(new Uint8Array(await readFor(this.#exchange.request, () => response.arrayBuffer())));
    const { status, statusText } = response;
    const source = { status, statusText, headers, body };
    return this.#toAnswer(source, terms, { sentAt, received: response.headers, outcome: 'miss' });
  }

  /** RFC 9111 section 4.3.4: the stored body with the header fields of now, and a life that starts anew. */
  async #refresh(entry: CacheEntry, response: Response, sentAt: Milliseconds): Promise<OriginAnswer> {
    const { head, body } = entry;
    const { status, statusText } = head;
    const { url } = this.#exchange.request;
    const headers = { ...entry.headers, ...toStoredHeaders(response.headers) };
    const merged = rebuildResponse(body, { url, status, statusText, headers });
    const terms = await this.#termsFor(merged, headers, response.redirected);
    const refreshed = { status, statusText, headers, body };
    if (terms === undefined) return { live: rebuildResponse(body, { ...refreshed, url }), outcome: 'revalidated' };
    return this.#toAnswer(refreshed, terms, { sentAt, received: merged.headers, outcome: 'revalidated' });
  }

  async #termsFor(response: Response, headers: Readonly<Record<string, string>>, redirected: boolean): Promise<StorageTerms | undefined> {
    const options = await this.#exchange.cacheOptionsFor(response);
    // Somebody read the body in the hook; there is nothing left to store.
    if (response.bodyUsed) return undefined;
    const storage: StorageCase = {
      status: response.status,
      headers,
      redirected,
      hasCredentials: hasCredentials(this.#exchange),
      ttl: options?.ttl,
      now: this.#exchange.now(),
    };
    const terms = storageTermsFor(storage);
    this.#exchange.request.watch?.judged(storage, terms);
    return terms;
  }

  async #toAnswer(
    { headers, body, ...source }: Pick<EntryHead, 'status' | 'statusText'> & Pick<CacheEntry, 'headers' | 'body'>,
    { audience, keepFor, ...terms }: StorageTerms,
    { sentAt, received, outcome }: { sentAt: Milliseconds; received: Headers; outcome: CacheOutcome },
  ): Promise<OriginAnswer> {
    const selection = await describeSelection(this.#exchange, { audience, vary: parseVary(headers['vary']) });
    const contentType = headers['content-type'] ?? null;
    const head = { ...source, ...terms, ...selection, contentType, sentAt, storedAt: this.#exchange.now() };
    const entry = createEntry(head, headers, body);
    return { outcome, entry, fetched: { entry, keepFor, headers: received } };
  }
}

function validatorsOf(entry: CacheEntry): Record<string, string> {
  const { etag, 'last-modified': lastModified } = entry.headers;
  return { ...(etag && { 'if-none-match': etag }), ...(lastModified && { 'if-modified-since': lastModified }) };
}

/** A 304 without an ETag speaks of what we asked about; one with another ETag speaks of something else. */
function isSameVersion(entry: CacheEntry, response: Response): boolean {
  const etag = response.headers.get('etag');
  return etag === null || entry.headers['etag'] === undefined || toOpaqueTag(etag) === toOpaqueTag(entry.headers['etag']);
}

function toOpaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//i, '');
}

// Of one connection (RFC 9110 section 7.6.1), of an encoding that fetch has undone, or of one user alone.
const UNSTORED = new Set(
  (
    'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade ' +
    'content-encoding content-length content-range set-cookie set-cookie2'
  ).split(' '),
);

function toStoredHeaders(headers: Headers): Record<string, string> {
  const ofConnection =
    headers
      .get('connection')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? [];
  return Object.fromEntries([...headers].filter(([name]) => !UNSTORED.has(name) && !ofConnection.includes(name)));
}

function toRecord(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}
