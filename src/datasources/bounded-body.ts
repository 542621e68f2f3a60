import { CallError, callOf, createNetworkError } from './errors.ts';
import type { DataSourceRequest } from './request.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';
import { concatenate } from '../shared/index.ts';

/** The body of a response. A broken connection is a NetworkError. */
export async function readBody(request: DataSourceRequest, response: Response): Promise<Uint8Array> {
  try {
    const body = new BoundedBody(request, response);
    const chunks: Uint8Array[] = [];
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
    return concatenate(chunks, body.size);
  } catch (error) {
    throw error instanceof CallError ? error : createNetworkError(request, error);
  }
}

/** The body of a response for a hook; it ends with an error at the limits. */
export function boundStream(request: DataSourceRequest, response: Response): ReadableStream {
  const body = new BoundedBody(request, response);
  // The process must not wait for a hook that never reads it.
  body.unrefTimer();
  return new ReadableStream({
    async pull(controller) {
      const chunk = await body.read();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => body.cancel(reason),
  });
}

/** The limits for calls that set none: of bytes, and of the time from the header fields to the end of the body. */
const defaultMaxBytes = 32 * 1024 * 1024;
const maxTime: Milliseconds = 60_000;

class BoundedBody {
  size = 0;
  readonly #request: DataSourceRequest;
  readonly #response: Response;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isWhole = false;
  #failure: CallError | undefined;

  constructor(request: DataSourceRequest, response: Response) {
    this.#request = request;
    this.#response = response;
    this.#reader = streamOf(response)?.getReader();
    // A call with a timeout needs no timer here: the timeout ends with the body.
    if (request.timeout === undefined) this.#timer = setTimeout(() => this.#fail(tooSlowError(request)), maxTime);
  }

  /** The next chunk; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#isWhole) return undefined;
    try {
      const chunk = (await this.#reader?.read())?.value;
      if (chunk === undefined) assertWhole(this.#response, this.size);
      else this.#count(chunk);
      if (this.#failure !== undefined) throw this.#failure;
      this.#isWhole = chunk !== undefined && isWholeBody(this.#response, chunk);
      if (chunk === undefined || this.#isWhole) clearTimeout(this.#timer);
      return chunk;
    } catch (error) {
      clearTimeout(this.#timer);
      throw error;
    }
  }

  /** On some platforms timers are numbers. */
  unrefTimer(): void {
    (this.#timer as { unref?(): void } | undefined)?.unref?.();
  }

  cancel(reason: unknown): Promise<void> | undefined {
    clearTimeout(this.#timer);
    return this.#reader?.cancel(reason);
  }

  #count(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    const { maxResponseBytes: maxBytes = defaultMaxBytes } = this.#request;
    if (this.size > maxBytes) this.#fail(tooLargeError(this.#request, maxBytes));
  }

  #fail(failure: CallError): void {
    this.#failure = failure;
    this.cancel(failure)?.catch(() => {});
  }
}

/** The body of a response, which is not a web stream with some replacements for fetch. */
function streamOf(response: Response): ReadableStream<Uint8Array> | null {
  if (response.body === null || typeof response.body?.getReader === 'function') return response.body;
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(await response.arrayBuffer()));
      controller.close();
    },
  });
}

/** Throws if the body is shorter than its Content-Length: over HTTP/2, one that breaks off may end like a complete one. */
function assertWhole({ headers, body }: Response, size: number): void {
  const length = headers.get('content-length') ?? '';
  if (body !== null && /^\d+$/.test(length) && size < Number(length) && headers.get('content-encoding') === null)
    throw new Error(`The body ended after ${size} of ${length} bytes.`);
}

/**
 * True if a body over HTTPS has neither a length nor chunks on Node: the HTTP/2 of undici 8, which is also in the fetch of Node 26, ends a
 * body like a complete one if the server cancels the stream, and a TLS connection that breaks off ends an HTTP/1.1 body without a length
 * (RFC 9112 section 8). False for responses that are created without a request, which have no URL.
 */
export function hidesEnd({ url, body, headers }: Response): boolean {
  const isFramed = headers.get('content-length') !== null || headers.get('transfer-encoding') !== null;
  return !isFramed && body !== null && url.startsWith('https:') && isNode();
}

/**
 * True if the first chunk is the whole body, by its Content-Length. The end of the stream is then not awaited, which saves a sixth of a
 * small call. Only on Node, which reuses the connection after the last byte; Deno and workerd wait until the end is read.
 */
function isWholeBody({ headers }: Response, chunk: Uint8Array): boolean {
  if (!isNode() || chunk.byteLength > largestPiece || headers.get('content-encoding') !== null) return false;
  return headers.get('content-length') === String(chunk.byteLength);
}

/** Bytes that Node's fetch buffers. */
const largestPiece = 16_384;

function isNode(): boolean {
  return globalThis.navigator?.userAgent.startsWith('Node.js/') ?? false;
}

function tooLargeError(request: DataSourceRequest, maxBytes: number): CallError {
  const message = `${request.method} answered with a body of more than ${maxBytes} bytes. Set maxResponseBytes to allow more`;
  return new CallError('ResponseTooLargeError', message, { response: callOf(request) });
}

function tooSlowError(request: DataSourceRequest): CallError {
  const message = `${request.method} answered with a body that did not end within ${maxTime} ms. Set timeout to allow more`;
  return new CallError('TimeoutError', message, { response: callOf(request) });
}
