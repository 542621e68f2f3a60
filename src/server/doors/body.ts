import { byteLength, isObjectLike, messageOf, textOfUTF8 } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequestBody } from '../../shared/index.ts';
import type { RequestBody } from '../operation/door.ts';
import { endOfString, maxNesting } from '../operation/limits/nesting.ts';
import { badRequest, bodyTooLarge, malformedRequest } from './errors.ts';

/** The settings needed to read a body. */
export interface BodySettings {
  /** Bytes of a decoded body, and characters of a query string. */
  readonly maxBodyBytes: number;
  /** True if the message for a body that does not parse may quote it. */
  readonly development: boolean;
}

/** The body of a request for a plugin's door. */
export function bodyReader(body: HTTPRequestBody, { maxBodyBytes, development }: BodySettings): RequestBody {
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    if (body.kind === 'value') throw new Error('Expected to read the text of a body, but middleware has parsed it before the handler.');
    return readText(body, maxBodyBytes);
  };
  const text = (): Promise<string> => (reading ??= read());
  const json = async (): Promise<unknown> => {
    const value = body.kind === 'value' ? readValue(body, maxBodyBytes) : parseJSON(await text(), maxBodyBytes, development);
    const problem = isObjectLike(value) ? new VariablesLimit(maxBodyBytes, value).problemOf(value, true) : undefined;
    if (problem !== undefined) throw malformedRequest(problem);
    return value;
  };
  return { text, json };
}

/** Returns the text of a body; a promise only if the body has yet to be read. Keeps no more bytes than the limit. */
export function readText(body: HTTPRequestBody, maxBytes: number): PromiseOrValue<string> {
  if (body.kind === 'none' || body.kind === 'value') return '';
  if (body.kind === 'bytes') return decodeUTF8(body.bytes, maxBytes);
  if (body.kind === 'stream') return body.read(maxBytes).then((bytes) => decodeUTF8(bytes, maxBytes));
  // A UTF-16 unit takes one to three bytes in UTF-8.
  if (body.text.length * 3 > maxBytes && byteLength(body.text) > maxBytes) throw bodyTooLarge(maxBytes);
  return body.text;
}

export function decodeUTF8(bytes: Uint8Array | ArrayBuffer, maxBytes: number): string {
  if (bytes.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
  const text = textOfUTF8(bytes);
  if (text === undefined) throw badRequest('Expected the body to be UTF-8 text, but its bytes are not.');
  return text;
}

/** The value of a body that middleware has parsed, within the limits of the JSON text that it becomes. */
export function readValue({ value, isTrusted }: Extract<HTTPRequestBody, { readonly kind: 'value' }>, maxBytes: number): unknown {
  if (isTrusted === true || !isObjectLike(value)) return value;
  const problem = new VariablesLimit(maxBytes).problemOf(value, true);
  if (problem !== undefined) throw malformedRequest(problem);
  let text: string | undefined;
  try {
    // Undefined if `toJSON` of the value returns undefined.
    text = JSON.stringify(value) as string | undefined;
  } catch {
    throw badRequest('Expected the body to be JSON, but it has a value that JSON does not have.');
  }
  if (byteLength(text ?? '') > maxBytes) throw bodyTooLarge(maxBytes);
  return value;
}

/**
 * The JSON value of a body's text. In development, the message for a text that does not parse is the engine's, which says where. Only version
 * 3 has a `reviver`.
 */
export function parseJSON(text: string, maxBytes: number, development: boolean, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  const json = text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text;
  if (json === '') throw badRequest('Expected a JSON body, got an empty one.');
  const isShallow = assertJSONSize(json, maxBytes);
  try {
    const value: unknown = JSON.parse(json, reviver);
    if (isShallow) shallow.add(value as object);
    return value;
  } catch (error) {
    // The engine's message quotes the body, which may contain a password.
    throw badRequest(`Expected the body to be JSON, but it does not parse${development ? `: ${messageOf(error)}` : ''}.`);
  }
}

/** Parsed values that need no walk, because their text has shown that they are within every {@link VariablesLimit}. */
const shallow = new WeakSet();

const byteOrderMark = 0xfeff;

/**
 * Throws if a JSON text has too many objects and lists, before it is parsed: 1 MiB of `{}` would be 340,000 objects and 50 MB of
 * memory (bench/hostile.ts). Takes 1 to 2 ms for a MiB. Returns true if it has read the text, which is that of an object or a list, and
 * does not nest too deep.
 */
export function assertJSONSize(text: string, maxBytes: number): boolean {
  if (text.length <= smallText) return false;
  const maxContainers = maxContainersOf(maxBytes);
  let containers = 0;
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    // Setting this bit turns a bracket into the brace of the same kind.
    const character = text.charCodeAt(at) | 0x20;
    if (character === quote) at = endOfString(text, at);
    else if (character === closeBrace) depth--;
    else if (character === openBrace) {
      deepest = Math.max(deepest, ++depth);
      if (++containers > maxContainers)
        throw malformedRequest(`Expected a request of at most ${maxContainers} objects and lists, got more.`);
    }
  }
  return containers > 0 && deepest <= maxNesting;
}

/** The length up to which a text cannot have too many objects and lists. */
const smallText = 65_536;
const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** At most one object or list for each 20 bytes of the largest body: rows of a bulk insert take more bytes. */
function maxContainersOf(maxBodyBytes: number): number {
  return Math.ceil(maxBodyBytes / 20);
}

/**
 * Limits the levels and the number of objects in the variables of one request. graphql-js recurses for every level and makes several
 * objects for each value: 1 MiB of 5,000 levels ended in a RangeError, and 1 MiB of `{}` took 220 ms of CPU and 100 MB
 * (bench/hostile.ts).
 */
export class VariablesLimit {
  readonly #maxContainers: number;
  readonly #isKept: boolean;
  #containers = 0;

  /** `body`: the parsed body that has the variables, if its text was checked by the same `maxBodyBytes`. */
  constructor(maxBodyBytes: number, body?: object) {
    this.#maxContainers = maxContainersOf(maxBodyBytes);
    this.#isKept = body !== undefined && shallow.has(body);
  }

  /** Returns an error if the variables of one more operation, or a parsed body, are too large. */
  problemOf(value: object, isBody = false): string | undefined {
    // A walk over 70,000 keys takes 12 ms.
    if (this.#isKept) return undefined;
    // Variables begin two levels below a batch.
    const nesting = this.#measure(value, isBody ? -1 : 1);
    if (this.#containers > this.#maxContainers)
      return `Expected ${isBody ? 'a request of' : 'the variables of a request to have'} at most ${this.#maxContainers} objects and lists, got more.`;
    if (nesting > maxNesting)
      return `Expected ${isBody ? 'a request' : '"variables"'} to nest at most ${maxNesting} levels deep, got more.`;
    return undefined;
  }

  /** Levels of nesting. Stops at either limit. */
  #measure(value: object, level: number): number {
    this.#containers++;
    let deepest = level;
    if (level > maxNesting || this.#containers > this.#maxContainers) return level;
    const look = (inner: unknown): void => {
      if (typeof inner === 'object' && inner !== null) deepest = Math.max(deepest, this.#measure(inner, level + 1));
    };
    // Uses neither an iterator, which makes 21 MB of garbage for 500,000 numbers, nor a list of values, which takes 26 ms for 70,000 keys.
    if (Array.isArray(value)) for (let at = 0; at < value.length; at++) look(value[at]);
    else for (const key in value) look((value as Record<string, unknown>)[key]);
    return deepest;
  }
}
