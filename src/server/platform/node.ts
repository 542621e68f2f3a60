import type { IncomingMessage, ServerResponse } from 'node:http';

import { HeaderMap, addVary } from '../../shared/index.ts';
import type { HTTPRequest, HTTPRequestBody, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import type { PlatformAdapter } from './adapter.ts';
import { bodyTaken, brokenBody, notOfBytes, readChunks, readHeaders, splitURL, writeChunks } from './adapter.ts';

/** The "event" of node:http: a request to read and a response to write. */
export interface NodeExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Requests and responses of node:http. */
export const nodeHTTP: PlatformAdapter<NodeExchange, Promise<void> | undefined> = {
  name: 'node:http',
  recognizes: (event) => 'request' in event && 'response' in event,
  toRequest,
  toResult: write,
  toStreamResult: writeStream,
  onLeave,
  // The process lives on. Version 3 waits for the work, because some of its hosts freeze.
  keepAlive: (context) => (work) => (context as { waitUntil(work: Promise<unknown>): void } | undefined)?.waitUntil(work),
};

function toRequest({ request }: NodeExchange): HTTPRequest {
  return {
    method: request.method ?? '',
    ...splitURL(request.url ?? '/'),
    headers: readHeaders(headersOf(request)),
    body: bodyOf(request),
  };
}

/** A response that has already closed does not emit "close" again for a new listener. */
function onLeave({ response }: NodeExchange, leave: () => void): void {
  const closed = (): void => {
    if (!response.writableFinished) leave();
  };
  if (response.destroyed) closed();
  else response.once('close', closed);
}

/** Writes the response. Returns a promise only if the request's body is still arriving. */
function write({ status, headers, body }: HTTPResponse, { request, response }: NodeExchange): Promise<void> | undefined {
  const record = headers.record;
  if (record !== undefined && body !== null && isPlain(response)) {
    response.writeHead(status, { ...record, 'content-length': Buffer.byteLength(body) });
  } else {
    setHeaders(headers, response);
    if (body !== null) response.setHeader('content-length', Buffer.byteLength(body));
    response.writeHead(status);
  }
  if (isArriving(request)) return writeBesideBody(body, { request, response });
  // One write to the socket for head and body saves a fifth of the time of a small request.
  if (body === null) response.end();
  else response.end(body);
  return undefined;
}

/**
 * True for an untouched response of Node's class. Its fields are written with the head, which saves 7 % of a small request. Such fields
 * cannot be read afterwards, but middleware that sets fields, wraps `writeHead` or logs reads them.
 */
function isPlain(response: ServerResponse): boolean {
  return (
    !Object.hasOwn(response, 'writeHead') &&
    Object.hasOwn(Object.getPrototypeOf(response) as object, 'writeHead') &&
    response.getHeaderNames?.().length === 0
  );
}

/**
 * Writes a response while a refused body is still arriving. Closing the connection would lose the answer, and an unread body would block
 * the next request, so the rest is read and discarded for a limited time.
 */
async function writeBesideBody(body: string | null, { request, response }: NodeExchange): Promise<void> {
  if (body !== null) response.write(body);
  await drained(request);
  response.end();
  if (isArriving(request)) response.once('finish', () => request.destroy());
}

/** Values that middleware has set are kept in the two fields that are lists: a session's cookie, and the `Origin` in `vary`. */
function setHeaders(headers: HeaderMap, response: ServerResponse): void {
  const before = listOf(response.getHeader('vary'));
  for (const [name, value] of Object.entries(headers.toRecord())) response.setHeader(name, value);
  if (before.length > 0) {
    const vary = new HeaderMap({ vary: before.join(', ') });
    for (const name of headers.get('vary')?.split(',') ?? []) addVary(vary, name.trim());
    response.setHeader('vary', vary.get('vary')!);
  }
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) response.setHeader('set-cookie', [...listOf(response.getHeader('set-cookie')), ...cookies]);
}

function listOf(value: number | string | readonly string[] | undefined): string[] {
  return value === undefined ? [] : [value].flat().map(String);
}

/** Resolves when the socket has taken the last chunk. */
async function writeStream({ status, headers, body }: StreamedResponse, { response }: NodeExchange): Promise<void> {
  setHeaders(headers, response);
  response.writeHead(status);
  await writeChunks(body, response);
  response.end();
}

/** Milliseconds for the rest of a refused body to arrive. */
const drainTimeout = 2000;

function drained(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainTimeout);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', done).once('close', done).once('error', done);
    request.resume();
  });
}

/** A request of node:http, with the members that hosts and middleware add. Those that simulated requests lack are optional. */
type HostedRequest = Omit<IncomingMessage, 'headersDistinct' | 'iterator'> & {
  readonly headersDistinct?: IncomingMessage['headersDistinct'];
  readonly iterator?: IncomingMessage['iterator'];
  /** The unparsed bytes, set by functions-framework and Firebase. */
  readonly rawBody?: unknown;
  /** The parsed body, set by express.json(), functions-framework and Next's API routes. */
  readonly body?: unknown;
};

/**
 * Name → value or values. `headers` decides which fields there are, because middleware sets and deletes them there. But of a repeated
 * field, such as two content types, it keeps only the first value, so all values are read from `headersDistinct`, if the request has it:
 * those of serverless-http and light-my-request do not.
 */
function headersOf(request: HostedRequest): Readonly<Record<string, unknown>> {
  const { headers, rawHeaders } = request;
  if (Object.keys(headers).length * 2 === rawHeaders?.length) return headers;
  const { headersDistinct = {} } = request;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isFirstOf(value, headersDistinct[name]) ? headersDistinct[name] : value]),
  );
}

function isFirstOf(value: unknown, values: readonly string[] | undefined): boolean {
  return values !== undefined && (value === values[0] || value === values.join(', ') || value === values.join('; '));
}

/** The bytes, if the host has kept them; else the stream; else, if the stream has been read, the parsed body. */
export function bodyOf(request: HostedRequest): HTTPRequestBody {
  if (request.method === 'GET' || request.method === 'HEAD') return { kind: 'none' };
  const { rawBody } = request;
  if (rawBody instanceof Uint8Array || typeof rawBody === 'string') return fromHost(rawBody);
  if (typeof request.iterator === 'function' && !isRead(request)) {
    // Created only when needed, because it listens from then on. Stopping early must not destroy the request: its socket carries the answer.
    const chunks = { [Symbol.asyncIterator]: () => request.iterator!({ destroyOnReturn: false }) as AsyncIterator<Uint8Array> };
    return { kind: 'stream', chunks, read: (maxBytes) => readSmall(request, maxBytes) ?? readChunks(chunks, maxBytes) };
  }
  const { body } = request;
  if (body !== undefined && body !== null) return fromHost(body);
  if (!hasContent(request)) return { kind: 'none' };
  const chunks = taken();
  return { kind: 'stream', chunks, read: (maxBytes) => readChunks(chunks, maxBytes) };
}

/**
 * Reads a body with a small Content-Length by events: the iterator would take a fifth of the time of a small request. Reading stops at
 * the limit if the body is larger than its Content-Length.
 */
function readSmall(request: HostedRequest, maxBytes: number): Promise<Uint8Array> | undefined {
  // Nothing is emitted any more if the client has left before: the iterator throws.
  if (!(Number(request.headers['content-length']) <= maxBytes) || typeof request.on !== 'function' || request.destroyed) return undefined;
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    const stop = (): void => {
      request.off('data', onData).off('end', onEnd).off('error', onFailure).off('close', onFailure);
    };
    const onEnd = (): void => {
      stop();
      resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    };
    const onFailure = (error?: Error): void => {
      stop();
      request.pause();
      reject(brokenBody(error));
    };
    const onData = (part: unknown): void => {
      if (!(part instanceof Uint8Array)) {
        onFailure(notOfBytes());
        return;
      }
      size += part.byteLength;
      parts.push(part);
      if (size <= maxBytes) return;
      onEnd();
      request.pause();
    };
    request.on('data', onData).on('end', onEnd).on('error', onFailure).on('close', onFailure);
  });
}

function fromHost(body: unknown): HTTPRequestBody {
  if (typeof body === 'string') return { kind: 'text', text: body };
  return body instanceof Uint8Array ? { kind: 'bytes', bytes: body } : { kind: 'value', value: body };
}

function isRead({ readableDidRead, readableEnded, destroyed }: HostedRequest): boolean {
  return readableDidRead || readableEnded || destroyed;
}

function hasContent({ headers }: HostedRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A body that throws when it is read, so that an earlier refusal of the request takes precedence. */
// oxlint-disable-next-line require-yield
async function* taken(): AsyncGenerator<Uint8Array> {
  throw bodyTaken('Put this handler before middleware that reads bodies, such as express.json(), or keep the parsed body in request.body.');
}

/** True if bytes of the body have not arrived yet. */
function isArriving({ complete, readableEnded, destroyed }: IncomingMessage): boolean {
  return !complete && !readableEnded && !destroyed;
}
