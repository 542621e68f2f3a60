import { assertFieldName, assertFieldValue, isFieldName, isHeaderField, isLowerCase, valueIn, webValue } from './header-fields.ts';
import type { Fields, WebHeaders } from './header-fields.ts';

/**
 * HTTP header fields, read and written with the methods of the web's `Headers`.
 *
 * Not the web's class itself: its first touch costs a cold Node process about 35 ms of CPU, because it
 * loads the whole fetch implementation. Names are case-insensitive; `set-cookie` lines are kept apart and
 * never joined (RFC 9110 section 5.3 excepts that one field from joining with commas).
 */
export class HeaderMap implements Iterable<[name: string, value: string]> {
  /** Stands for the fields as long as they are only read: see {@link HeaderMap.over}. */
  #record: Fields | undefined;
  #trusted = false;
  /** True when no other has the record. */
  #isOwn = false;
  /** The platform's own fields, as long as they are only looked up: see {@link HeaderMap.of}. */
  #web: WebHeaders | undefined;
  #fields: Map<string, string> | undefined;
  #setCookies: string[] | undefined;

  constructor(init?: HeaderInit) {
    if (init === undefined) return;
    for (const [name, value] of isIterable(init) ? init : Object.entries(init)) this.append(name, value);
  }

  /**
   * The fields of a record, looked up in place. The caller vouches that its names are in lower case. Most requests are
   * asked for three of a dozen fields: copying all of them would cost as much as running a small query (0.4 µs).
   * `trusted`: the record comes from this library alone, so that its values need not be checked against HTTP.
   */
  static over(record: Fields, trusted = false): HeaderMap {
    const headers = new HeaderMap();
    headers.#record = record;
    headers.#trusted = trusted;
    return headers;
  }

  /**
   * The fields of the web's `Headers`, looked up in place. To list them sorts, copies and checks each: 5 µs of a request of a
   * browser on Node, 30 on Deno, 45 on workerd. Most requests are asked for five.
   */
  static of(web: WebHeaders): HeaderMap {
    const headers = new HeaderMap();
    headers.#web = web;
    return headers;
  }

  /** Another with the same fields: what is written to one of them the other does not have. */
  static copyOf(original: HeaderMap): HeaderMap {
    // A plugin's view of a request may have something that only looks like one.
    if (!(#web in original)) return new HeaderMap(original);
    const copy = new HeaderMap();
    // Others may write to the platform's own: these are taken as they are now.
    if (original.#web !== undefined) original.#copy();
    copy.#record = original.#record;
    copy.#trusted = original.#trusted;
    copy.#isOwn = original.#isOwn;
    copy.#fields = original.#fields && new Map(original.#fields);
    copy.#setCookies = original.#setCookies && [...original.#setCookies];
    return copy;
  }

  /** The value of a field, several values joined with ", "; null when there is none. */
  get(name: string): string | null {
    if (this.#web !== undefined) return webValue(this.#web, name);
    if (this.#record !== undefined)
      return valueIn(this.#record, name) ?? (isLowerCase(name) ? null : valueIn(this.#record, name.toLowerCase()));
    const key = name.toLowerCase();
    if (key === 'set-cookie') return this.#setCookies?.join(', ') ?? null;
    return this.#fields?.get(key) ?? null;
  }

  /** True when there is no field at all. */
  get isEmpty(): boolean {
    return this.#record === undefined && this.#web === undefined && this.#fields === undefined && this.#setCookies === undefined;
  }

  /** The record of the fields, if only this library can have written to it; undefined otherwise. */
  get trustedRecord(): Fields | undefined {
    return this.#trusted ? this.#record : undefined;
  }

  /** The same, if many answers have it: it is frozen. */
  get sharedRecord(): Fields | undefined {
    return this.#isOwn ? undefined : this.trustedRecord;
  }

  /**
   * Replaces the {@link sharedRecord}. As for {@link HeaderMap.over}, the caller vouches for all names and values. `isOwn`: no other has
   * the record. Else it must be frozen.
   */
  replaceRecord(record: Fields, isOwn: boolean): void {
    if (this.sharedRecord === undefined) throw new TypeError('Expected fields that many answers have.');
    this.#record = record;
    this.#isOwn = isOwn;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Every `set-cookie` line, in the order they were added. */
  getSetCookie(): string[] {
    if (this.#record !== undefined && !Object.hasOwn(this.#record, 'set-cookie')) return [];
    this.#copy();
    return [...(this.#setCookies ?? [])];
  }

  /** Replaces a field. Throws a TypeError for a name or value that HTTP does not allow (CR, LF, NUL). */
  set(name: string, value: string): void {
    const key = assertFieldName(name);
    const text = assertFieldValue(name, value);
    if (key === 'set-cookie') {
      this.#copy();
      this.#setCookies = [text];
    } else {
      this.#put(key, text);
    }
  }

  /** Adds a value to a field. Throws like {@link set}. */
  append(name: string, value: string): void {
    const key = assertFieldName(name);
    const text = assertFieldValue(name, value);
    if (key === 'set-cookie') {
      this.#copy();
      (this.#setCookies ??= []).push(text);
    } else {
      const present = this.get(key);
      this.#put(key, present === null ? text : `${present}, ${text}`);
    }
  }

  /** A record that this library has made stays one: to copy its few fields takes a third of the time of a Map. */
  #put(key: string, text: string): void {
    if (this.#record !== undefined && this.#trusted) {
      this.#record = { ...this.#record, [key]: text };
      this.#isOwn = true;
      return;
    }
    this.#copy();
    (this.#fields ??= new Map()).set(key, text);
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    this.#copy();
    if (key === 'set-cookie') this.#setCookies = undefined;
    else this.#fields?.delete(key);
  }

  /** All fields but `set-cookie` in a new record. */
  toRecord(): Record<string, string> {
    // The usual answer has two fields that we wrote ourselves: copying them at once takes a fifth of the time.
    if (this.#trusted && this.#record !== undefined) return { ...this.#record };
    const record: Record<string, string> = {};
    this.forEach((value, name) => {
      if (name !== 'set-cookie') record[name] = value;
    });
    return record;
  }

  /** Calls back for each field with its name in lower case, and once for each `set-cookie` line. */
  forEach(callback: (value: string, name: string, headers: HeaderMap) => void): void {
    if (this.#web !== undefined) this.#copy();
    for (const name in this.#record) {
      const value = this.#trusted ? this.#record[name] : valueIn(this.#record, name);
      if (value !== null && value !== undefined && (this.#trusted || isFieldName(name))) callback(value, name, this);
    }
    this.#fields?.forEach((value, name) => callback(value, name, this));
    this.#setCookies?.forEach((line) => callback(line, 'set-cookie', this));
  }

  /** Lower-case names with their values; one entry for each `set-cookie` line. */
  *entries(): IterableIterator<[name: string, value: string]> {
    this.#copy();
    if (this.#fields !== undefined) yield* this.#fields;
    for (const line of this.#setCookies ?? []) yield ['set-cookie', line];
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

  /** Takes the fields over from where they stand, leaving out what HTTP does not allow. */
  #copy(): void {
    const fields = this.#web ?? (this.#record && Object.entries(this.#record));
    if (fields === undefined) return;
    const isOurs = this.#trusted && this.#web === undefined && !Object.hasOwn(this.#record!, 'set-cookie');
    this.#record = undefined;
    if (isOurs) {
      this.#fields = new Map(fields as [string, string][]);
      return;
    }
    this.#web = undefined;
    for (const [name, value] of fields) if (isHeaderField(name, value)) this.append(name, value);
  }
}

/** The sources of a {@link HeaderMap}: pairs (another `HeaderMap`, the web's `Headers`) or a record. */
export type HeaderInit = Iterable<readonly [name: string, value: string]> | Fields;

function isIterable(init: HeaderInit): init is Iterable<readonly [string, string]> {
  return Symbol.iterator in init;
}

/** Adds a field that the answer depends on. "*" says that it depends on everything, and stays alone (RFC 9110 section 12.5.5). */
export function addVary(headers: HeaderMap, field: string): void {
  if (field === '*') headers.set('vary', field);
  else if (headers.get('vary') !== '*') headers.append('vary', field);
}
