import type { HTTPRequestBody } from '../message/http-request.ts';
import { malformedEvent } from './adapter.ts';

/**
 * The body of an event. `isBase64Encoded` is a claim: local runtimes set it without a body, or with a body in plain
 * text. JSON objects and arrays start with a character that base64 does not have, so the text itself tells.
 */
export function readBody(body: unknown, isBase64Encoded: unknown): HTTPRequestBody {
  if (body === undefined || body === null || body === '') return { kind: 'none' };
  if (typeof body !== 'string')
    throw malformedEvent(`Expected the body of the event to be a string, got ${Array.isArray(body) ? 'an array' : typeof body}.`);
  if (isBase64Encoded !== true || looksLikeJSON(body)) return { kind: 'text', text: body };
  return { kind: 'bytes', bytes: Buffer.from(body, 'base64') };
}

function looksLikeJSON(text: string): boolean {
  return /^[\s\ufeff]*[{["]/.test(text);
}
