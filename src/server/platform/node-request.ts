import type { IncomingMessage } from 'node:http';

import type { HTTPRequestBody } from '../../shared/index.ts';
import { bodyTaken, brokenBody, notOfBytes, readChunks } from './chunks.ts';

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
export function headersOf(request: HostedRequest): Readonly<Record<string, unknown>> {
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
  if (!(Number(request.headers['content-length']) <= maxBytes) || typeof request.on !== 'function') return undefined;
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

/** A body that throws when it is read, so that a request that is refused earlier gets that refusal. */
// oxlint-disable-next-line require-yield
async function* taken(): AsyncGenerator<Uint8Array> {
  throw bodyTaken('Put this handler before middleware that reads bodies, such as express.json(), or keep the parsed body in request.body.');
}

/** True if bytes of the body have not arrived yet. */
export function isArriving({ complete, readableEnded, destroyed }: IncomingMessage): boolean {
  return !complete && !readableEnded && !destroyed;
}
