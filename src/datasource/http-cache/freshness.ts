import type { Seconds, Milliseconds } from '../../cache/key-value-cache.ts';
import { hasSeconds, parseCacheControl, secondsOf } from './cache-control.ts';
import type { CacheDirectives } from './cache-control.ts';
import { parseAge, parseHTTPDate } from './http-date.ts';

/**
 * The requests that may be given a stored response: all that have the fields of Vary in common, or only those that also
 * have every field in common which could tell one user from another.
 */
export type Audience = 'everybody' | 'headers';

/** On what terms a response may be stored and used again. Times are milliseconds since 1970. */
export interface StorageTerms {
  readonly audience: Audience;
  /** The response's life was set by a `ttl`, not by the origin. */
  readonly byTTL: boolean;
  /** How old the response was when it came (Age). */
  readonly age: Seconds;
  readonly freshUntil: Milliseconds;
  /** May be served at once until then, while a newer one is fetched. */
  readonly staleWhileRevalidateUntil: Milliseconds;
  /** May be served until then when the origin fails. */
  readonly staleIfErrorUntil: Milliseconds;
  /** Never to be used stale, whatever the request allows (must-revalidate, no-cache). */
  readonly strict: boolean;
  /** How long the store is to keep it. */
  readonly keepFor: Seconds;
}

/** Why a response must not or need not be stored. */
export type NotStored =
  | 'no-store'
  /** Vary names "*", or something that is not a name. */
  | 'vary'
  /** Status 206. */
  | 'partial'
  /** It may be one user's, whom only `httpFetch` knows. */
  | 'hidden user'
  /** It is private, and nothing tells whose. */
  | 'unnamed user'
  /** It sets a cookie for a user who is not named. */
  | 'cookie'
  /** A `ttl` of 0 or less. */
  | 'ttl'
  /** A `ttl`, for an unsuccessful status. */
  | 'ttl of a failure'
  | 'redirected'
  | 'status'
  /** Neither the origin nor a `ttl` said how long it lives. */
  | 'no lifetime'
  /** It is stale already, and there is nothing to ask again by. */
  | 'stale';

/** The input of the terms. */
export interface StorageCase {
  readonly status: number;
  /** Response header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names in Vary; undefined when no other request can be said to be the same. */
  readonly vary: readonly string[] | undefined;
  /** The response is that of another URL than the one asked for. */
  readonly redirected: boolean;
  /** The request tells whose response this is: credentials that we can see, or a `cacheIdentity`. */
  readonly namesUser: boolean;
  /** `httpFetch` sends fields that could tell one user from another, and no `cacheIdentity` stands for them. */
  readonly hidesUser: boolean;
  /** The developer's own word on the response's life. */
  readonly ttl: Seconds | undefined;
  readonly now: Milliseconds;
}

/** A year: what "for ever" means to most caches. */
const maxLife: Seconds = 365 * 24 * 3600;

/** How long a response that is never fresh is kept for the sake of its ETag or Last-Modified. */
const revalidationLife: Seconds = 3600;

/**
 * The final statuses that are stored when the origin gives them a life. No redirect: the one that fetch has not followed
 * was asked for with `redirect: 'manual'`, and cannot answer a call that follows.
 */
const storable = [200, 203, 204, 300, 404, 405, 410, 414, 501];

/** The terms for storing a response, or why it is not stored. */
export function storageTermsFor(storage: StorageCase): StorageTerms | NotStored {
  const directives = parseCacheControl(storage.headers['cache-control']);
  if (directives.has('no-store')) return 'no-store';
  if (storage.vary === undefined) return 'vary';
  if (storage.status === 206) return 'partial';
  const audience = audienceOf(storage, directives);
  if (audience !== 'everybody' && audience !== 'headers') return audience;
  return storage.ttl === undefined
    ? termsOfOrigin(storage, directives, audience)
    : termsOfDeveloper(storage, directives, { audience, ttl: storage.ttl });
}

/**
 * For whom a response is, which a `ttl` never changes: it overrules what the origin says about time alone. A reason
 * not to store it when it is for one user and nothing tells for which.
 */
function audienceOf({ headers, redirected, namesUser, hidesUser, ttl }: StorageCase, directives: CacheDirectives): Audience | NotStored {
  const isPrivate = directives.has('private');
  const setsCookie = headers['set-cookie'] !== undefined;
  const saysPublic = directives.has('public') || (hasSeconds(directives, 's-maxage') && !setsCookie);
  // The header fields of the redirect itself are unknown: it may have been one user's ("/me" to "/users/1").
  if (saysPublic && !isPrivate && !redirected) return 'everybody';
  if (hidesUser) return 'hidden user';
  if (isPrivate && !namesUser) return 'unnamed user';
  // A cookie for a new visitor: the body often is for that visitor alone. Not so under a ttl, whose author knows the API.
  if (setsCookie && !directives.has('public') && !namesUser && ttl === undefined) return 'cookie';
  return 'headers';
}

/** With version 3 of the peers and its successors, any ttl handed one user's response to the next; here `audience` stands. */
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

/** RFC 9111, without its heuristics: a response that was given no lifetime is never fresh. */
function termsOfOrigin(storage: StorageCase, directives: CacheDirectives, audience: Audience): StorageTerms | NotStored {
  const { status, headers, redirected, now } = storage;
  if (redirected) return 'redirected';
  if (!storable.includes(status)) return 'status';

  const life = lifeOf(storage, directives, audience);
  const age = parseAge(headers['age']);
  const strict = ['must-revalidate', 'proxy-revalidate', 'no-cache'].some((name) => directives.has(name));
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

/** RFC 9111 section 4.2.1; undefined when the response does not say. */
function lifeOf({ headers, now }: StorageCase, directives: CacheDirectives, audience: Audience): Seconds | undefined {
  if (directives.has('no-cache')) return 0;
  // s-maxage is a word to caches that serve everybody.
  const shared = audience === 'everybody' ? secondsOf(directives, 's-maxage') : undefined;
  const said = shared ?? secondsOf(directives, 'max-age');
  if (said !== undefined) return said;

  const { 'cache-control': control, pragma, expires, date } = headers;
  // Cache-Control overrules Pragma, even if it says nothing about time.
  if (control === undefined && pragma?.toLowerCase().includes('no-cache') === true) return 0;
  if (expires === undefined) return undefined;
  // A date that is none has passed (RFC 9111 section 5.3).
  return Math.max(0, ((parseHTTPDate(expires, now) ?? 0) - (parseHTTPDate(date, now) ?? now)) / 1000);
}

interface Lifetime extends Pick<StorageTerms, 'audience' | 'byTTL' | 'age' | 'strict'> {
  readonly now: Milliseconds;
  /** May be negative: stale on arrival. */
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
