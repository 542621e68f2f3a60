/** Header fields by names in lower case. */
export type Fields = Readonly<Record<string, string>>;

/** The part of the web's `Headers` that is used. */
export type WebHeaders = Iterable<[name: string, value: string]> & { get(name: string): string | null };

/** A name that is none would make the web's `get` throw. */
export function webValue(web: WebHeaders, name: string): string | null {
  if (!lowerCase.has(name) && !fieldName.test(name)) return null;
  const value = web.get(name);
  return value !== null && fieldValue.test(value) ? value : null;
}

/** The value of a field in a record; null: there is none that HTTP allows. */
export function valueIn(record: Fields, key: string): string | null {
  const value: unknown = record[key];
  // That it is a string says that it is the record's own: what every object inherits, as "constructor", is none.
  if (typeof value !== 'string') return null;
  const isUsual = key === 'content-type' || key === 'accept';
  if (isUsual && lastFine[key] === value) return value;
  if (!fieldValue.test(value)) return null;
  if (isUsual && value.length <= maxRemembered) lastFine[key] = value;
  return value;
}

/** Values that HTTP allows, of two fields that hold no secret: the next request brings the same, and to compare takes a tenth of a test. */
const lastFine = { 'content-type': '', accept: '' };

/**
 * Names that are known to be in lower case: `toLowerCase` makes a new string to compare with, which takes three times as
 * long. Bounded, for clients can send any.
 */
const lowerCase = new Set<string>();
const maxRemembered = 256;
const longestRemembered = 64;

/** True when the name of a field is in lower case. */
export function isLowerCase(name: string): boolean {
  if (lowerCase.has(name)) return true;
  if (name !== name.toLowerCase()) return false;
  if (lowerCase.size < maxRemembered && name.length <= longestRemembered) lowerCase.add(name);
  return true;
}

/** A token of RFC 9110 section 5.6.2. */
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The characters that a field value may hold (RFC 9110 section 5.5): visible ones, space, tab, and bytes above ASCII. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True when HTTP allows this name. */
export function isFieldName(name: string): boolean {
  return fieldName.test(name);
}

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
  // The value itself stays out of the message: it may be a secret, and messages end up in logs.
  if (!fieldValue.test(text)) throw new TypeError(`The value of the HTTP field "${name}" has a character that HTTP does not allow.`);
  return text;
}
