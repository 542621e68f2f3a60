import { byteLength, messageOf } from '../../shared/index.ts';
import type { PromiseOrValue, HTTPRequestBody } from '../../shared/index.ts';
import { endOfString } from '../operation/limits/nesting.ts';
import { badRequest, bodyTooLarge, malformedRequest } from './errors.ts';
import { VariablesLimit, maxContainersOf } from './variables-limit.ts';

/** The text of a body; a promise only if the body has yet to be read. Keeps no more bytes than the limit. */
export function readText(body: Exclude<HTTPRequestBody, { readonly kind: 'value' }>, maxBytes: number): PromiseOrValue<string> {
  switch (body.kind) {
    case 'none':
      return '';
    case 'text':
      // A UTF-16 unit takes one to three bytes in UTF-8.
      if (body.text.length * 3 > maxBytes && byteLength(body.text) > maxBytes) throw bodyTooLarge(maxBytes);
      return body.text;
    case 'bytes':
      return decodeUTF8(assertFits(body.bytes, maxBytes));
    case 'stream':
      return readStream(body, maxBytes);
  }
}

/** The value of a body that middleware has parsed, within the limits of the JSON text that it becomes. */
export function readValue({ value, isTrusted }: Extract<HTTPRequestBody, { readonly kind: 'value' }>, maxBytes: number): unknown {
  if (isTrusted === true || typeof value !== 'object' || value === null) return value;
  const problem = new VariablesLimit(maxBytes).problemOfBody(value);
  if (problem !== undefined) throw malformedRequest(problem);
  if (byteLength(toJSON(value)) > maxBytes) throw bodyTooLarge(maxBytes);
  return value;
}

function toJSON(value: object): string {
  try {
    // Undefined if `toJSON` of the value returns undefined.
    return (JSON.stringify(value) as string | undefined) ?? '';
  } catch {
    throw badRequest('Expected the body to be JSON, but it has a value that JSON does not have.');
  }
}

/** The JSON value of a body's text. In development, the message for a text that does not parse is the engine's, which says where. */
export function parseJSON(text: string, maxBytes: number, development = false): unknown {
  if (text === '') throw badRequest('Expected a JSON body, got an empty one.');
  if (text.length > smallText) assertJSONSize(text, maxBytes);
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch (error) {
    // The engine's message quotes the body, which may contain a password.
    throw badRequest(`Expected the body to be JSON, but it does not parse${development ? `: ${messageOf(error)}` : ''}.`);
  }
}

const byteOrderMark = 0xfeff;

/**
 * Throws if a JSON text has too many objects and lists, before it is parsed: 1 MiB of `{}` would be 340,000 objects and 50 MB of
 * memory (bench/hostile.ts). Takes 1 to 2 ms for a MiB.
 */
export function assertJSONSize(text: string, maxBytes: number): void {
  if (text.length <= smallText) return;
  const maxContainers = maxContainersOf(maxBytes);
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if ((character === openBrace || character === openBracket) && ++containers > maxContainers) {
      throw malformedRequest(`Expected a request of at most ${maxContainers} objects and lists, got more.`);
    }
  }
}

/** Characters of a text that cannot have too many. */
const smallText = 65_536;
const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;

/** A shared decoder, because a new one takes 3 µs on Deno and 4 on workerd. It keeps no state between complete texts. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

function decodeUTF8(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return (decoder ??= new TextDecoder('utf-8', { fatal: true })).decode(bytes);
  } catch {
    throw badRequest('Expected the body to be UTF-8 text, but its bytes are not.');
  }
}

async function readStream(body: Extract<HTTPRequestBody, { readonly kind: 'stream' }>, maxBytes: number): Promise<string> {
  return decodeUTF8(assertFits(await body.read(maxBytes), maxBytes));
}

function assertFits<T extends Uint8Array | ArrayBuffer>(bytes: T, maxBytes: number): T {
  if (bytes.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
  return bytes;
}
