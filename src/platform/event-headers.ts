import { isFieldName, isHeaderField, isLowerCase } from '../message/header-fields.ts';
import type { WebHeaders } from '../message/header-fields.ts';
import { HeaderMap } from '../message/header-map.ts';
import { hasNames, isRecord } from '../message/plain-object.ts';
import type { UnknownEvent } from './adapter.ts';

/**
 * The header fields of an event, from its map of single values and its map of lists. The lists win: a platform that
 * sends both joins or drops values in the other map. Fields that HTTP does not allow are dropped. If a name occurs in two
 * spellings (upper and lower case), their values are joined as HTTP joins repeated fields.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  return HeaderMap.of(new EventFields(single, multiple));
}

function readAll(single: unknown, multiple: unknown): HeaderMap {
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
  if (!isRecord(map)) return false;
  let count = 0;
  let areKnown = true;
  for (const name in map) {
    if (typeof map[name] !== 'string') return false;
    if (name !== lowerCaseNames[count++]) areKnown = false;
  }
  if (areKnown) return true;
  const names = Object.keys(map);
  if (!names.every(isLowerCase)) return false;
  lowerCaseNames = names;
  return true;
}

/** The names of the last such record. Clients send the same names again and again; comparing a dozen takes 20 ns, checking them 80. */
let lowerCaseNames: readonly string[] = [];

/**
 * The fields of an event whose names are in any case, looked up in its two maps. A REST API's event has a dozen of them in both: to check and
 * copy all takes 3 µs, a quarter of a small operation, and most are never read.
 */
class EventFields implements WebHeaders {
  readonly #single: unknown;
  readonly #multiple: unknown;
  readonly #spellings: Spellings;
  #all: HeaderMap | undefined = undefined;

  constructor(single: unknown, multiple: unknown) {
    this.#single = single;
    this.#multiple = multiple;
    this.#spellings = spellingsIn(single, multiple);
  }

  get(name: string): string | null {
    const spelling = this.#spellings.get(name.toLowerCase());
    if (spelling === undefined) return null;
    const map = spelling.isListed ? this.#multiple : this.#single;
    const found = (map as UnknownEvent)[spelling.name];
    const value = spelling.isListed && Array.isArray(found) && found.length === 1 ? (found[0] as unknown) : found;
    // Any other value needs the full rules.
    return isHeaderField(spelling.name, value) && value === (value as string).trim() ? value : this.#readAll().get(name);
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.#readAll().entries();
  }

  #readAll(): HeaderMap {
    return (this.#all ??= readAll(this.#single, this.#multiple));
  }
}

/** By the name in lower case: the name as an event has it, and whether its map of lists does. */
type Spellings = ReadonlyMap<string, Spelling>;

interface Spelling {
  /** Empty if one map has it in two cases: their values are to be joined. */
  readonly name: string;
  readonly isListed: boolean;
}

/** The names of the last event that had any in upper case. The next mostly has the same, and to compare them takes a tenth of the time. */
let last: { readonly single: readonly string[]; readonly multiple: readonly string[]; readonly spellings: Spellings } = {
  single: [],
  multiple: [],
  spellings: new Map(),
};

function spellingsIn(single: unknown, multiple: unknown): Spellings {
  if (!isNamed(multiple, last.multiple) || !isNamed(single, last.single)) {
    const spellings = new Map<string, Spelling>();
    last = { multiple: addSpellings(spellings, multiple, true), single: addSpellings(spellings, single, false), spellings };
  }
  return last.spellings;
}

/** Returns all names of the map. */
function addSpellings(spellings: Map<string, Spelling>, map: unknown, isListed: boolean): string[] {
  const names = isRecord(map) ? Object.keys(map) : [];
  for (const name of names.filter(isFieldName)) {
    const key = name.toLowerCase();
    const other = spellings.get(key);
    if (other?.isListed !== !isListed) spellings.set(key, { name: other === undefined ? name : '', isListed });
  }
  return names;
}

/** True if a map has these names and no others, in this order. */
function isNamed(map: unknown, names: readonly string[]): boolean {
  return isRecord(map) ? hasNames(map, names) : names.length === 0;
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
