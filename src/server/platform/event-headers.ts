import { HeaderMap, isHeaderField, isRecord } from '../../shared/index.ts';
import type { WebHeaders } from '../../shared/index.ts';
import type { UnknownEvent } from './adapter.ts';

/**
 * The header fields of an event, from its map of single values and its map of lists. The lists take precedence, because platforms that
 * send both join or drop values in the other map. Invalid fields are dropped. Values of a name in two cases are joined, as HTTP does.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  return HeaderMap.over(new EventFields(single, multiple));
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

/** True for a record as the newer event formats send it, which is used unchanged. */
function isLowerCaseRecord(map: unknown): map is Readonly<Record<string, string>> {
  if (!isRecord(map)) return false;
  for (const name in map) {
    if (typeof map[name] !== 'string') return false;
    // `toLowerCase` would make a new string for each name: 300 bytes for each request.
    for (let at = 0; at < name.length; at++) {
      const character = name.charCodeAt(at);
      if (character >= upperA && character <= upperZ) return false;
    }
  }
  return true;
}

const upperA = 0x41;
const upperZ = 0x5a;

/**
 * The fields of an event with names in any case, looked up in its two maps. Checking and copying all fields of a REST API's event takes
 * 3 µs, a quarter of a small operation.
 */
class EventFields implements WebHeaders {
  readonly #single: UnknownEvent;
  readonly #multiple: UnknownEvent;
  #all: HeaderMap | undefined = undefined;

  constructor(single: unknown, multiple: unknown) {
    this.#single = isRecord(single) ? single : {};
    this.#multiple = isRecord(multiple) ? multiple : {};
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const found = valueNamed(key, this.#multiple) ?? valueNamed(key, this.#single);
    if (found === undefined) return null;
    const value: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
    // Any other value needs the full rules.
    return isHeaderField(key, value) && value === (value as string).trim() ? value : this.#readAll().get(key);
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.#readAll().entries();
  }

  #readAll(): HeaderMap {
    return (this.#all ??= readAll(this.#single, this.#multiple));
  }
}

/** The value of a field, by its name in lower case; undefined if there is none. `unclear`: it has no value, or its name occurs in two cases. */
function valueNamed(key: string, map: UnknownEvent): unknown {
  let found: unknown;
  for (const name of Object.keys(map)) {
    if (name.length !== key.length || name.toLowerCase() !== key) continue;
    found = found === undefined ? (map[name] ?? unclear) : unclear;
  }
  return found;
}

const unclear = Symbol('for the full rules');

function entriesOf(map: unknown): [string, unknown][] {
  return isRecord(map) ? Object.entries(map) : [];
}

function addValues(headers: HeaderMap, name: string, value: unknown): void {
  const values = (Array.isArray(value) ? value : [value]).filter((one): one is string => isHeaderField(name, one));
  // Cookies are the one list that is joined with semicolons (RFC 6265 section 5.4).
  if (name.toLowerCase() === 'cookie') addCookies(headers, values);
  else for (const one of values) headers.append(name, one);
}

/** Adds cookies to those in the headers. */
export function addCookies(headers: HeaderMap, cookies: readonly unknown[]): void {
  const present = headers.get('cookie');
  const all = [...(present === null ? [] : [present]), ...cookies.filter((cookie): cookie is string => isHeaderField('cookie', cookie))];
  if (all.length > 0) headers.set('cookie', all.join('; '));
}
