import { GraphQLError } from 'graphql';

import { describe } from '../../shared/index.ts';
import type { HTTPRequestBody } from '../../shared/index.ts';
import type { UnknownEvent } from './adapter.ts';

/** The error for an event of a known source with a missing or invalid value: answered with 400. */
export function malformedEvent(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}

/** The value if it is an object, else an empty object: reading a malformed event must not throw. */
export function objectAt(event: UnknownEvent, key: string): UnknownEvent {
  const value = event[key];
  return typeof value === 'object' && value !== null ? (value as UnknownEvent) : {};
}

/** The value if it is a string, else an empty string. */
export function textAt(event: UnknownEvent, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}

/** The request's method in upper case. */
export function methodAt(event: UnknownEvent, key: string, where: string): string {
  const method = event[key];
  if (typeof method !== 'string' || method === '') {
    throw malformedEvent(`Expected the HTTP method of the event in ${where}, got ${describe(method)}.`);
  }
  return method.slice(0, 32).toUpperCase();
}

/**
 * The body of an event. Local runtimes set `isBase64Encoded` for plain text, too, but JSON objects and arrays start with a character
 * that base64 does not have.
 */
export function readBody(body: unknown, isBase64Encoded: unknown): HTTPRequestBody {
  if (body === undefined || body === null || body === '') return { kind: 'none' };
  if (typeof body !== 'string')
    throw malformedEvent(`Expected the body of the event to be a string, got ${Array.isArray(body) ? 'an array' : typeof body}.`);
  if (isBase64Encoded !== true || looksLikeJSON(body)) return { kind: 'text', text: body };
  return { kind: 'bytes', bytes: decodeBase64(body) };
}

/** Without `Buffer`, which ignores invalid characters, invalid base64 is refused. */
function decodeBase64(text: string): Uint8Array {
  if (globalThis.Buffer !== undefined) return globalThis.Buffer.from(text, 'base64');
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw malformedEvent('Expected the body of the event to be base64, but it does not decode.');
  }
}

function looksLikeJSON(text: string): boolean {
  return /^[\s\ufeff]*[{["]/.test(text);
}
