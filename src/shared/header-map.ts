/** Header fields by names in lower case. */
type Fields = Readonly<Record<string, string>>;

/** The part of the web's `Headers` that is used. */
type WebHeaders = Iterable<[name: string, value: string]> & { get(name: string): string | null };

/**
 * HTTP header fields, read and written with the methods of the web's `Headers`. The web's class would cost a cold Node process
 * about 35 ms of CPU, because it loads the whole fetch implementation. Names are case-insensitive; `set-cookie` lines are never
 * joined (RFC 9110 section 5.3).
 */
export class HeaderMap implements Iterable<[name: string, value: string]> {
  /** The platform's fields. They are looked up in place until all of them are needed. */
  #web: WebHeaders | undefined;
  /** All other fields except `set-cookie`. A platform may pass fields with invalid names, which no lookup finds. */
  #fields: Fields = none;
  /** True when the record has other owners, so it is copied before it is changed. */
  #isShared = true;
  #setCookies: readonly string[] = noCookies;

  constructor(init?: HeaderInit) {
    if (init === undefined) return;
    for (const [name, value] of Symbol.iterator in init ? init : Object.entries(init)) this.append(name, value);
  }

  /**
   * The fields of a record whose names are in lower case, or of the web's `Headers`, all fields of which take 5 µs to list on Node, 30 on
   * Deno and 45 on workerd.
   */
  static over(given: Fields | WebHeaders): HeaderMap {
    const headers = new HeaderMap();
    // A record may have a field of this name.
    if (typeof given.get === 'function') headers.#web = given as WebHeaders;
    else headers.#fields = given as Fields;
    return headers;
  }

  /** An independent copy. */
  static copyOf(original: HeaderMap): HeaderMap {
    // A plugin's view of a request may have an object that only has the same methods.
    if (!(#fields in original)) return new HeaderMap(original);
    original.#takeWeb();
    original.#isShared = true;
    const copy = HeaderMap.over(original.#fields);
    copy.#setCookies = original.#setCookies;
    return copy;
  }

  /** The value of a field, several values joined with ", "; null when there is none. */
  get(name: string): string | null {
    const key = name.toLowerCase();
    if (key === 'set-cookie' && this.#setCookies.length > 0) return this.#setCookies.join(', ');
    // For an invalid name, the web's `get` would throw. A record inherits functions from Object.prototype, but no strings.
    const value: unknown = this.#web === undefined ? this.#fields[key] : fieldName.test(name) && this.#web.get(name);
    return typeof value === 'string' && fieldValue.test(value) ? value : null;
  }

  /** True when there are no fields. */
  get isEmpty(): boolean {
    return this.#web === undefined && this.#setCookies.length === 0 && Object.keys(this.#fields).length === 0;
  }

  /** The record of all fields, not to be changed. Undefined when they are not in one record. */
  get record(): Fields | undefined {
    return this.#web === undefined && this.#setCookies.length === 0 ? this.#fields : undefined;
  }

  /** The record, if other maps share it. */
  get sharedRecord(): Fields | undefined {
    return this.#isShared ? this.record : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Every `set-cookie` line, in the order they were added. */
  getSetCookie(): string[] {
    if (this.#web !== undefined) this.#takeWeb();
    return [...this.#setCookies];
  }

  /** Replaces a field. Throws a TypeError for a name or value that HTTP does not allow (CR, LF, NUL). */
  set(name: string, value: string): void {
    this.#write(name, value, false);
  }

  /** Adds a value to a field. Throws like {@link set}. */
  append(name: string, value: string): void {
    this.#write(name, value, true);
  }

  #write(name: string, value: string, keepsOthers: boolean): void {
    if (!fieldName.test(name)) throw new TypeError(`Expected an HTTP field name, got ${JSON.stringify(name)}.`);
    const text = String(value).trim();
    // The message does not contain the value, which may be a secret, because messages are logged.
    if (!fieldValue.test(text)) throw new TypeError(`The value of the HTTP field "${name}" has a character that HTTP does not allow.`);
    const key = name.toLowerCase();
    const fields = this.#ownFields();
    const present = keepsOthers && key !== 'set-cookie' ? this.get(key) : null;
    if (key === 'set-cookie') this.#setCookies = keepsOthers ? [...this.#setCookies, text] : [text];
    else fields[key] = present === null ? text : `${present}, ${text}`;
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    const fields = this.#ownFields();
    if (key === 'set-cookie') this.#setCookies = [];
    else delete fields[key];
  }

  /** All fields but `set-cookie` in a new record. */
  toRecord(): Record<string, string> {
    if (this.#web !== undefined) this.#takeWeb();
    return { ...this.#fields };
  }

  /** Calls back for each field with its name in lower case, and once for each `set-cookie` line. */
  forEach(callback: (value: string, name: string, headers: HeaderMap) => void): void {
    for (const [name, value] of this.entries()) callback(value, name, this);
  }

  /** Lower-case names with their values; one entry for each `set-cookie` line. */
  *entries(): IterableIterator<[name: string, value: string]> {
    this.#takeWeb();
    yield* Object.entries(this.#fields).filter(([name, value]) => isHeaderField(name, value));
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

  /** Copies the platform's fields, without those that HTTP does not allow. */
  #takeWeb(): void {
    const web = this.#web;
    this.#web = undefined;
    for (const [name, value] of web ?? []) if (isHeaderField(name, value)) this.append(name, value);
  }

  /**
   * Returns a record that only this map has: copies it if it is shared. The record has no prototype, because "__proto__" is a name like any
   * other.
   */
  #ownFields(): Record<string, string> {
    if (this.#web !== undefined) this.#takeWeb();
    if (this.#isShared) {
      this.#fields = Object.assign(Object.create(null) as Fields, this.#fields);
      this.#isShared = false;
    }
    return this.#fields as Record<string, string>;
  }
}

const noCookies: readonly string[] = [];
const none: Fields = Object.freeze({});

/** The sources of a {@link HeaderMap}: pairs (another `HeaderMap`, the web's `Headers`) or a record. */
export type HeaderInit = Iterable<readonly [name: string, value: string]> | Fields;

/** Adds a request field that the answer depends on. "*" replaces all others (RFC 9110 section 12.5.5). */
export function addVary(headers: HeaderMap, field: string): void {
  const listed =
    headers
      .get('vary')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? [];
  if (field === '*') headers.set('vary', field);
  else if (!listed.includes('*') && !listed.includes(field.toLowerCase())) headers.append('vary', field);
}

/** A token of RFC 9110 section 5.6.2. */
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The characters that a field value may hold (RFC 9110 section 5.5): visible ones, space, tab, and bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True when HTTP allows this pair of name and value. */
export function isHeaderField(name: unknown, value: unknown): boolean {
  return typeof name === 'string' && fieldName.test(name) && typeof value === 'string' && fieldValue.test(value);
}
