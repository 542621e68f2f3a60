import { GraphQLError } from 'graphql';

import { HeaderMap, concatenate, describe, isHeaderField, isRecord } from '../../shared/index.ts';
import type { ChunkStream, HTTPRequest, HTTPRequestBody, HTTPResponse } from '../../shared/index.ts';
import type { UnknownEvent } from './adapter.ts';

/** The error for an event of a known source with a missing or invalid value: answered with 400. */
function malformedEvent(message: string): GraphQLError {
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
 * The header fields of an event, from its map of single values and its map of lists. The lists take precedence, because platforms that
 * send both join or drop values in the other map. Invalid values are dropped. Values of a name in two cases are joined, as HTTP does.
 */
export function readHeaders(single: unknown, multiple?: unknown): HeaderMap {
  // The newer event formats send names in lower case, whose record is used unchanged.
  if (multiple === undefined && isLowerCaseRecord(single)) return HeaderMap.over(single);
  return HeaderMap.over({ ...fieldsOf(single), ...fieldsOf(multiple) });
}

function isLowerCaseRecord(map: unknown): map is Readonly<Record<string, string>> {
  if (!isRecord(map)) return false;
  for (const name in map) if (typeof map[name] !== 'string' || /[A-Z]/.test(name)) return false;
  return true;
}

function fieldsOf(map: unknown): Readonly<Record<string, string>> {
  const fields = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(isRecord(map) ? map : {})) {
    const key = name.toLowerCase();
    const joined = joinValues(key, fields[key], value);
    if (joined !== undefined) fields[key] = joined;
  }
  return fields;
}

/** Adds a value, or a list of them, to those of a field. Values that HTTP does not allow are dropped. */
function joinValues(key: string, present: string | undefined, added: unknown): string | undefined {
  let all = present;
  for (const value of Array.isArray(added) ? added : [added]) {
    if (!isHeaderField(key, value)) continue;
    const text = (value as string).trim();
    // Cookies are the one list that is joined with semicolons (RFC 6265 section 5.4).
    all = all === undefined ? text : all + (key === 'cookie' ? '; ' : ', ') + text;
  }
  return all;
}

/** Adds cookies to those in the headers. */
export function addCookies(headers: HeaderMap, cookies: readonly unknown[]): void {
  const all = joinValues('cookie', headers.get('cookie') ?? undefined, cookies);
  if (all !== undefined) headers.set('cookie', all);
}

/** A query string as the platform received it. Some platforms pass it with its "?". Undefined: the event has no query string. */
export function rawQuery(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.startsWith('?') ? value.slice(1) : value;
}

/** A query string from maps of values that the platform has decoded. The map of lists takes precedence, because it has all values. */
export function encodeQuery(single: unknown, multiple?: unknown): string {
  return joinQuery(single, multiple, encode);
}

/** A query string from maps whose names and values are still encoded, as an Application Load Balancer sends them. */
export function joinQuery(single: unknown, multiple?: unknown, write: (text: string) => string = String): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(isRecord(multiple) ? multiple : isRecord(single) ? single : {}))
    for (const one of [value].flat()) if (typeof one === 'string') pairs.push(`${write(name)}=${write(one)}`);
  return pairs.join('&');
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw malformedEvent('Expected the query parameters of the event to be Unicode text, but one has half a surrogate pair.');
  }
}

/**
 * Path and query string of a URL, or of a request target. Not parsed as a URL, because an invalid Host, or a target like "//", must not
 * fail the request.
 */
export function splitURL(url: string): { path: string; queryString: string } {
  const hash = url.indexOf('#');
  const end = hash < 0 ? url.length : hash;
  const mark = url.indexOf('?');
  const pathEnd = mark < 0 || mark > end ? end : mark;
  const pathStart = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  return { path: pathStart < 0 || pathStart > pathEnd ? '/' : url.slice(pathStart, pathEnd), queryString: url.slice(pathEnd + 1, end) };
}

/**
 * The body of an event. Local runtimes set `isBase64Encoded` for plain text, too, but JSON objects and arrays start with a character
 * that base64 does not have.
 */
export function readBody(body: unknown, isBase64Encoded: unknown): HTTPRequestBody {
  if (body === undefined || body === null || body === '') return { kind: 'none' };
  // Middleware such as middy's JSON body parser has parsed it.
  if (typeof body === 'object') return { kind: 'value', value: body };
  if (typeof body !== 'string') throw malformedEvent(`Expected the body of the event to be a string or an object, got ${typeof body}.`);
  if (isBase64Encoded !== true || looksLikeJSON(body)) return { kind: 'text', text: body };
  return { kind: 'bytes', bytes: globalThis.Buffer.from(body, 'base64') };
}

function looksLikeJSON(text: string): boolean {
  return /^[\s\ufeff]*[{["]/.test(text);
}

/** The error for a body that other code has already read. Logged, because it is not the client's fault. */
export function bodyTaken(advice: string): GraphQLError {
  return new GraphQLError(`The body of the request was read before it reached this handler, and its content is lost. ${advice}`, {
    extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } },
  });
}

/** Reads a body to its end, or beyond the limit. Counts the bytes, because a Content-Length may be wrong or missing. */
export async function readChunks(chunks: AsyncIterable<unknown>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of chunks) {
      if (!(chunk instanceof Uint8Array)) throw notOfBytes();
      length += chunk.byteLength;
      parts.push(chunk);
      if (length > maxBytes) break;
    }
  } catch (error) {
    throw brokenBody(error);
  }
  return concatenate(parts, length);
}

/** The error for a body that could not be read to its end: the client disconnected or sent nonsense, or the host has a lower limit. */
export function brokenBody(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  // Hosts that limit bodies end the stream with an error that has the status 413: SvelteKit in `status`, Express in `statusCode`.
  const { status, statusCode } = (error ?? {}) as { readonly status?: unknown; readonly statusCode?: unknown };
  if (status !== 413 && statusCode !== 413) return malformedEvent('Expected a whole body, but it ended early or could not be read.');
  return new GraphQLError('Expected a body within the limit of the server around this handler, got more.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 413 } },
  });
}

/** The error for a body whose chunks are not bytes. */
export function notOfBytes(): GraphQLError {
  return malformedEvent('Expected the body to be a stream of bytes.');
}

/** The members of a Node stream that a streamed answer needs. */
export interface ChunkOutput {
  readonly destroyed?: boolean;
  /** False: wait for "drain" before the next chunk. */
  write(chunk: string | Uint8Array): boolean;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** Reads each chunk after the previous one has been written, so that a client that does not read pauses the source. */
export async function writeChunks(chunks: ChunkStream, output: ChunkOutput): Promise<void> {
  let isClosed = output.destroyed === true;
  const close = (): void => {
    isClosed = true;
    void chunks.return();
  };
  output.once('close', close);
  for await (const chunk of chunks) {
    if (isClosed) break;
    if (!output.write(chunk) && !isClosed) await writable(output);
  }
  output.off('close', close);
}

function writable(output: ChunkOutput): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.once('drain', done);
    output.once('close', done);
  });
}

/** The request of an event of API Gateway (1.0), an Application Load Balancer or Netlify (1). Any key may have any type. */
export function gatewayRequest(event: UnknownEvent, queryString: string): HTTPRequest {
  return {
    method: methodAt(event, 'httpMethod', 'httpMethod'),
    path: textAt(event, 'path'),
    queryString,
    headers: readHeaders(event['headers'], event['multiValueHeaders']),
    body: readBody(event['body'], event['isBase64Encoded']),
  };
}

/** Several cookies, in the map that API Gateway and Netlify read in addition to `headers`. */
export function cookieLists({ headers }: HTTPResponse): { multiValueHeaders?: { 'set-cookie': string[] } } {
  const cookies = headers.getSetCookie();
  return cookies.length > 0 ? { multiValueHeaders: { 'set-cookie': cookies } } : {};
}
