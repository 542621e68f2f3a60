import type { Seconds, Milliseconds } from '../cache/key-value-cache.ts';
import { hasSeconds, parseCacheControl, secondsOf } from './cache-control.ts';
import type { CacheDirectives } from './cache-control.ts';

/** The requests that may use a stored response: all with the same fields of Vary, or only those that also have the same fields that may identify a user. */
export type Audience = 'everybody' | 'headers';

/** How long and for whom a response is stored. Times are milliseconds since 1970. */
export interface StorageTerms {
  readonly audience: Audience;
  /** True if the lifetime comes from a `ttl`, not from the origin. */
  readonly byTTL: boolean;
  /** The age of the response when it was received. */
  readonly age: Seconds;
  readonly freshUntil: Milliseconds;
  /** The time until which a stale response may be used while it is revalidated. */
  readonly staleWhileRevalidateUntil: Milliseconds;
  /** The time until which a stale response may be used if the origin fails. */
  readonly staleIfErrorUntil: Milliseconds;
  /** True if the response must not be used stale, even if the request allows it (must-revalidate, no-cache). */
  readonly strict: boolean;
  /** The TTL in the store. */
  readonly keepFor: Seconds;
}

/** Why a response is not stored. */
export type NotStored =
  | 'no-store'
  /** Vary contains "*" or an invalid name. */
  | 'vary'
  /** Status 206. */
  | 'partial'
  /** The response may be for a user whom the cache cannot see. */
  | 'hidden user'
  /** The response is private, and nothing identifies the user. */
  | 'unnamed user'
  /** The response sets a cookie, and nothing identifies the user. */
  | 'cookie'
  /** A `ttl` of 0 or less. */
  | 'ttl'
  /** A `ttl` with an unsuccessful status. */
  | 'ttl of a failure'
  | 'redirected'
  /** Nothing tells whether the body of the response is complete. */
  | 'unknown end'
  | 'status'
  /** The response has no lifetime. */
  | 'no lifetime'
  /** The response is already stale and cannot be revalidated. */
  | 'stale';

/** The input of {@link storageTermsFor}. */
export interface StorageCase {
  readonly status: number;
  /** Response header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names in Vary; undefined if no two requests match. */
  readonly vary: readonly string[] | undefined;
  /** True if the response comes from another URL than the request's. */
  readonly redirected: boolean;
  /** See `hidesEnd`. */
  readonly hidesEnd: boolean;
  /** True if header fields in the request or a `cacheIdentity` identify the user. */
  readonly namesUser: boolean;
  /** See `hidesUser` in request-identity.ts. */
  readonly hidesUser: boolean;
  /** The lifetime that the developer has set. */
  readonly ttl: Seconds | undefined;
  /** Store `private` responses with a `ttl` even if nothing identifies the user, as version 3 does. Default: false */
  readonly ttlCoversPrivate?: boolean | undefined;
  readonly now: Milliseconds;
}

/** A year, which most caches treat as forever. */
const maxLife: Seconds = 365 * 24 * 3600;

/** How long a response without a lifetime is stored for its ETag or Last-Modified. */
const revalidationLife: Seconds = 3600;

/** Statuses that are stored without a lifetime, for revalidation (RFC 9110 section 15.1). */
const storedWithoutLifetime = [200, 203, 204, 300, 404, 405, 410, 414, 501];

/** Statuses kept only for calls with `redirect: 'manual'`: another call would follow them. */
const redirects = [301, 302, 303, 307, 308];

/** With a lifetime, any final status is stored (RFC 9111 section 3), except with `must-understand`. */
function isStorable(status: number, life: Seconds | undefined, directives: CacheDirectives): boolean {
  if (storedWithoutLifetime.includes(status)) return true;
  const isFinal = status >= 200 && status <= 599 && status !== 304 && !redirects.includes(status);
  return isFinal && life !== undefined && !directives.has('must-understand');
}

/** The terms for storing a response, or why it is not stored. */
export function storageTermsFor(storage: StorageCase): StorageTerms | NotStored {
  const directives = parseCacheControl(storage.headers['cache-control']);
  if (directives.has('no-store')) return 'no-store';
  if (storage.vary === undefined) return 'vary';
  if (storage.status === 206) return 'partial';
  if (storage.hidesEnd) return 'unknown end';
  const audience = audienceOf(storage, directives);
  if (audience !== 'everybody' && audience !== 'headers') return audience;
  return storage.ttl === undefined
    ? termsOfOrigin(storage, directives, audience)
    : termsOfDeveloper(storage, directives, { audience, ttl: storage.ttl });
}

/** The audience of a response, or the reason not to store it if it is for an unknown user. A `ttl` changes only the lifetime. */
function audienceOf(storage: StorageCase, directives: CacheDirectives): Audience | NotStored {
  const { headers, redirected, namesUser, hidesUser, ttl, ttlCoversPrivate = false } = storage;
  const isPrivate = directives.has('private');
  const setsCookie = headers['set-cookie'] !== undefined;
  // The redirect itself may have been for one user ("/me" to "/users/1").
  if (saysPublic(headers) && !redirected) return 'everybody';
  if (hidesUser) return 'hidden user';
  if (isPrivate && !namesUser && !(ttlCoversPrivate && ttl !== undefined)) return 'unnamed user';
  // A response that sets a cookie is often for that user. The developer who sets a `ttl` knows the API.
  if (setsCookie && !directives.has('public') && !namesUser && ttl === undefined) return 'cookie';
  return 'headers';
}

/** True if the origin allows to reuse a response for all users. */
export function saysPublic(headers: StorageCase['headers']): boolean {
  const directives = parseCacheControl(headers['cache-control']);
  if (directives.has('private')) return false;
  return directives.has('public') || (hasSeconds(directives, 's-maxage') && headers['set-cookie'] === undefined);
}

/** In version 3, a `ttl` shared the response of one user with others; here it does not change the audience. */
function termsOfDeveloper(
  { status, headers, now }: StorageCase,
  directives: CacheDirectives,
  { audience, ttl }: { audience: Audience; ttl: Seconds },
): StorageTerms | NotStored {
  if (!(ttl > 0)) return 'ttl';
  if (status < 200 || status > 299) return 'ttl of a failure';
  return toTerms({
    audience,
    byTTL: true,
    age: parseAge(headers['age']),
    now,
    fresh: Math.min(ttl, maxLife),
    whileRevalidate: 0,
    ifError: secondsOf(directives, 'stale-if-error') ?? 0,
    strict: false,
    revalidatable: hasValidator(headers),
  });
}

/** RFC 9111 without heuristic freshness. */
function termsOfOrigin(storage: StorageCase, directives: CacheDirectives, audience: Audience): StorageTerms | NotStored {
  const { status, headers, redirected, now } = storage;
  if (redirected) return 'redirected';
  const life = lifeOf(storage, directives, audience);
  if (!isStorable(status, life, directives)) return 'status';

  const dated = maxAgeOf(directives, audience) === undefined ? parseHTTPDate(headers['date']) : undefined;
  // Expires is a moment: a response that was on its way for an hour has an hour less (RFC 9111 section 4.2.3).
  const age = Math.max(parseAge(headers['age']), (now - (dated ?? now)) / 1000);
  // For a shared cache, s-maxage means proxy-revalidate, too (RFC 9111 section 5.2.2.10).
  const strict =
    ['must-revalidate', 'proxy-revalidate', 'no-cache'].some((name) => directives.has(name)) ||
    (audience === 'everybody' && hasSeconds(directives, 's-maxage'));
  const terms = toTerms({
    audience,
    byTTL: false,
    age,
    now,
    fresh: Math.min(life ?? 0, maxLife) - age,
    whileRevalidate: strict || life === undefined ? 0 : (secondsOf(directives, 'stale-while-revalidate') ?? 0),
    ifError: strict ? 0 : (secondsOf(directives, 'stale-if-error') ?? 0),
    strict,
    revalidatable: hasValidator(headers) && (directives.size > 0 || life !== undefined),
  });
  return terms === 'stale' && life === undefined ? 'no lifetime' : terms;
}

/** The lifetime by RFC 9111 section 4.2.1; undefined if there is none. */
function lifeOf({ headers, now }: StorageCase, directives: CacheDirectives, audience: Audience): Seconds | undefined {
  if (directives.has('no-cache')) return 0;
  const said = maxAgeOf(directives, audience);
  if (said !== undefined) return said;

  const { 'cache-control': control, pragma, expires, date } = headers;
  // Cache-Control overrides Pragma, even without a lifetime.
  if (control === undefined && pragma?.toLowerCase().includes('no-cache') === true) return 0;
  if (expires === undefined) return undefined;
  // An invalid date is in the past (RFC 9111 section 5.3).
  return Math.max(0, ((parseHTTPDate(expires) ?? 0) - (parseHTTPDate(date) ?? now)) / 1000);
}

/** s-maxage, which is for shared caches, or max-age. */
function maxAgeOf(directives: CacheDirectives, audience: Audience): Seconds | undefined {
  const shared = audience === 'everybody' ? secondsOf(directives, 's-maxage') : undefined;
  return shared ?? secondsOf(directives, 'max-age');
}

interface Lifetime extends Pick<StorageTerms, 'audience' | 'byTTL' | 'age' | 'strict'> {
  readonly now: Milliseconds;
  /** The remaining lifetime, which is negative for a response that is stale on arrival. */
  readonly fresh: Seconds;
  readonly whileRevalidate: Seconds;
  readonly ifError: Seconds;
  readonly revalidatable: boolean;
}

function toTerms({ now, fresh, whileRevalidate, ifError, revalidatable, ...said }: Lifetime): StorageTerms | 'stale' {
  const usable = fresh + Math.max(whileRevalidate, ifError);
  const kept = Math.max(usable, 0) + (revalidatable ? Math.max(fresh, revalidationLife) : 0);
  if (kept <= 0) return 'stale';

  const freshUntil = now + fresh * 1000;
  return {
    ...said,
    freshUntil,
    staleWhileRevalidateUntil: freshUntil + whileRevalidate * 1000,
    staleIfErrorUntil: freshUntil + ifError * 1000,
    keepFor: Math.min(Math.ceil(kept), 2 * maxLife),
  };
}

function hasValidator(headers: StorageCase['headers']): boolean {
  return headers['etag'] !== undefined || headers['last-modified'] !== undefined;
}

/** The three formats of RFC 9110 section 5.6.7, and no other of the many that Date.parse accepts. */
const formats =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/** Parses an HTTP date; undefined if it is invalid. */
export function parseHTTPDate(text: string | undefined): Milliseconds | undefined {
  // The third format has no time zone, and means GMT as well.
  const time = text !== undefined && formats.test(text) ? Date.parse(text.replace(/(?: GMT)?$/, ' GMT')) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** RFC 9111 section 1.2.2: larger numbers count as this. */
const maxAge: Seconds = 2 ** 31;

/** Parses an Age field: the first of several values; an invalid one is ignored (RFC 9111 section 5.1). */
function parseAge(field: string | undefined): Seconds {
  const first = field?.split(',', 1)[0]!.trim();
  return first !== undefined && /^\d+$/.test(first) ? Math.min(Number(first), maxAge) : 0;
}
