/** The limit of a platform for the result of a call. */
export interface ResultLimit {
  /** The name of the platform, for messages. */
  readonly name: string;
  /** Bytes of the result's JSON form. Absent: no limit of the platform's own. */
  readonly maxResultBytes?: number;
  /** True when the result is the body's JSON value itself, and not an object that has the body as a text. */
  readonly bodyIsResult?: boolean;
}

/** Both limits of an answer: the platform's, and the server's, which is about the body alone. */
export interface AnswerSize {
  readonly platform: ResultLimit;
  readonly maxBytes: number;
}

/** Room for status, headers and the names of keys. */
const besideTheBody = 4096;
/** Characters that are measured before the rest is estimated again. */
const stretch = 65_536;

/** A limit, and whose it is. */
export interface Capacity {
  readonly maxBytes: number;
  readonly carrier: string;
}

/** The lower one of both limits. */
export function capacityOf(size: AnswerSize): Capacity {
  if (size.platform !== last?.platform || size.maxBytes !== last.maxBytes) last = { ...size, capacity: lowerOf(size) };
  return last.capacity;
}

/** The last answer. Nearly all calls of a process come through one platform, to one server. */
let last: (AnswerSize & { readonly capacity: Capacity }) | undefined;

function lowerOf({ platform: { name, maxResultBytes = Infinity }, maxBytes }: AnswerSize): Capacity {
  return maxResultBytes < maxBytes ? { maxBytes: maxResultBytes, carrier: name } : { maxBytes, carrier: ownLimit };
}

const ownLimit = 'the server (maxResultBytes)';

/** Of an answer that is too large: its bytes, and what it does not fit into. Undefined when it fits. */
export function excessOf(size: AnswerSize, body: string): { readonly bytes: number; readonly capacity: Capacity } | undefined {
  const { platform, maxBytes } = size;
  // A UTF-16 unit is at most three bytes.
  const bytes = body.length * 3 > maxBytes ? Buffer.byteLength(body) : 0;
  if (bytes > maxBytes) return { bytes, capacity: { maxBytes, carrier: ownLimit } };
  const { maxResultBytes: limit } = platform;
  const beyond = limit === undefined ? undefined : bytesBeyond(limit, platform.bodyIsResult === true, body);
  return beyond === undefined ? undefined : { bytes: beyond, capacity: { maxBytes: limit!, carrier: platform.name } };
}

/**
 * The bytes of a result that is beyond a limit; undefined when it fits. The platform counts the result as JSON, in which
 * the body is a text with every quote escaped. Written as JSON a second time, a body of 3.4 MB took 20 ms; most bodies
 * need not be looked at, and of others only as much as leaves no doubt.
 */
function bytesBeyond(limit: number, bodyIsResult: boolean, body: string): number | undefined {
  if (body.length * (bodyIsResult || isJSON(body) ? 3 : longestEscape) + besideTheBody < limit) return undefined;
  const plain = Buffer.byteLength(body) + (bodyIsResult ? 0 : besideTheBody);
  if (bodyIsResult || plain > limit) return plain > limit ? plain : undefined;
  return plain + escapesIn(body, limit - plain) > limit ? plain + escapesIn(body, Infinity) : undefined;
}

/** Bytes that escaping adds to a text; less when it is sure that they are not more than there is room for. */
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

/** JSON text has neither control characters nor lone surrogates: no unit of it takes more than three bytes, or two escaped. */
function isJSON(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}

/** Of any other text: "\u0007". */
const longestEscape = 6;
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
