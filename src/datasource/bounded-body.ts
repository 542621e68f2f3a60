import { CallError, callOf, createNetworkError } from './errors.ts';
import type { DataSourceRequest } from './request.ts';
import type { OriginReader, OriginResponse } from './origin/origin-response.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** The body of a response; a connection that breaks meanwhile is a call without an answer. */
export async function readBody(request: DataSourceRequest, response: OriginResponse): Promise<Uint8Array> {
  try {
    const body = new BoundedBody(request, response);
    const chunks: Uint8Array[] = [];
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
    return concat(chunks, body.size);
  } catch (error) {
    throw error instanceof CallError ? error : createNetworkError(request, error);
  }
}

/** The same response for a hook, whose body ends with an error where it would go beyond the limits. */
export function boundStream(request: DataSourceRequest, response: OriginResponse): ReadableStream {
  const body = new BoundedBody(request, response);
  // The hook may never read it. The process must not wait for that.
  body.letProcessEnd();
  return new ReadableStream({
    async pull(controller) {
      const chunk = await body.read();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => body.cancel(reason),
  });
}

class BoundedBody {
  size = 0;
  readonly #request: DataSourceRequest;
  readonly #response: OriginResponse;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  #reader: OriginReader | undefined;
  #isRead = false;
  #isWhole = false;
  #failure: CallError | undefined;

  constructor(request: DataSourceRequest, response: OriginResponse) {
    this.#request = request;
    this.#response = response;
    this.#reader = response.body?.getReader?.();
    const { maxTime } = request.bodyLimits;
    if (maxTime !== undefined && response.body?.isComplete !== true)
      this.#timer = setTimeout(() => this.#fail(tooSlow(request, maxTime)), maxTime);
  }

  /** The next piece; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#isWhole) return undefined;
    try {
      const chunk = this.#reader === undefined ? await this.#readWhole() : (await this.#reader.read()).value;
      if (chunk !== undefined) this.#count(chunk);
      if (this.#failure !== undefined) throw this.#failure;
      this.#isWhole = chunk !== undefined && isWholeBody(this.#response, chunk);
      if (chunk === undefined || this.#isWhole) clearTimeout(this.#timer);
      return chunk;
    } catch (error) {
      clearTimeout(this.#timer);
      throw error;
    }
  }

  /** Some platforms' timers are numbers, and keep nothing alive. */
  letProcessEnd(): void {
    (this.#timer as { unref?(): void } | undefined)?.unref?.();
  }

  cancel(reason: unknown): Promise<void> | undefined {
    clearTimeout(this.#timer);
    return this.#reader?.cancel(reason);
  }

  #count(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    const { maxBytes } = this.#request.bodyLimits;
    if (this.size > maxBytes) this.#fail(tooLarge(this.#request, maxBytes));
  }

  #fail(failure: CallError): void {
    this.#failure = failure;
    // Its rejection, if there is one, is of no interest any more.
    this.cancel(failure)?.catch(() => {});
  }

  /** No body, or that of a stand-in for fetch, which is not a web stream. */
  async #readWhole(): Promise<Uint8Array | undefined> {
    if (this.#isRead || this.#response.body === null) return undefined;
    this.#isRead = true;
    const { arrayBuffer } = this.#response as Partial<Response>;
    if (typeof arrayBuffer === 'function') return new Uint8Array(await arrayBuffer.call(this.#response));
    return new TextEncoder().encode(await (this.#response as Response).text());
  }
}

/**
 * True if the first piece is the whole body by its Content-Length. Then the end of the stream is not awaited, which saves a sixth of the
 * time of a small call. Only on Node, whose fetch gives the connection back with the last byte: Deno and workerd hold it until the end has
 * been read.
 */
function isWholeBody({ headers }: OriginResponse, chunk: Uint8Array): boolean {
  if (!isNode() || chunk.byteLength > largestPiece || headers.get('content-encoding') !== null) return false;
  return headers.get('content-length') === String(chunk.byteLength);
}

/** Bytes that Node's fetch takes from a connection without being asked for more. */
const largestPiece = 16_384;

let runsOnNode: boolean | undefined;

function isNode(): boolean {
  return (runsOnNode ??= globalThis.navigator?.userAgent.startsWith('Node.js/') ?? false);
}

function tooLarge(request: DataSourceRequest, maxBytes: number): CallError {
  const message = `${request.method} answered with a body of more than ${maxBytes} bytes. Set maxResponseBytes if that is meant`;
  return new CallError('ResponseTooLargeError', message, { response: callOf(request) });
}

function tooSlow(request: DataSourceRequest, maxTime: Milliseconds): CallError {
  const message = `${request.method} answered with a body that did not end within ${maxTime} ms. Set timeout if it may take longer`;
  return new CallError('TimeoutError', message, { response: callOf(request) });
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
