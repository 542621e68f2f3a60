import type { Eventual } from '../message/eventual.ts';
import type { HTTPRequestBody } from '../message/http-messages.ts';
import { badRequest, bodyTooLarge } from './errors.ts';
import { assertJSONSize, maxContainersOf } from './variables-limit.ts';

/** The text of a body. A promise only when the body is still to be read. Never more bytes than the limit are kept. */
export function readText(body: Exclude<HTTPRequestBody, { readonly kind: 'value' }>, maxBytes: number): Eventual<string> {
  switch (body.kind) {
    case 'none':
      return '';
    case 'text':
      if (isLonger(body.text, maxBytes)) throw bodyTooLarge(maxBytes);
      return body.text;
    case 'bytes':
      return decodeUTF8(assertFits(body.bytes, maxBytes));
    case 'stream':
      return readStream(body, maxBytes);
  }
}

/** The JSON value of such a text. */
export function parseJSON(text: string, maxBytes: number): unknown {
  if (text === '') throw badRequest('Expected a JSON body, got an empty one.');
  if (text.length > smallBody) assertJSONSize(text, maxContainersOf(maxBytes));
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch {
    // The engine's own message quotes the body, which may hold a password: it is not repeated.
    throw badRequest('Expected the body to be JSON, but it does not parse.');
  }
}

/** Characters in which nothing can be made that is too large. */
const smallBody = 65_536;

const byteOrderMark = 0xfeff;

/** True when the text is longer than so many bytes in UTF-8, where a UTF-16 unit takes one to three. */
function isLonger(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;
}

/** Kept: a decoder that is given whole texts remembers nothing of them, and a new one costs 3 µs on Deno, 4 on workerd. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

function decodeUTF8(bytes: Uint8Array | ArrayBuffer): string {
  try {
    return (decoder ??= new TextDecoder('utf-8', { fatal: true })).decode(bytes);
  } catch {
    throw badRequest('Expected the body to be UTF-8 text, but its bytes are not.');
  }
}

type BodyStream = Extract<HTTPRequestBody, { readonly kind: 'stream' }>;

async function readStream(body: BodyStream, maxBytes: number): Promise<string> {
  return decodeUTF8(assertFits(await body.read(maxBytes), maxBytes));
}

function assertFits<T extends Uint8Array | ArrayBuffer>(bytes: T, maxBytes: number): T {
  if (bytes.byteLength > maxBytes) throw bodyTooLarge(maxBytes);
  return bytes;
}
