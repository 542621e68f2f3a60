import { GraphQLError } from 'graphql';

import type { ResultLimit } from '../message/answer-size.ts';
import { describe } from '../message/describe.ts';
import { concatenate } from '../message/http-messages.ts';
import type { ChunkStream, HTTPRequest, HTTPRequestBody, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';

/**
 * One source of requests, as a value. To add a platform, add a file with such a value.
 *
 * All functions are pure. Any client may have made up an event: a key that is missing or has a wrong type is
 * a {@link malformedEvent}, never a TypeError.
 */
export interface PlatformAdapter<TEvent = UnknownEvent, TResult = unknown> extends ResultLimit {
  /** True if an event comes from this source. Looks at a few keys; if two adapters recognise an event, the first one in the list wins. */
  readonly recognises: (event: UnknownEvent) => boolean;
  readonly toRequest: (event: TEvent) => HTTPRequest;
  /** The result for the platform, with exactly its keys: some platforms refuse any other key. */
  readonly toResult: (response: HTTPResponse, event: TEvent) => TResult;
  /** The same for a body that comes in pieces. Absent: the platform takes only whole answers. */
  readonly toStreamResult?: (response: StreamedResponse, event: TEvent) => TResult;
  /**
   * Tells the platform, through its context, of work that continues after the answer. Absent: the process may freeze after the
   * answer, so the answer waits for such work.
   */
  readonly keepAlive?: (context: unknown) => (work: Promise<unknown>) => void;
  /** Calls back when the client disconnects before it has its answer. Absent: the platform does not report that. */
  readonly onLeave?: (event: TEvent, leave: () => void) => void;
  /**
   * How long the platform waits for an answer, if that is known but the platform does not report it: milliseconds from the
   * start of the call. Absent: there is no such limit.
   */
  readonly timeLimit?: (context: unknown) => number | undefined;
  /** The parts of this response that the platform cannot carry, in words for the log; undefined when all of it arrives. */
  readonly losses?: (response: HTTPResponse, event: TEvent) => string | undefined;
}

/** An event of unknown origin: any key may be missing, and of any type. */
export type UnknownEvent = Readonly<Record<string, unknown>>;

/** The error for an event of a known shape with a missing or impossible value: answered with 400. */
export function malformedEvent(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}

/** The error for a body that other code has read and not kept. It is not the client's fault, so the log has it too. */
export function bodyTaken(advice: string): GraphQLError {
  return new GraphQLError(
    `The body of the request was read before it came to this handler, and what was in it is nowhere to be found. ${advice}`,
    { extensions: { code: 'INTERNAL_SERVER_ERROR', http: { status: 500 } } },
  );
}

/** The value if it is an object, else an empty object, so that reading a broken event finds nothing instead of throwing. */
export function objectAt(event: UnknownEvent, key: string): UnknownEvent {
  const value = event[key];
  return typeof value === 'object' && value !== null ? (value as UnknownEvent) : {};
}

/** The value if it is a text, else the empty text. */
export function textAt(event: UnknownEvent, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}

/** The request's method in upper case. */
export function methodAt(event: UnknownEvent, key: string, where: string): string {
  const method = event[key];
  if (method === 'POST' || method === 'GET') return method;
  if (typeof method !== 'string' || method === '') {
    throw malformedEvent(`Expected the HTTP method of the event in ${where}, got ${describe(method)}.`);
  }
  return method.slice(0, 32).toUpperCase();
}

/**
 * The body of an event. `isBase64Encoded` may be wrong: local runtimes set it without a body, or with a body in plain
 * text. JSON objects and arrays start with a character that base64 does not have, so the text itself shows whether it is base64.
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

/** All fields but `set-cookie`, as a plain object. */
export function plainHeaders(response: HTTPResponse): Record<string, string> {
  return response.headers.toRecord();
}

/** The body as a key of a result, left out when there is none: some platforms fail on an empty one with status 204. */
export function bodyOf(response: HTTPResponse): { body?: string } {
  return response.body === null ? {} : { body: response.body };
}

/** For platforms that carry one `set-cookie` at most: joining several with commas would break all of them. */
export function lostCookies(response: HTTPResponse, remedy: string): string | undefined {
  const count = response.headers.getSetCookie().length;
  return count < 2 ? undefined : `Only the first of ${count} set-cookie headers can be sent here. ${remedy}`;
}

/** The largest result that AWS Lambda takes, measured with its runtime client: 6 MiB and 100 bytes. */
export const lambdaResultBytes = 6_291_556;
/** The largest result that an Application Load Balancer takes from a function. */
export const albResultBytes = 1_048_576;

/** Reads a body to its end, or beyond the limit. Counts while it reads: a Content-Length is a claim, and a stream need not have one. */
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

/**
 * The error for a body that could not be read to its end. The client went away, or sent nonsense, or the host has a lower limit: it is not
 * the server's fault.
 */
export function brokenBody(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  if (!isTooLargeForHost(error)) return malformedEvent('Expected a whole body, but it ended early or could not be read.');
  return new GraphQLError('Expected a body within the limit of the server around this handler, got more.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 413 } },
  });
}

/** Hosts with a limit of their own end the stream with an error that names 413: SvelteKit's in `status`, Express's in `statusCode`. */
function isTooLargeForHost(error: unknown): boolean {
  const { status, statusCode } = (error ?? {}) as { readonly status?: unknown; readonly statusCode?: unknown };
  return status === 413 || statusCode === 413;
}

/** The error for a body in pieces that are something else than bytes. */
export function notOfBytes(): GraphQLError {
  return malformedEvent('Expected the body to be a stream of bytes.');
}

/** The part of a Node stream that an answer in chunks needs. */
export interface ChunkOutput {
  readonly destroyed?: boolean;
  /** False: wait for "drain" before the next chunk. */
  write(chunk: string | Uint8Array): boolean;
  once(event: 'close' | 'drain', listener: () => void): unknown;
  off(event: 'close' | 'drain', listener: () => void): unknown;
}

/** Requests each chunk only after the one before has been written, so a client that does not read pauses the source. */
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
