import { assertFieldName, assertFieldValue, isHeaderField, valueIn, webValue } from './header-fields.ts';
import type { Fields, WebHeaders } from './header-fields.ts';
import { isObjectLike } from './plain-object.ts';

/**
 * HTTP header fields, read and written with the methods of the web's `Headers`. The web's class would cost a cold Node process
 * about 35 ms of CPU, because it loads the whole fetch implementation. Names are case-insensitive; `set-cookie` lines are never
 * joined (RFC 9110 section 5.3).
 */
export class HeaderMap implements Iterable<[name: string, value: string]> {
  /** The platform's fields, some of which may be invalid. They are looked up in place until all of them are needed. */
  #given: Fields | WebHeaders | undefined;
  /** All other fields but `set-cookie`. Valid, by names in lower case. */
  #fields: Fields = none;
  /** True when the record has other owners, so it is copied before it is changed. */
  #isShared = true;
  #setCookies: readonly string[] = [];

  constructor(init?: HeaderInit) {
    if (init === undefined) return;
    for (const [name, value] of isIterable(init) ? init : Object.entries(init)) this.append(name, value);
  }

  /**
   * The fields of a platform: a record whose names are in lower case, or the web's `Headers`, all fields of which take 5 µs to list on Node,
   * 30 on Deno and 45 on workerd.
   */
  static over(given: Fields | WebHeaders): HeaderMap {
    const headers = new HeaderMap();
    headers.#given = given;
    return headers;
  }

  /** The fields of a frozen record that many answers share. They are valid, and `set-cookie` is not among them. */
  static sharing(fields: Fields): HeaderMap {
    const headers = new HeaderMap();
    headers.#fields = fields;
    return headers;
  }

  /** An independent copy. */
  static copyOf(original: HeaderMap): HeaderMap {
    // A plugin's view of a request may have an object that only has the same methods.
    if (!(#fields in original)) return new HeaderMap(original);
    original.#readAll();
    original.#isShared = true;
    const copy = HeaderMap.sharing(original.#fields);
    copy.#setCookies = original.#setCookies;
    return copy;
  }

  /** The same object if it is a HeaderMap, else a new one with the fields of the web's `Headers` or a record. */
  static from(headers: HeaderMap | HeaderInit | undefined): HeaderMap {
    return isObjectLike(headers) && #fields in headers ? headers : new HeaderMap(headers);
  }

  /** The value of a field, several values joined with ", "; null when there is none. */
  get(name: string): string | null {
    const given = this.#given;
    if (given !== undefined)
      return typeof given.get === 'function' ? webValue(given as WebHeaders, name) : valueIn(given as Fields, name.toLowerCase());
    const key = name.toLowerCase();
    if (key === 'set-cookie') return this.#setCookies.length === 0 ? null : this.#setCookies.join(', ');
    const value: unknown = this.#fields[key];
    return typeof value === 'string' ? value : null;
  }

  /** True when there are no fields. */
  get isEmpty(): boolean {
    if (this.#given !== undefined || this.#setCookies.length > 0) return false;
    for (const _ in this.#fields) return false;
    return true;
  }

  /** The record of all fields, not to be changed. Undefined when they are not in one record. */
  get record(): Fields | undefined {
    return this.#given === undefined && this.#setCookies.length === 0 ? this.#fields : undefined;
  }

  /** The same record if it is shared with other maps. */
  get sharedRecord(): Fields | undefined {
    return this.#isShared ? this.record : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Every `set-cookie` line, in the order they were added. */
  getSetCookie(): string[] {
    if (this.#given !== undefined) this.#readAll();
    return [...this.#setCookies];
  }

  /** Replaces a field. Throws a TypeError for a name or value that HTTP does not allow (CR, LF, NUL). */
  set(name: string, value: string): void {
    const key = assertFieldName(name);
    const text = assertFieldValue(name, value);
    const fields = this.#ownFields();
    if (key === 'set-cookie') this.#setCookies = [text];
    else fields[key] = text;
  }

  /** Adds a value to a field. Throws like {@link set}. */
  append(name: string, value: string): void {
    const key = assertFieldName(name);
    const text = assertFieldValue(name, value);
    const fields = this.#ownFields();
    if (key === 'set-cookie') this.#setCookies = [...this.#setCookies, text];
    else fields[key] = key in fields ? `${fields[key]}, ${text}` : text;
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    const fields = this.#ownFields();
    if (key === 'set-cookie') this.#setCookies = [];
    else delete fields[key];
  }

  /** All fields but `set-cookie` in a new record. */
  toRecord(): Record<string, string> {
    if (this.#given !== undefined) this.#readAll();
    return { ...this.#fields };
  }

  /** Calls back for each field with its name in lower case, and once for each `set-cookie` line. */
  forEach(callback: (value: string, name: string, headers: HeaderMap) => void): void {
    for (const [name, value] of this.entries()) callback(value, name, this);
  }

  /** Lower-case names with their values; one entry for each `set-cookie` line. */
  *entries(): IterableIterator<[name: string, value: string]> {
    this.#readAll();
    yield* Object.entries(this.#fields);
    for (const line of this.#setCookies) yield ['set-cookie', line];
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries();
  }

  /** Takes over the platform's fields, without those that HTTP does not allow. */
  #readAll(): void {
    const given = this.#given;
    if (given === undefined) return;
    this.#given = undefined;
    const pairs = isIterable(given) ? given : Object.entries(given);
    for (const [name, value] of pairs) if (isHeaderField(name, value)) this.append(name, value);
  }

  /** The record, after a copy if it is shared. It has no prototype, because "__proto__" is a name like any other. */
  #ownFields(): Record<string, string> {
    this.#readAll();
    if (this.#isShared) {
      this.#fields = Object.assign(Object.create(null) as Fields, this.#fields);
      this.#isShared = false;
    }
    return this.#fields as Record<string, string>;
  }
}

const none: Fields = Object.freeze({});

/** The sources of a {@link HeaderMap}: pairs (another `HeaderMap`, the web's `Headers`) or a record. */
export type HeaderInit = Iterable<readonly [name: string, value: string]> | Fields;

function isIterable(init: HeaderInit): init is Iterable<readonly [string, string]> {
  return Symbol.iterator in init;
}

/** Adds a request field that the answer depends on. "*" replaces all others (RFC 9110 section 12.5.5). */
export function addVary(headers: HeaderMap, field: string): void {
  if (field === '*') headers.set('vary', field);
  else if (!listsVary(headers.get('vary'), field)) headers.append('vary', field);
}

function listsVary(vary: string | null, field: string): boolean {
  if (vary === null || vary === '') return false;
  return vary.split(',').some((listed) => listed.trim() === '*' || listed.trim().toLowerCase() === field.toLowerCase());
}
