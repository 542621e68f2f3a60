import { isHeaderField, isLowerCase } from '../message/header-fields.ts';
import { HeaderMap } from '../message/header-map.ts';
import { isRecord } from '../message/plain-object.ts';
import type { UnknownEvent } from './adapter.ts';

/**
 * The header fields of an event, from its map of single values and its map of lists. The lists win: a platform that
 * sends both joins or drops values in the other map. Fields that HTTP does not allow are dropped. If a name occurs in two
 * spellings (upper and lower case), their values are joined as HTTP joins repeated fields.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  const record = recordOf(single, multiple);
  if (record !== undefined) return HeaderMap.over(record);
  const headers = new HeaderMap();
  for (const [name, value] of entriesOf(multiple)) addValues(headers, name, value);
  const listed = new Set(headers.keys());
  for (const [name, value] of entriesOf(single)) {
    if (!listed.has(name.toLowerCase())) addValues(headers, name, value);
  }
  return headers;
}

/** True for a record as the newer event formats send it. It needs no joining, so it is used unchanged. */
function isLowerCaseRecord(map: unknown): map is Readonly<Record<string, string>> {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return false;
  const isLike = isLikeLast(map as UnknownEvent);
  if (isLike !== undefined) return isLike;
  for (const name in map) if (typeof (map as UnknownEvent)[name] !== 'string' || !isLowerCase(name)) return false;
  lastNames = Object.keys(map);
  return true;
}

/** The names of the last such record. Clients send the same names again and again; comparing a dozen takes 20 ns, checking them 80. */
let lastNames: readonly string[] = [];

/** True if a record has the names of the last one, which are in lower case; undefined if it has others. */
function isLikeLast(map: UnknownEvent): boolean | undefined {
  let count = 0;
  for (const name in map) {
    if (name !== lastNames[count++]) return undefined;
    if (typeof map[name] !== 'string') return false;
  }
  return true;
}

/**
 * The fields by names in lower case, if each has one value: then nothing is joined, and most fields are never read. A REST API's event has
 * a dozen of them, in two maps; checking and copying all takes 3 µs, a third of a small operation. Undefined: a field needs the full rules.
 */
function recordOf(single: unknown, multiple: unknown): Readonly<Record<string, string>> | undefined {
  const record: Record<string, string> = {};
  for (const [name, values] of entriesOf(multiple))
    if (!Array.isArray(values) || values.length !== 1 || !addPlain(record, toLowerCase(name), values[0])) return undefined;
  const listed = new Set(Object.keys(record));
  for (const [name, value] of entriesOf(single)) {
    const key = toLowerCase(name);
    if (!listed.has(key) && !addPlain(record, key, value)) return undefined;
  }
  return record;
}

/** Adds a field. False for a repeated name, a name that every object has, and a value with white space around it. */
function addPlain(record: Record<string, string>, key: string, value: unknown): boolean {
  if (typeof value !== 'string' || key in record || value.charCodeAt(0) <= 0x20 || value.charCodeAt(value.length - 1) <= 0x20) return false;
  record[key] = value;
  return true;
}

/** Names in lower case, because events have the same names again and again. The number is limited, because clients can send any name. */
const inLowerCase = new Map<string, string>();
const maxRemembered = 256;
const longestRemembered = 64;

function toLowerCase(name: string): string {
  let lower = inLowerCase.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    if (inLowerCase.size < maxRemembered && name.length <= longestRemembered) inLowerCase.set(name, lower);
  }
  return lower;
}

function entriesOf(map: unknown): [string, unknown][] {
  return isRecord(map) ? Object.entries(map) : [];
}

function addValues(headers: HeaderMap, name: string, value: unknown): void {
  const values = (Array.isArray(value) ? value : [value]).filter((one): one is string => isHeaderField(name, one));
  // Cookies are the one list that is joined with semicolons (RFC 6265 section 5.4).
  if (name.toLowerCase() === 'cookie') addCookies(headers, values);
  else for (const one of values) headers.append(name, one);
}

/** Adds cookies to those that are already in the headers. */
export function addCookies(headers: HeaderMap, cookies: readonly unknown[]): void {
  const present = headers.get('cookie');
  const all = [...(present === null ? [] : [present]), ...cookies.filter((cookie): cookie is string => isHeaderField('cookie', cookie))];
  if (all.length > 0) headers.set('cookie', all.join('; '));
}
