import { textOfUTF8 } from '../../shared/index.ts';
import { hidesEnd, readBody } from '../bounded-body.ts';
import type { Waiting } from '../flight.ts';
import type { ReceivedResponse } from '../received.ts';
import { createResponse } from '../response.ts';
import type { CacheOptions } from '../request.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';
import { CacheEntry } from './cache-entry.ts';
import type { EntryHead } from './cache-entry.ts';
import type { CacheOutcome } from '../call-watch.ts';
import { isUsableOnError } from './cache-use.ts';
import { storageTermsFor } from './freshness.ts';
import type { StorageCase, StorageTerms } from './freshness.ts';
import { comparableVary, describeSelection, hidesUser, namesUser, parseVary } from './request-identity.ts';
import type { SelectionSource } from './request-identity.ts';
import { cookiesOf, fieldsOf, mergeHeaders, storedHeadersOf } from './stored-headers.ts';

/** A call for the response cache. */
export interface CacheLookup extends SelectionSource {
  readonly ttlCoversPrivate?: StorageCase['ttlCoversPrivate'];
  /** The callers that wait. Called only if something is sent. */
  waiting(): Waiting;
  /** Accepts work that may end after the call. Undefined without an operation. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined;
  /** Warns in development. */
  readonly warn: ((message: string) => void) | undefined;
  now(): Milliseconds;
  send(waiting: Waiting, validators?: Readonly<Record<string, string>>): Promise<Response>;
  /** Calls the hooks for the lifetime. Undefined if there are none, so that no Response is created for them. */
  readonly cacheOptionsFor: ((response: Response) => Promise<CacheOptions | undefined>) | undefined;
  /** Sets the response for a timeout or a network error. */
  fallback(offer: () => ReceivedResponse | undefined): void;
}

/** The result of a request: a stored or new entry, or a response that is not stored. */
export interface OriginAnswer {
  readonly outcome: CacheOutcome;
  readonly entry?: CacheEntry;
  readonly live?: Response;
  /** The new entry, if the origin sent a full response. */
  readonly fetched?: { readonly entry: CacheEntry; readonly keepFor: number; readonly cookies: readonly string[] };
}

/** Statuses for stale-if-error (RFC 5861 section 4). */
const failures = [500, 502, 503, 504];

/** One request to the origin, with or without a stored response. */
export class OriginFetch {
  readonly #lookup: CacheLookup;
  readonly #waiting: Waiting;

  constructor(lookup: CacheLookup, waiting: Waiting) {
    this.#lookup = lookup;
    this.#waiting = waiting;
  }

  /** Sends the request, with the validators of the entry. A usable stale entry replaces a failure. */
  async send(entry: CacheEntry | undefined): Promise<OriginAnswer> {
    warnOfHTTP2(this.#lookup);
    const sentAt = this.#lookup.now();
    const response = await this.#orUndefinedIfStale(entry, () => this.#lookup.send(this.#waiting, entry && validatorsOf(entry)));
    if (response === undefined || (failures.includes(response.status) && this.#isUsableOnError(entry))) {
      await response?.body?.cancel();
      return { entry: entry!, outcome: 'stale' };
    }
    if (response.status !== 304 || entry === undefined) return this.#receive(response, { sentAt, entry });
    return isSameVersion(entry, response) ? this.#refresh(entry, response, sentAt) : this.send(undefined);
  }

  /** The result of `work`; undefined if it fails and the entry may be used stale. */
  async #orUndefinedIfStale<T>(entry: CacheEntry | undefined, work: () => Promise<T>): Promise<T | undefined> {
    if (entry === undefined) return work();
    try {
      return await work();
    } catch (error) {
      if (this.#isUsableOnError(entry)) return undefined;
      throw error;
    }
  }

  #isUsableOnError(entry: CacheEntry | undefined): boolean {
    return entry !== undefined && !this.#waiting.abandoned && isUsableOnError(entry.head, this.#lookup.now());
  }

  /** Reads a response that may be stored. The body of any other stays unread for its caller. */
  async #receive(response: Response, { sentAt, entry }: { sentAt: Milliseconds; entry: CacheEntry | undefined }): Promise<OriginAnswer> {
    const { request } = this.#lookup;
    const fields = fieldsOf(response);
    const judged = { status: response.status, headers: fields, redirected: this.#isRedirected(response), hidesEnd: hidesEnd(response) };
    const terms = await this.#termsFor(judged, () => response).catch(async (error: unknown) => {
      await response.body?.cancel();
      throw error;
    });
    if (terms === undefined) return { live: response, outcome: 'miss' };

    const bytes = await this.#orUndefinedIfStale(entry, () => readBody(request, response));
    if (bytes === undefined) return { entry: entry!, outcome: 'stale' };
    const { status, statusText } = response;
    const source = { status, statusText, headers: storedHeadersOf(fields, bytes.byteLength), body: textOfUTF8(bytes) ?? bytes };
    return this.#toAnswer(source, terms, { sentAt, cookies: cookiesOf(response.headers, fields), outcome: 'miss' });
  }

  /** RFC 9111 section 4.3.4: the stored body with new header fields and a new lifetime. */
  async #refresh(entry: CacheEntry, response: Response, sentAt: Milliseconds): Promise<OriginAnswer> {
    const { head, body } = entry;
    const { status, statusText } = head;
    const { url } = this.#lookup.request;
    const fields = fieldsOf(response);
    const headers = mergeHeaders(entry.headers, fields);
    const refreshed = { status, statusText, headers, body };
    const rebuild = (): Response => createResponse(body, { ...refreshed, url });
    const judged = { status, headers, redirected: this.#isRedirected(response), hidesEnd: false };
    const terms = await this.#termsFor(judged, rebuild);
    if (terms === undefined) return { live: rebuild(), outcome: 'revalidated' };
    return this.#toAnswer(refreshed, terms, { sentAt, cookies: cookiesOf(response.headers, fields), outcome: 'revalidated' });
  }

  /** Responses created by `httpFetch` have no URL and no `redirected`. */
  #isRedirected(response: Response): boolean {
    const { request } = this.#lookup;
    return request.redirected || response.redirected || (response.url !== request.url && response.url !== '');
  }

  async #termsFor(
    { status, headers, redirected, hidesEnd: isEndHidden }: Pick<StorageCase, 'status' | 'headers' | 'redirected' | 'hidesEnd'>,
    toResponse: () => Response,
  ): Promise<StorageTerms | undefined> {
    const lookup = this.#lookup;
    const shown = lookup.cacheOptionsFor && toResponse();
    const options = shown && (await lookup.cacheOptionsFor(shown));
    // The hook has read the body, so it cannot be stored.
    if (shown?.bodyUsed) return undefined;
    const storage: StorageCase = {
      status,
      headers,
      vary: comparableVary(lookup, headers['vary']),
      redirected,
      hidesEnd: isEndHidden,
      namesUser: namesUser(lookup),
      hidesUser: hidesUser(lookup),
      ttl: options?.ttl,
      ttlCoversPrivate: lookup.ttlCoversPrivate,
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
    // The fields are listed, because three spreads and two rests took as long as reading Cache-Control.
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
    const entry = new CacheEntry(head, headers, body);
    return { outcome, entry, fetched: { entry, keepFor: terms.keepFor, cookies } };
  }
}

function validatorsOf(entry: CacheEntry): Record<string, string> {
  const { etag, 'last-modified': lastModified } = entry.headers;
  return { ...(etag && { 'if-none-match': etag }), ...(lastModified && { 'if-modified-since': lastModified }) };
}

/** False for a 304 with another ETag than that of the entry. */
function isSameVersion(entry: CacheEntry, response: Response): boolean {
  const etag = response.headers.get('etag');
  return etag === null || entry.headers['etag'] === undefined || toOpaqueTag(etag) === toOpaqueTag(entry.headers['etag']);
}

function toOpaqueTag(etag: string): string {
  return etag.trim().replace(/^W\//i, '');
}

let warnedOfHTTP2 = false;

/** Warns in development, once, where fetch uses HTTP/2, because few responses have a Content-Length there. */
function warnOfHTTP2({ warn, request, usesHTTPFetch }: CacheLookup): void {
  if (warnedOfHTTP2 || warn === undefined || usesHTTPFetch || !request.url.startsWith('https:')) return;
  const versions: Partial<NodeJS.ProcessVersions> | undefined = (globalThis.process as Partial<NodeJS.Process> | undefined)?.versions;
  if (!(Number.parseInt(versions?.['undici'] ?? '', 10) >= 8)) return;
  warnedOfHTTP2 = true;
  warn(
    `The fetch of Node ${versions?.node} uses HTTP/2, over which a body that breaks off may look complete, so responses without Content-Length are ` +
      'not cached. To cache them, send with HTTP/1.1: call setGlobalDispatcher(new Agent({ allowH2: false })) and install() of the package undici.',
  );
}
