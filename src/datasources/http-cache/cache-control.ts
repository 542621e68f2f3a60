import type { Seconds } from '../cache/key-value-cache.ts';

/** The directives of Cache-Control by lower-case name; true for those without a value. */
export type CacheDirectives = ReadonlyMap<string, string | true>;

const none: CacheDirectives = new Map();
const directive = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g;

/** Larger numbers are treated as this one (RFC 9111 section 1.2.2). */
const maxDelta: Seconds = 2 ** 31;

/** Parses a Cache-Control field: names in any case, values with or without quotes. */
export function parseCacheControl(field: string | null | undefined): CacheDirectives {
  if (!field) return none;
  const known = parsed.get(field);
  if (known !== undefined) return known;
  const directives = parse(field);
  if (parsed.size === maxParsed) parsed.clear();
  if (field.length <= longestParsed) parsed.set(field, directives);
  return directives;
}

/** Each response is parsed several times, 4 µs each, and an API sends few different fields. */
const parsed = new Map<string, CacheDirectives>();
const maxParsed = 100;
const longestParsed = 200;

function parse(field: string): CacheDirectives {
  const directives = new Map<string, string | true>();
  for (const [, name, quoted, token] of field.matchAll(directive)) {
    const key = name!.toLowerCase();
    const value = quoted ?? token ?? true;
    const present = directives.get(key);
    // Of two different values the shorter lifetime is safe (RFC 9111 section 4.2.1).
    if (present === undefined || toSeconds(value) < toSeconds(present)) directives.set(key, value);
  }
  // "private:" and 'private' are malformed, but the response belongs to one user. "public=false" does not mean public.
  for (const [, name] of field.replaceAll(quotedValue, '').matchAll(restrictive)) directives.set(name!.toLowerCase(), true);
  if (directives.get('public') !== true) directives.delete('public');
  return directives;
}

const quotedValue = /=\s*"(?:[^"\\]|\\.)*"(?=\s*(?:[,;]|$))/g;

/** These words anywhere outside quoted values. */
const restrictive = /(?<![\w-])(private|no-store)(?![\w-])/gi;

/** True if a directive has a valid number of seconds. */
export function hasSeconds(directives: CacheDirectives, name: string): boolean {
  return isSeconds(directives.get(name));
}

/** The seconds of a directive; undefined if it is absent, 0 if they are invalid. */
export function secondsOf(directives: CacheDirectives, name: string): Seconds | undefined {
  const value = directives.get(name);
  return value === undefined ? undefined : toSeconds(value);
}

function toSeconds(value: string | true): Seconds {
  return isSeconds(value) ? Math.min(Number(value), maxDelta) : 0;
}

function isSeconds(value: string | true | undefined): value is string {
  return typeof value === 'string' && /^\d+$/.test(value);
}
