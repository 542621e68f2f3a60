/** Header fields by names in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** The part of the web's `Headers` that is used. */
export type WebHeaders = Iterable<[name: string, value: string]> & { get(name: string): string | null };

/** The value of a field; null if there is none that HTTP allows. An invalid name would make the web's `get` throw. */
export function webValue(web: WebHeaders, name: string): string | null {
  if (!fieldName.test(name)) return null;
  const value = web.get(name);
  return value !== null && fieldValue.test(value) ? value : null;
}

/** The value of a field in a record; null: there is none that HTTP allows. */
export function valueIn(record: Fields, key: string): string | null {
  const value: unknown = record[key];
  // A string cannot be inherited from Object.prototype, unlike the function "constructor".
  return typeof value === 'string' && fieldValue.test(value) ? value : null;
}

/** A token of RFC 9110 section 5.6.2. */
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The characters that a field value may hold (RFC 9110 section 5.5): visible ones, space, tab, and bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True when HTTP allows this pair of name and value. */
export function isHeaderField(name: unknown, value: unknown): boolean {
  return typeof name === 'string' && fieldName.test(name) && typeof value === 'string' && fieldValue.test(value);
}

/** The name in lower case. Throws a TypeError for one that HTTP does not allow. */
export function assertFieldName(name: string): string {
  if (!fieldName.test(name)) throw new TypeError(`Expected an HTTP field name, got ${JSON.stringify(name)}.`);
  return name.toLowerCase();
}

/** The value without white space around it. Throws a TypeError for one that HTTP does not allow. */
export function assertFieldValue(name: string, value: string): string {
  const text = String(value).trim();
  // The message does not contain the value, which may be a secret, because messages are logged.
  if (!fieldValue.test(text)) throw new TypeError(`The value of the HTTP field "${name}" has a character that HTTP does not allow.`);
  return text;
}
