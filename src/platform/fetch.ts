import { HeaderMap } from '../message/header-map.ts';
import type { HTTPRequest, HTTPRequestBody, ChunkStream, HTTPResponse, StreamedResponse } from '../message/http-messages.ts';
import { bodyTaken } from './adapter.ts';
import type { PlatformAdapter, UnknownEvent } from './adapter.ts';
import { netlifyTimeLimitOf } from './netlify.ts';
import { isNetlifySchedule, pingRequest } from './ping.ts';
import { splitURL } from './event-query.ts';

/** The web's `Request` and `Response`: Netlify Functions 2.0, Cloudflare Workers, Deno, Bun, Vercel. */
export const fetchAPI: PlatformAdapter<Request, Response> = {
  name: 'web Request',
  recognises: isWebRequest,
  toRequest,
  toResult,
  toStreamResult,
  keepAlive,
  onLeave,
  timeLimit: netlifyTimeLimitOf,
};

/** By its shape: `instanceof Request` would load Node's whole fetch implementation (27 ms) to ask a Lambda event a question. */
function isWebRequest(event: UnknownEvent): boolean {
  return (
    typeof event['url'] === 'string' &&
    typeof event['arrayBuffer'] === 'function' &&
    typeof (event['headers'] as Headers | null)?.get === 'function'
  );
}

function toRequest(request: Request): HTTPRequest {
  const headers = HeaderMap.of(request.headers);
  if (isNetlifySchedule(headers)) return pingRequest();
  const { path, queryString } = splitURL(request.url);
  return {
    method: request.method.toUpperCase(),
    path,
    queryString,
    headers,
    body: bodyOf(request),
  };
}

/** Not touched before it is read: some hosts begin to read from the connection when they are asked for the stream. */
function bodyOf(request: Request): HTTPRequestBody {
  if (request.method === 'GET' || request.method === 'HEAD') return { kind: 'none' };
  return { kind: 'stream', chunks: new BodyChunks(request), readAll: (maxBytes) => readAll(request, maxBytes) };
}

/**
 * The whole body at once, where that is certain to be small. Undefined: it must be counted while it is read. A reader costs
 * 30 µs more than this on workerd, 4 on Deno and 2 on Bun; on Node it is no slower.
 */
function readAll(request: Request, maxBytes: number): Promise<Uint8Array> | undefined {
  if (!keepsToContentLength()) return undefined;
  const length = request.headers.get('content-length');
  if (length === null || !/^\d+$/.test(length) || Number(length) > maxBytes) return undefined;
  return request.bodyUsed ? undefined : readWhole(request);
}

async function readWhole(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer());
}

let isOwnServer: boolean | undefined;

/**
 * Whether Requests come from an HTTP server that is part of the runtime, and hands over as many bytes as Content-Length says.
 * On Node anybody makes them, of anything: there Content-Length is a claim.
 */
function keepsToContentLength(): boolean {
  return (isOwnServer ??= /^(?:Cloudflare-Workers$|Deno\/|Bun\/)/.test(globalThis.navigator?.userAgent ?? ''));
}

/**
 * By a reader, for not every platform can iterate a stream; and without an async generator, whose promises around each of those
 * of the reader take as long as the reading itself (0.6 µs).
 */
class BodyChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return (this.#reader ??= readerOf(this.#request))?.read() ?? ended();
  }

  /** Not waited for: a sender that never stops must not hold up the answer. */
  return(): Promise<IteratorResult<Uint8Array>> {
    if (this.#reader !== undefined) drain(this.#reader).catch(() => {});
    return ended();
  }
}

function ended(): Promise<IteratorResult<Uint8Array>> {
  return Promise.resolve({ done: true, value: undefined });
}

/** Undefined: there is no body. */
function readerOf({ body, bodyUsed }: Request): ReadableStreamDefaultReader<Uint8Array> | undefined {
  if (body === null || body === undefined) return undefined;
  if (bodyUsed || body.locked) throw bodyTaken('Give request.clone() to whoever reads it before.');
  return body.getReader();
}

/** Milliseconds, and chunks, that a body which was given up half way may go on arriving. */
const drainTime = 2000;
const maxDrained = 10_000;

/**
 * Reads on and forgets what comes. To cancel would tell the sender at once, but @vercel/node and h3 1 then write into a closed
 * stream, which ends the process; and hosts on node:http destroy the connection, with the answer or the next request in it.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const end = Date.now() + drainTime;
  for (let chunk = 0; chunk < maxDrained && Date.now() < end; chunk++) if ((await reader.read()).done) return;
}

function toResult({ status, headers, body }: HTTPResponse): Response {
  return new Response(body, { status, headers: webHeaders(headers) });
}

/** Most answers have one of four records of fields, which are ready then: 2 µs of a response on Node, 18 on workerd. */
const prepared = new WeakMap<Readonly<Record<string, string>>, Headers>();

/** For the constructor of a `Response`, which copies them. */
function webHeaders(headers: HeaderMap): Headers | [string, string][] {
  const record = headers.trustedRecord;
  if (record === undefined) return [...headers];
  let ready = prepared.get(record);
  if (ready === undefined) prepared.set(record, (ready = new Headers(record)));
  return ready;
}

function toStreamResult({ status, headers, body }: StreamedResponse): Response {
  return new Response(streamOf(body), { status, headers: webHeaders(headers) });
}

/** Nothing is made before it is read: a queue, though of one chunk only, would run one event ahead of the client. */
function streamOf(chunks: ChunkStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Azure's requests have no signal. One that has fired does not fire again for a late listener. */
function onLeave({ signal }: { readonly signal?: AbortSignal }, leave: () => void): void {
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

/** Workers and Netlify have `waitUntil` on the context. Deno and Bun have none: their process simply goes on. */
function keepAlive(context: unknown): (work: Promise<unknown>) => void {
  const platform = context as { waitUntil?: (work: Promise<unknown>) => void } | null | undefined;
  return typeof platform?.waitUntil === 'function' ? (work) => platform.waitUntil?.(work) : () => {};
}
