import { byteLength } from './byte-length.ts';

/** The limit of a platform for the result of a call. */
export interface ResultLimit {
  /** The name of the platform, for messages. */
  readonly name: string;
  /** Bytes of the result as JSON. Absent: the platform has no limit. */
  readonly maxResultBytes?: number;
  /** True when the result is the body's JSON value itself, and not an object that has the body as a text. */
  readonly bodyIsResult?: boolean;
}

/** The two limits of an answer: the platform's, and the server's, which counts only the body. */
export interface AnswerSize {
  readonly platform: ResultLimit;
  readonly maxBytes: number;
}

/** Room for status, headers and the names of keys. */
const besideTheBody = 4096;
/** Characters that are measured before the rest is estimated again. */
const stretch = 65_536;

/** A limit, and the name of what sets it. */
export interface Capacity {
  readonly maxBytes: number;
  readonly carrier: string;
}

/** The lower of the two limits. */
export function capacityOf({ platform: { name, maxResultBytes = Infinity }, maxBytes }: AnswerSize): Capacity {
  return maxResultBytes < maxBytes ? { maxBytes: maxResultBytes, carrier: name } : { maxBytes, carrier: serverLimit };
}

const serverLimit = 'the server (maxResultBytes)';

/** The size of an answer that is too large, and the limit that it exceeds. Undefined when it fits. */
export function excessOf(size: AnswerSize, body: string): { readonly bytes: number; readonly capacity: Capacity } | undefined {
  const { platform, maxBytes } = size;
  if (body.length * longestEscape + besideTheBody < Math.min(maxBytes, platform.maxResultBytes ?? Infinity)) return undefined;
  // A UTF-16 unit is at most three bytes.
  const bytes = body.length * 3 > maxBytes ? byteLength(body) : 0;
  if (bytes > maxBytes) return { bytes, capacity: { maxBytes, carrier: serverLimit } };
  const { name, maxResultBytes: limit = Infinity, bodyIsResult = false } = platform;
  const beyond = bytesBeyond(limit, bodyIsResult, body);
  return beyond === undefined ? undefined : { bytes: beyond, capacity: { maxBytes: limit, carrier: name } };
}

/**
 * The bytes of a result above a limit; undefined when it fits. The platform counts the result as JSON, in which the body is a
 * string with every quote escaped. Writing a body of 3.4 MB as JSON again took 20 ms, so it is estimated first.
 */
function bytesBeyond(limit: number, bodyIsResult: boolean, body: string): number | undefined {
  if (body.length * (bodyIsResult || isJSON(body) ? 3 : longestEscape) + besideTheBody < limit) return undefined;
  const plain = byteLength(body) + (bodyIsResult ? 0 : besideTheBody);
  if (bodyIsResult || plain > limit) return plain > limit ? plain : undefined;
  return plain + escapesIn(body, limit - plain) > limit ? plain + escapesIn(body, Infinity) : undefined;
}

/** Bytes that escaping adds to a text. May stop counting early, once they are known to fit, or not to fit, into the room. */
function escapesIn(text: string, room: number): number {
  const longest = isJSON(text) ? 1 : longestEscape - 1;
  let escapes = 0;
  for (let at = 0; at < text.length;) {
    const end = Math.min(text.length, at + stretch);
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit === quote || unit === backslash) escapes++;
      else if (unit < space) escapes += 5;
    }
    if (escapes > room || escapes + (text.length - at) * longest <= room) return escapes;
  }
  return escapes;
}

/** JSON text has neither control characters nor lone surrogates: each unit takes at most three bytes, or two when escaped. */
function isJSON(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}

/** The longest escape in any other text: "\u0007". */
const longestEscape = 6;
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
