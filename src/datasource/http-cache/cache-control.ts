import type { Seconds } from '../../cache/key-value-cache.ts';

/** Cache-Control's directives by lower-case name; true for one without a value. */
export type CacheDirectives = ReadonlyMap<string, string | true>;

const none: CacheDirectives = new Map();
const directive = /([^\s,;="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;]*)))?/g;

/** About 68 years; RFC 9111 section 1.2.2 lets everything larger count as this. */
const maxDelta: Seconds = 2 ** 31;

/** Reads a Cache-Control field: names in any case, values with or without quotes, commas inside quotes. */
export function parseCacheControl(field: string | null | undefined): CacheDirectives {
  if (!field) return none;
  let directives = known.get(field);
  if (directives !== undefined) return directives;

  directives = readDirectives(field);
  if (field.length <= longestKnown) {
    if (known.size >= maxKnown) known.clear();
    known.set(field, directives);
  }
  return directives;
}

/** An API says the same few things again and again: each is read once. Bounded in number and length. */
const known = new Map<string, CacheDirectives>();
const maxKnown = 64;
const longestKnown = 200;

function readDirectives(field: string): CacheDirectives {
  const directives = new Map<string, string | true>();
  for (const [, name, quoted, token] of field.matchAll(directive)) {
    const key = name!.toLowerCase();
    const value = quoted ?? token ?? true;
    const present = directives.get(key);
    // Said twice and not alike: the shorter life is the safe reading (RFC 9111 section 4.2.1).
    if (present === undefined || toSeconds(value) < toSeconds(present)) directives.set(key, value);
  }
  // "private:" and 'private' are no directives, but whoever wrote them meant one user. And "public=false" does not mean everybody.
  for (const [, name] of field.replaceAll(quotedValue, '').matchAll(forFewer)) directives.set(name!.toLowerCase(), true);
  if (directives.get('public') !== true) directives.delete('public');
  return directives;
}

const quotedValue = /=\s*"(?:[^"\\]|\\.)*"(?=\s*(?:[,;]|$))/g;

/** These words, wherever they stand outside of a quoted value. */
const forFewer = /(?<![\w-])(private|no-store)(?![\w-])/gi;

/** True where a directive names seconds that make sense. */
export function hasSeconds(directives: CacheDirectives, name: string): boolean {
  return isSeconds(directives.get(name));
}

/** A directive's seconds; undefined when it is absent, 0 when it makes no sense. */
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
