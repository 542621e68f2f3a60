import { GraphQLError } from 'graphql';

import { concatenate, describe } from '../../shared/index.ts';
import type { ChunkStream, HTTPRequest, HTTPRequestBody, HTTPResponse, ResultLimit, StreamedResponse } from '../../shared/index.ts';

/**
 * One source of requests. To add a platform, add a file with such a value. Any client may have made up an event: a missing key or a
 * wrong type is a {@link malformedEvent}, never a TypeError.
 */
export interface PlatformAdapter<TEvent = UnknownEvent, TResult = unknown> extends ResultLimit {
  /** True if an event comes from this source. If two adapters recognize an event, the first in the list gets it. */
  readonly recognizes: (event: UnknownEvent) => boolean;
  readonly toRequest: (event: TEvent) => HTTPRequest;
  /** The result for the platform. Some platforms refuse results with unknown keys. */
  readonly toResult: (response: HTTPResponse, event: TEvent) => TResult;
  /** The same for a body that comes in chunks. Absent: the platform cannot stream. */
  readonly toStreamResult?: (response: StreamedResponse, event: TEvent) => TResult;
  /**
   * The platform's function that keeps the process alive for work after the answer. Absent, or undefined for this call: the process
   * may freeze after the answer, so the answer waits for such work.
   */
  readonly keepAlive?: (context: unknown) => ((work: Promise<unknown>) => void) | undefined;
  /** Calls back when the client disconnects before the answer. Absent: the platform does not report that. */
  readonly onLeave?: (event: TEvent, leave: () => void) => void;
  /** Milliseconds from the start of the call that the platform waits for an answer, if it does not report that itself. Absent: no limit. */
  readonly timeLimit?: (context: unknown) => number | undefined;
  /** True: the platform decodes a body that the result marks with `isBase64Encoded`, so plugins may encode it. */
  readonly decodesBase64?: boolean;
  /** A message for the log that names what the platform cannot send of this response; undefined if it can send all of it. */
  readonly losses?: (response: HTTPResponse, event: TEvent) => string | undefined;
}

/** An event of unknown origin: any key may be missing, and of any type. */
export type UnknownEvent = Readonly<Record<string, unknown>>;

/** The error for an event of a known source with a missing or invalid value: answered with 400. */
export function malformedEvent(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}

/** The error for a body that other code has already read. Logged, because it is not the client's fault. */
export function bodyTaken(advice: string): GraphQLError {
  return new GraphQLError(`The body of the request was read before it reached this handler, and its content is lost. ${advice}`, {
    extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } },
  });
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

/** The mark of a body in base64, for results that need no mark on text. */
export function base64Mark({ isBase64Encoded }: HTTPResponse): { isBase64Encoded?: true } {
  return isBase64Encoded === true ? { isBase64Encoded } : {};
}

/** The body as a key of a result, left out if there is none: some platforms fail on an empty body with status 204. */
export function bodyOf(response: HTTPResponse): { body?: string } {
  return response.body === null ? {} : { body: response.body };
}

/** The fields in one record, for platforms that send one `set-cookie` at most: several joined with commas would all be invalid. */
export function singleHeaders({ headers }: HTTPResponse): Record<string, string> {
  const [cookie] = headers.getSetCookie();
  return cookie === undefined ? headers.toRecord() : { ...headers.toRecord(), 'set-cookie': cookie };
}

/** For platforms that send one `set-cookie` at most: the message about the others. */
export function lostCookies(response: HTTPResponse, remedy: string): string | undefined {
  const count = response.headers.getSetCookie().length;
  return count < 2 ? undefined : `Only the first of ${count} set-cookie headers can be sent here. ${remedy}`;
}

/** The largest result of an AWS Lambda function, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** The largest result of a function behind an Application Load Balancer. */
export const albResultBytes = 1_048_576;

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
  if (!isTooLargeForHost(error)) return malformedEvent('Expected a whole body, but it ended early or could not be read.');
  return new GraphQLError('Expected a body within the limit of the server around this handler, got more.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 413 } },
  });
}

/** Hosts that limit bodies end the stream with an error that has the status 413: SvelteKit in `status`, Express in `statusCode`. */
function isTooLargeForHost(error: unknown): boolean {
  const { status, statusCode } = (error ?? {}) as { readonly status?: unknown; readonly statusCode?: unknown };
  return status === 413 || statusCode === 413;
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
