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

/** The limits of an answer. A body that is still to be encoded has no limit of the platform. */
export function answerSizeOf(adapter: ResultLimit, maxBytes: number, encode: unknown): AnswerSize {
  return { platform: encode === undefined ? adapter : { name: adapter.name }, maxBytes };
}

/** Room for status, headers and the names of keys. */
const besideTheBody = 4096;

/** A limit, and the name of the option or the platform that sets it. */
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
export function excessOf(
  { platform, maxBytes }: AnswerSize,
  body: string,
): { readonly bytes: number; readonly capacity: Capacity } | undefined {
  const { name, maxResultBytes: limit = Infinity, bodyIsResult = false } = platform;
  if (body.length * longestEscape + besideTheBody < Math.min(maxBytes, limit)) return undefined;
  const size = byteLength(body);
  if (size > maxBytes) return { bytes: size, capacity: { maxBytes, carrier: serverLimit } };
  // The platform counts the result as JSON. Escaping a body of 3.3 MB takes 13 ms, counting its escapes 2.
  const room = limit - besideTheBody - 2;
  if (!bodyIsResult && (size * longestEscape <= room || (/^[[{]/.test(body) && escapesFit(body, size, room)))) return undefined;
  const bytes = bodyIsResult ? size : byteLength(JSON.stringify(body)) + besideTheBody;
  return bytes > limit ? { bytes, capacity: { maxBytes: limit, carrier: name } } : undefined;
}

/** The longest escape, of a control character: "\u0007". */
const longestEscape = 6;

/**
 * True if a JSON text of `size` bytes takes at most `limit` bytes with its escapes. Stops where the rest fits in any case: JSON has no
 * control characters, so escaping at most doubles a character. May be false for a text with surrogate pairs that fits.
 */
function escapesFit(text: string, size: number, limit: number): boolean {
  let left = limit - size;
  for (let at = 0; at < text.length && left >= 0 && left < size - at; at++) {
    const unit = text.charCodeAt(at);
    // Most units are above these.
    if (unit > backslash) {
      if (unit >= surrogates) left -= longestEscape - 1;
    } else if (unit === quote || unit === backslash) left--;
    else if (unit < space) left -= longestEscape - 1;
  }
  return left >= 0;
}

const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
/** From here on, a unit may be half of a surrogate pair. Without the other half it is escaped. */
const surrogates = 0xd800;
