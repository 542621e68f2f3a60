import CachePolicy from 'http-cache-semantics';
import type { Seconds } from '../../cache/key-value-cache.ts';
import { parseCacheControl, secondsOf, type CacheDirectives } from './cache-control.ts';
import type { Milliseconds } from '../units.ts';

/**
 * Who may be given a stored response, its Vary fields apart: everybody, requests with the same credentials, or
 * requests whose header fields are all the same.
 */
export type Audience = 'everybody' | 'credentials' | 'headers';

/** On what terms a response may be stored and used again. Times are milliseconds since 1970. */
export interface StorageTerms {
  readonly audience: Audience;
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

/** What the terms depend on. */
export interface StorageCase {
  readonly status: number;
  /** Response header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The response is that of another URL than the one asked for. */
  readonly redirected: boolean;
  readonly hasCredentials: boolean;
  /** The developer's own word on the response's life. */
  readonly ttl: Seconds | undefined;
  readonly now: Milliseconds;
}

/** A year: what "for ever" means to most caches. */
const MAX_LIFE: Seconds = 365 * 24 * 3600;

/** How long a response that is never fresh is kept for the sake of its ETag or Last-Modified. */
const REVALIDATION_LIFE: Seconds = 3600;

/** The terms for storing a response; undefined when it must not or need not be stored. */
export function storageTermsFor(storage: StorageCase): StorageTerms | undefined {
  const directives = parseCacheControl(storage.headers['cache-control']);
  if (directives.has('no-store') || variesOnEverything(storage) || storage.status === 206) return undefined;
  return storage.ttl === undefined ? termsOfOrigin(storage, directives) : termsOfDeveloper(storage, directives, storage.ttl);
}

/**
 * A `ttl` overrules what the origin says about time, and says nothing about whose response it is. So it is for requests
 * that are the same in every header field: with v3 and its successors, any ttl handed one user's response to the next.
 */
function termsOfDeveloper({ status, headers, now }: StorageCase, directives: CacheDirectives, ttl: Seconds): StorageTerms | undefined {
  if (status < 200 || status > 299 || !(ttl > 0)) return undefined;
  const fresh = Math.min(ttl, MAX_LIFE);
  return toTerms({
    audience: 'headers',
    now,
    fresh,
    whileRevalidate: 0,
    ifError: secondsOf(directives, 'stale-if-error') ?? 0,
    strict: false,
    revalidatable: hasValidator(headers),
  });
}

/**
 * RFC 9111, as a shared cache where the response is for everybody or nobody is known, as a private one otherwise: what a
 * shared cache must not store is stored for the same credentials alone.
 */
function termsOfOrigin(storage: StorageCase, directives: CacheDirectives): StorageTerms | undefined {
  // We have not seen the header fields of the redirect itself: it may have been one user's ("/me" to "/users/1").
  if (storage.redirected) return undefined;

  const isPrivate = directives.has('private');
  const isPublic = directives.has('public') && !isPrivate;
  // Nothing in the request says whose private response this is.
  if (isPrivate && !storage.hasCredentials) return undefined;

  const forOneUser = isPrivate || (storage.hasCredentials && !isPublic);
  const policy = new CachePolicy({ headers: {} }, toPolicyResponse(storage, directives), { shared: !forOneUser });
  if (!policy.storable()) return undefined;

  const strict = ['must-revalidate', 'proxy-revalidate', 'no-cache'].some((name) => directives.has(name));
  return toTerms({
    audience: isPublic ? 'everybody' : 'credentials',
    now: storage.now,
    fresh: Math.min(policy.maxAge() - policy.age(), MAX_LIFE),
    whileRevalidate: strict ? 0 : (secondsOf(directives, 'stale-while-revalidate') ?? 0),
    ifError: strict ? 0 : (secondsOf(directives, 'stale-if-error') ?? 0),
    strict,
    revalidatable: hasValidator(storage.headers) && (directives.size > 0 || storage.headers['expires'] !== undefined),
  });
}

interface Lifetime {
  readonly audience: Audience;
  readonly now: Milliseconds;
  /** May be negative: stale on arrival. */
  readonly fresh: Seconds;
  readonly whileRevalidate: Seconds;
  readonly ifError: Seconds;
  readonly strict: boolean;
  readonly revalidatable: boolean;
}

function toTerms({ audience, now, fresh, whileRevalidate, ifError, strict, revalidatable }: Lifetime): StorageTerms | undefined {
  const usable = fresh + Math.max(whileRevalidate, ifError);
  const kept = Math.max(usable, 0) + (revalidatable ? Math.max(fresh, REVALIDATION_LIFE) : 0);
  if (kept <= 0) return undefined;

  const freshUntil = now + fresh * 1000;
  return {
    audience,
    freshUntil,
    staleWhileRevalidateUntil: freshUntil + whileRevalidate * 1000,
    staleIfErrorUntil: freshUntil + ifError * 1000,
    strict,
    keepFor: Math.min(Math.ceil(kept), 2 * MAX_LIFE),
  };
}

function hasValidator(headers: StorageCase['headers']): boolean {
  return headers['etag'] !== undefined || headers['last-modified'] !== undefined;
}

/** "*" anywhere in Vary: no other request is ever the same. */
function variesOnEverything({ headers }: StorageCase): boolean {
  return headers['vary']?.split(',').some((name) => name.trim() === '*') ?? false;
}

/**
 * The response in the spelling that http-cache-semantics understands. It compares directive names in lower case only,
 * splits at quoted commas, takes `must-revalidate` for "never fresh" (kornelski/http-cache-semantics#54), gives `immutable`
 * a day of its own, and believes every date that Date.parse can make sense of.
 */
function toPolicyResponse(
  { status, headers, now }: StorageCase,
  directives: CacheDirectives,
): { status: number; headers: Record<string, string> } {
  const normalized: Record<string, string> = { date: toHTTPDate(headers['date'], now) };
  for (const name of ['age', 'pragma', 'set-cookie', 'etag']) if (headers[name] !== undefined) normalized[name] = headers[name];

  const modified = parseHTTPDate(headers['last-modified']);
  if (modified !== undefined) normalized['last-modified'] = toHTTPDate(headers['last-modified'], now);
  // A date that is none has passed (RFC 9111 section 5.3).
  if (headers['expires'] !== undefined) normalized['expires'] = toHTTPDate(headers['expires'], 0);

  const known = ['max-age', 's-maxage'].filter((name) => directives.has(name)).map((name) => `${name}=${secondsOf(directives, name)}`);
  const flags = ['no-cache', 'public'].filter((name) => directives.has(name));
  // A field that is there overrules Pragma, even if it says nothing else we pass on.
  if (headers['cache-control'] !== undefined) normalized['cache-control'] = [...known, ...flags].join(', ');
  return { status, headers: normalized };
}

function toHTTPDate(text: string | undefined, otherwise: Milliseconds): string {
  return new Date(parseHTTPDate(text) ?? otherwise).toUTCString();
}

// The three formats of RFC 9110 section 5.6.7, and no other of the many that Date.parse accepts.
const IMF_FIXDATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

function parseHTTPDate(text: string | undefined): Milliseconds | undefined {
  if (text === undefined) return undefined;
  const inGMT = ASCTIME.test(text) ? `${text} GMT` : text;
  const time = IMF_FIXDATE.test(text) || RFC_850.test(text) || inGMT !== text ? Date.parse(inGMT) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
