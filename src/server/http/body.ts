import { byteLength } from '../../shared/index.ts';
import type { Eventual, HTTPRequestBody } from '../../shared/index.ts';
import { badRequest, bodyTooLarge } from './errors.ts';
import { assertJSONSize } from './variables-limit.ts';

/** The text of a body; a promise only if the body has yet to be read. Keeps no more bytes than the limit. */
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

/** The JSON value of a body's text. */
export function parseJSON(text: string, maxBytes: number): unknown {
  if (text === '') throw badRequest('Expected a JSON body, got an empty one.');
  assertJSONSize(text, maxBytes);
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch {
    // The engine's message quotes the body, which may contain a password.
    throw badRequest('Expected the body to be JSON, but it does not parse.');
  }
}

const byteOrderMark = 0xfeff;

/** True if the text takes more bytes in UTF-8, where a UTF-16 unit takes one to three. */
function isLonger(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && byteLength(text) > maxBytes);
}

/** Reused, because a new one costs 3 µs on Deno, 4 on workerd. It keeps no state between whole texts. */
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
