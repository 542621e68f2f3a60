import { HeaderMap, isObjectLike, getOrCreate } from '../../shared/index.ts';
import type { ChunkStream, HTTPRequest, HTTPRequestBody, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { answerAtOnce, isNetlifySchedule, pingRequest, runtime, bodyTaken, brokenBody, readChunks, splitURL } from './adapter.ts';
import type { PlatformAdapter, PlatformCall, UnknownEvent } from './adapter.ts';

/** The web's `Request` and `Response`, for Netlify Functions 2.0, Cloudflare Workers, Deno, Bun and Vercel. */
export const fetchAPI: PlatformAdapter<Request, Response> = {
  name: 'web Request',
  recognizes: (event) => isWebRequest(event) || isWebRequest(event['request']),
  begin,
  // Deno and Bun pass the connection or the server.
  environmentOf: (env) => (/^(?:Deno|Bun)$/.test(runtime()) ? undefined : env),
  // On Workers, a process is never closed, either.
  dropsStreams: () => runtime() === 'Cloudflare-Workers',
  toRequest,
  toResult,
  toStreamResult,
  keepAlive,
  onLeave,
  timeLimit: netlifyTimeLimitOf,
};

/** Checks the members: `instanceof Request` would load Node's whole fetch implementation (27 ms), even for a Lambda event. */
function isWebRequest(value: unknown): value is Request {
  if (!isObjectLike(value)) return false;
  const { arrayBuffer, url, headers } = value as UnknownEvent;
  return typeof arrayBuffer === 'function' && typeof url === 'string' && typeof (headers as Headers | null)?.get === 'function';
}

/** SvelteKit and Cloudflare Pages pass one object that has the Request, and on Pages the bindings and `waitUntil`. */
function begin(call: Required<PlatformCall>): Required<PlatformCall> {
  const { event, context } = answerAtOnce(call);
  if (!isWebRequest(event.request)) return call;
  return { event: event.request, context: context ?? event, env: call.env ?? event.env };
}

function toRequest(request: Request): HTTPRequest {
  const headers = HeaderMap.over(request.headers);
  // Netlify's scheduled functions run on Node.
  if (!hasOwnServer() && isNetlifySchedule(headers)) return pingRequest();
  const { path, queryString } = splitURL(request.url);
  const method = request.method.toUpperCase();
  return { method, path, queryString, headers, body: bodyOf(request, method) };
}

function toResult({ status, headers, body }: HTTPResponse): Response {
  return new Response(body, { status, headers: webHeaders(headers) });
}

/** The `Headers` of records that many answers share, which saves 2 µs of a response on Node, 18 on workerd. */
const prepared = new WeakMap<Readonly<Record<string, string>>, Headers>();

type WebHeaders = Headers | [string, string][] | Readonly<Record<string, string>>;

/** The fields for the constructor of a `Response`, which copies them. Deno sorts a `Headers` each time: a record saves 1.6 µs there. */
function webHeaders(headers: HeaderMap): WebHeaders {
  const record = headers.sharedRecord;
  if (record === undefined) return headers.record ?? [...headers];
  if (runtime() === 'Deno') return record;
  return getOrCreate(prepared, record, () => new Headers(record));
}

function toStreamResult({ status, headers, body }: StreamedResponse): Response {
  return new Response(streamOf(body), { status, headers: webHeaders(headers) });
}

/** Azure's requests have no signal. An aborted signal does not fire again for a new listener. */
function onLeave({ signal }: { readonly signal?: AbortSignal }, leave: () => void): void {
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave, { once: true });
}

/** Milliseconds that a synchronous function may take on Netlify. */
export const netlifyTimeLimit = 60_000;
/** The time limit in Netlify's local development server. */
const localTimeLimit = 30_000;

/** The time limit of a function with Netlify's context of the second generation; undefined on other platforms with `Request`. */
function netlifyTimeLimitOf(context: unknown): number | undefined {
  if (!isObjectLike(context)) return undefined;
  const { deploy, site } = context as { readonly deploy?: unknown; readonly site?: unknown };
  if (typeof deploy !== 'object' || deploy === null || typeof site !== 'object') return undefined;
  return (deploy as { readonly context?: unknown }).context === 'dev' ? localTimeLimit : netlifyTimeLimit;
}

type WaitUntil = (work: Promise<unknown>) => void;

interface WaitingContext {
  readonly waitUntil?: WaitUntil;
}

/**
 * Workers and Netlify have `waitUntil` in the context of the call; Next.js and Vercel publish it for the current request. Without either,
 * the process of a server, as on Deno, Bun and Node, continues anyway.
 */
function keepAlive(context: unknown): WaitUntil | undefined {
  const owner = [context as WaitingContext | null | undefined, ...publishedContexts()].find((one) => typeof one?.waitUntil === 'function');
  if (owner !== undefined) return (work) => owner!.waitUntil!(work);
  return freezesAfterAnswer() ? undefined : () => {};
}

/** Both are documented for libraries (Next.js, "Self-hosting: after"; `@vercel/functions`). */
const published = ['@next/request-context', '@vercel/request-context'].map((name) => Symbol.for(name));

function publishedContexts(): readonly (WaitingContext | undefined)[] {
  const all = globalThis as unknown as Readonly<Record<symbol, { get?(): WaitingContext | undefined } | undefined>>;
  return published.map((name) => all[name]?.get?.());
}

/** True where the process freezes after the answer unless the platform keeps it alive. */
function freezesAfterAnswer(): boolean {
  if (runtime() === 'Cloudflare-Workers' || 'EdgeRuntime' in globalThis) return true;
  // Reads these variables only on Node, where functions of Vercel and Next.js run, on Lambda or like it: Deno throws if it may not read the
  // environment.
  const { AWS_LAMBDA_FUNCTION_NAME, VERCEL } = runtime() === 'Node.js' ? globalThis.process.env : {};
  return AWS_LAMBDA_FUNCTION_NAME !== undefined || VERCEL !== undefined;
}

/** The body. Its stream is accessed only when needed, because on some hosts that starts reading from the connection. */
function bodyOf(request: Request, method: string): HTTPRequestBody {
  if (method === 'GET' || method === 'HEAD') return { kind: 'none' };
  const chunks = new BodyChunks(request);
  return {
    kind: 'stream',
    chunks,
    read: (maxBytes) => (isSmall(request, maxBytes) ? readWhole(request) : readChunks(chunks, maxBytes)),
  };
}

async function readWhole(request: Request): Promise<ArrayBuffer> {
  try {
    return await request.arrayBuffer();
  } catch (error) {
    throw brokenBody(error);
  }
}

/**
 * True if the body is certainly small enough for the platform to read it in one call, which saves 30 µs on workerd, 3 on Deno and 2 on
 * Bun. On Node it takes 1 µs longer.
 */
function isSmall(request: Request, maxBytes: number): boolean {
  if (!hasOwnServer()) return false;
  const length = request.headers.get('content-length');
  return length !== null && /^\d+$/.test(length) && Number(length) <= maxBytes && !request.bodyUsed;
}

/**
 * True on a runtime whose built-in HTTP server makes the Requests, so that Content-Length is right. On Node any code may make a
 * Request.
 */
function hasOwnServer(): boolean {
  const name = runtime();
  return name === 'Cloudflare-Workers' || name === 'Deno' || name === 'Bun';
}

/**
 * The chunks of a body, read once. Uses a reader, because not every platform can iterate a stream. An object literal with a symbol as key
 * would take ten times as long on Bun, a generator one more promise for each chunk.
 */
class BodyChunks implements AsyncIterableIterator<Uint8Array> {
  readonly #request: Request;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  [Symbol.asyncIterator](): this {
    this.#reader = readerOf(this.#request);
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    return (this.#reader?.read() as Promise<IteratorResult<Uint8Array, undefined>>) ?? Promise.resolve(theEnd);
  }

  /** Reading stops early. The rest is drained in the background: a sender that never stops must not delay the answer. */
  return(): Promise<IteratorReturnResult<undefined>> {
    if (this.#reader !== undefined) drain(this.#reader).catch(() => {});
    return Promise.resolve(theEnd);
  }
}

const theEnd: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** A reader of the body; undefined if there is no body. */
function readerOf({ body, bodyUsed }: Request): ReadableStreamDefaultReader<Uint8Array> | undefined {
  if (body === null || body === undefined) return undefined;
  if (bodyUsed || body.locked) throw bodyTaken('Pass request.clone() to the code that reads it first.');
  return body.getReader();
}

/** Limits for draining the rest of a body: milliseconds, and number of chunks. */
const drainTime = 2000;
const maxDrained = 10_000;

/**
 * Reads and discards the rest of the body. If it were canceled, @vercel/node and h3 1 would write into a closed stream, which ends the
 * process, and hosts on node:http would destroy the connection before the answer.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const end = Date.now() + drainTime;
  for (let chunk = 0; chunk < maxDrained && Date.now() < end; chunk++) if ((await reader.read()).done) return;
}

let encoder: InstanceType<typeof TextEncoder> | undefined;

function encodeUTF8(text: string): Uint8Array<ArrayBuffer> {
  return (encoder ??= new TextEncoder()).encode(text);
}

/** Creates each chunk when it is read: even a queue of one chunk would be one event ahead of the client. */
function streamOf(chunks: ChunkStream): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(encodeUTF8(value));
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
