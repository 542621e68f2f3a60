import { HeaderMap, isHeaderField } from '../message/header-map.ts';
import type { UnknownEvent } from './adapter.ts';

/**
 * The header fields of an event, from its map of single values and its map of lists. The lists win: a platform that
 * sends both joins or drops values in the other. What HTTP does not allow is dropped. The same name in two cases is
 * joined as HTTP joins repeated fields.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  const headers = new HeaderMap();
  for (const [name, value] of entriesOf(multiple)) addValues(headers, name, value);
  const listed = new Set(headers.keys());
  for (const [name, value] of entriesOf(single)) {
    if (!listed.has(name.toLowerCase())) addValues(headers, name, value);
  }
  return headers;
}

/** As the newer event formats send them. Then nothing needs joining, and the record itself will do. */
function isLowerCaseRecord(map: unknown): map is Readonly<Record<string, string>> {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return false;
  for (const name in map) {
    if (typeof (map as UnknownEvent)[name] !== 'string' || !isLowerCase(name)) return false;
  }
  return true;
}

/** Names that are known to be in lower case. Clients use a few dozen; `toLowerCase` makes a new string to compare with (80 ns of 150 for an event). */
const lowerCase = new Set<string>();
const maxRemembered = 256;
const longestRemembered = 64;

function isLowerCase(name: string): boolean {
  if (lowerCase.has(name)) return true;
  if (name !== name.toLowerCase()) return false;
  if (lowerCase.size < maxRemembered && name.length <= longestRemembered) lowerCase.add(name);
  return true;
}

function entriesOf(map: unknown): [string, unknown][] {
  return typeof map === 'object' && map !== null && !Array.isArray(map) ? Object.entries(map as UnknownEvent) : [];
}

function addValues(headers: HeaderMap, name: string, value: unknown): void {
  const values = (Array.isArray(value) ? value : [value]).filter((one): one is string => isHeaderField(name, one));
  // Cookies are the one list that is joined with semicolons (RFC 6265 section 5.4).
  if (name.toLowerCase() === 'cookie') addCookies(headers, values);
  else for (const one of values) headers.append(name, one);
}

/** Adds cookies to those that are there. */
export function addCookies(headers: HeaderMap, cookies: readonly unknown[]): void {
  const present = headers.get('cookie');
  const all = [...(present === null ? [] : [present]), ...cookies.filter((cookie): cookie is string => isHeaderField('cookie', cookie))];
  if (all.length > 0) headers.set('cookie', all.join('; '));
}
