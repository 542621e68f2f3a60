import { pipeline } from 'node:stream';
import type { Readable } from 'node:stream';
import * as zlib from 'node:zlib';

import { request as sendRequest } from 'undici';
import type { Dispatcher } from 'undici';

import type { Milliseconds } from './cache/key-value-cache.ts';
import { RedirectError } from './errors.ts';
import { followRedirects, isRedirect } from './redirect.ts';
import type { HeaderRecord } from './http-cache/stored-headers.ts';
import { bodylessStatuses, createResponse } from './response.ts';
import type { DirectResponse, HeadersSource } from './response.ts';
import { sendDirectly } from './send.ts';
import type { DirectFetch, HTTPFetch } from './send.ts';

/** Options of {@link undiciFetch}. */
export interface UndiciFetchOptions {
  /**
   * The Agent, Pool, ProxyAgent or MockAgent that sends. An Agent of undici 8 needs `allowH2: false`, so that bodies that break off are errors.
   * Default: undici's global dispatcher, with HTTP/1.1
   */
  readonly dispatcher?: Dispatcher | undefined;
  /** How long a response may take until its header fields are there; 0: no limit. Default: the dispatcher's, 300,000 */
  readonly headersTimeout?: Milliseconds | undefined;
  /** The longest pause between two parts of a body; 0: no limit. Default: the dispatcher's, 300,000 */
  readonly bodyTimeout?: Milliseconds | undefined;
}

/**
 * An `httpFetch` that sends with undici's `request`, for about half of the CPU time per call. Redirects, decoding and aborts work as
 * with fetch; docs/data-source-undici.md lists the differences.
 *
 * @example
 * const httpFetch = undiciFetch();
 * const dataSources = () => ({ books: new BooksAPI(httpFetch) });
 */
export function undiciFetch(options: UndiciFetchOptions = {}): HTTPFetch {
  const fixed = { ...(options.dispatcher === undefined && withoutHTTP2), ...options } as Parameters<typeof sendRequest>[1];
  const httpFetch: HTTPFetch = async (request) => {
    const { method, headers, redirect, signal } = request;
    const init = { method, headers, signal, ...(request.body !== null && { body: await readBody(request) }) };
    let count = 0;
    const send = async (url: string, { method: nextMethod, headers: nextHeaders, body }: RequestInit): Promise<Response> => {
      const sent = {
        ...fixed,
        method: nextMethod as Dispatcher.HttpMethod,
        headers: toFields(url, nextHeaders),
        body: body as Uint8Array,
        signal,
      };
      return new UndiciResponse(await sendRequest(url, sent), { url, method: nextMethod!, redirected: count++ > 0 }).toWeb();
    };
    if (redirect === 'follow') return followRedirects(send, request.url, init);

    const response = await send(request.url, init);
    if (redirect === 'manual' || !isRedirect(response)) return response;
    await response.body?.cancel();
    throw new RedirectError('redirected, although redirect is "error"');
  };
  const direct: DirectFetch[typeof sendDirectly] = async ({ url, method, headers, signal, redirected }) => {
    const sent = { ...fixed, method: method as Dispatcher.HttpMethod, headers: toFields(url, headers), signal };
    return new UndiciResponse(await sendRequest(url, sent), { url, method, redirected });
  };
  return Object.assign(httpFetch, { [sendDirectly]: direct });
}

/** The body with its length, unless the caller has set content-length for a stream. */
async function readBody(request: Request): Promise<NonNullable<RequestInit['body']>> {
  return request.headers.has('content-length') ? request.body! : readWhole(request);
}

/** Reads a body, and cancels its stream at an abort, which `arrayBuffer()` does not. */
async function readWhole({ body, signal }: Request): Promise<Uint8Array> {
  const reader = body!.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(ignore);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const chunks: Uint8Array[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  signal.removeEventListener('abort', cancel);
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

/** A response of undici, which becomes a web Response only if a hook needs one. */
class UndiciResponse implements DirectResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly headers: UndiciHeaders;
  /** The decoded body. */
  readonly #source: Readable | undefined;
  readonly body: { cancel(): Promise<void> } | null;

  constructor(
    { statusCode, statusText, headers, body }: Dispatcher.ResponseData<unknown>,
    { url, method, redirected }: { url: string; method: string; redirected: boolean },
  ) {
    this.url = url.split('#', 1)[0]!;
    this.status = statusCode;
    // Undici 6 has no reason phrase, and reads header fields as UTF-8.
    this.statusText = statusText ?? '';
    this.ok = statusCode >= 200 && statusCode <= 299;
    this.redirected = redirected;
    this.headers = new UndiciHeaders(headers, statusText === undefined ? 'utf8' : 'latin1');
    if (method === 'HEAD' || bodylessStatuses.includes(statusCode)) {
      body.dump().catch(ignore);
      this.body = null;
    } else {
      const source = decode(body, this.headers.get('content-encoding'));
      this.#source = source;
      this.body = { cancel: async () => giveUp(source) };
    }
  }

  get fields(): HeaderRecord {
    return this.headers.record;
  }

  read(onChunk: (chunk: Uint8Array) => void): Promise<void> {
    const source = this.#source;
    if (source === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => void source.on('data', onChunk).on('end', resolve).on('error', reject));
  }

  toWeb(): Response {
    const { url, status, statusText, redirected } = this;
    const head = { url, status, statusText, redirected, headers: [...this.headers] };
    return createResponse(this.#source === undefined ? null : toWebStream(this.#source), head);
  }
}

/** The header fields of a response, with the methods of `Headers` that data sources call. */
class UndiciHeaders {
  /** The fields by lower-case name, with only the last of several Set-Cookie. */
  readonly record: HeaderRecord;
  readonly #cookies: readonly string[];

  constructor(fields: Dispatcher.ResponseData['headers'], encoding: 'utf8' | 'latin1') {
    const cookies = fields['set-cookie'] ?? [];
    this.#cookies = [cookies].flat().map((line) => toFieldValue(line, encoding));
    this.record = isRecord(fields, encoding) ? fields : toRecord(fields, encoding);
  }

  get(name: string): string | null {
    return Object.hasOwn(this.record, name) ? this.record[name]! : null;
  }

  getSetCookie(): string[] {
    return [...this.#cookies];
  }

  /** A pair for each field, and for each Set-Cookie. */
  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const name in this.record) if (name !== 'set-cookie') yield [name, this.record[name]!];
    for (const line of this.#cookies) yield ['set-cookie', line];
  }
}

/** True if every value is one text that needs no change, as in nearly all responses. */
function isRecord(fields: Dispatcher.ResponseData['headers'], encoding: 'utf8' | 'latin1'): fields is Record<string, string> {
  for (const name in fields) {
    const value = fields[name];
    if (typeof value !== 'string' || encoding === 'utf8' || isPadded(value)) return false;
  }
  return true;
}

function toRecord(fields: Dispatcher.ResponseData['headers'], encoding: 'utf8' | 'latin1'): HeaderRecord {
  const values = Object.entries(fields).map(([name, value]): [string, string] => {
    const lines = [value!].flat();
    return [name, toFieldValue(name === 'set-cookie' ? lines.at(-1)! : lines.join(', '), encoding)];
  });
  return Object.fromEntries(values);
}

/** A value in Latin-1, like those of fetch: one character for each byte. Spaces and tabs around it do not belong to it (RFC 9110 section 5.5). */
function toFieldValue(text: string, encoding: 'utf8' | 'latin1'): string {
  const value = encoding === 'utf8' ? Buffer.from(text).toString('latin1') : text;
  return isPadded(value) ? value.replaceAll(/^[\t ]+|[\t ]+$/g, '') : value;
}

function isPadded(value: string): boolean {
  return isPadding(value.charCodeAt(0)) || isPadding(value.charCodeAt(value.length - 1));
}

function isPadding(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Over HTTP/2, which undici 8 uses where the server offers it, a body that breaks off ends like a complete one, and would be stored. The
 * global dispatcher, with its proxy or certificates, opens an HTTP/1.1 connection for such a request; earlier versions do so anyway.
 */
const withoutHTTP2: object = { allowH2: false };

/** Adds the header fields that fetch adds. A range must not be encoded. */
function toFields(url: string, headers: HeadersSource | undefined): Record<string, string> {
  const added = url.startsWith('https:') ? addedToHTTPS : addedToHTTP;
  if (headers === undefined) return added;
  const fields =
    Symbol.iterator in headers ? Object.fromEntries(headers as Iterable<[string, string]>) : (headers as Record<string, string>);
  return { ...added, ...('range' in fields && { 'accept-encoding': 'identity' }), ...fields };
}

const addedToHTTP: Record<string, string> = { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'user-agent': 'node' };
const addedToHTTPS: Record<string, string> = { ...addedToHTTP, 'accept-encoding': 'br, gzip, deflate' };

/** The same limit as in fetch. */
const maxCodings = 5;

/** Decodes a body by Content-Encoding. If a coding is unknown, the body stays encoded, as with fetch. */
function decode(body: Dispatcher.ResponseData['body'], field: string | null): Readable {
  const codings =
    field
      ?.toLowerCase()
      .split(',')
      .map((coding) => coding.trim()) ?? [];
  if (codings.length > maxCodings) {
    body.dump().catch(ignore);
    throw new Error(`The response has ${codings.length} content codings, more than ${maxCodings}`);
  }
  if (!codings.every((coding) => coding in decoders)) return body;
  let decoded: Readable = body;
  for (const coding of codings.toReversed()) decoded = pipeline(decoded, decoders[coding]!(), ignore) as unknown as Readable;
  return decoded;
}

// An incomplete body is decoded as far as possible, as with fetch.
const partial = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
const partialBrotli = { flush: zlib.constants.BROTLI_OPERATION_FLUSH, finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream | typeof inflate>> = {
  gzip: () => zlib.createGunzip(partial),
  'x-gzip': () => zlib.createGunzip(partial),
  br: () => zlib.createBrotliDecompress(partialBrotli),
  deflate: () => inflate,
  // Node has it from version 22.15 on.
  ...('createZstdDecompress' in zlib && { zstd: () => zlib.createZstdDecompress() }),
};

/** Some servers send deflate without its zlib header: the first byte shows it. */
async function* inflate(encoded: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = encoded[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  yield* pipeline(whole, (first.value[0]! & 0x0f) === 0x08 ? zlib.createInflate(partial) : zlib.createInflateRaw(partial), ignore);
}

/** A replacement for `Readable.toWeb`, with which a call would take a third longer. */
function toWebStream(body: Readable): ReadableStream {
  return new ReadableStream({
    start(controller) {
      body.on('data', (chunk) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.on('end', () => controller.close());
      body.on('error', (error) => controller.error(error));
    },
    pull: () => void body.resume(),
    cancel: () => giveUp(body),
  });
}

/** After destroy(), undici still passes on what it has already received. */
function giveUp(body: Readable): void {
  body.removeAllListeners('data').removeAllListeners('end').on('error', ignore).destroy();
}

function ignore(): void {}
