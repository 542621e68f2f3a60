import type { OriginBody, OriginReader, Piece } from './origin-response.ts';

/** Where a connection pushes a body. */
export interface BodySink {
  /** False when there is enough: the source is to pause. */
  push(chunk: Uint8Array): boolean;
  end(): void;
  fail(error: unknown): void;
  /** Is told to go on, after a pause. */
  source: { resume(): void } | undefined;
}

/** A reader that there was nothing for yet. */
interface WaitingReader {
  resolve(piece: Piece): void;
  reject(error: unknown): void;
}

/** Bytes that wait to be read; with more, the connection is told to pause. As many as fetch lets wait. */
const highWaterMark = 65_536;

/** A body that is pushed by a connection and read by one reader. */
export class PushedBody implements OriginBody, OriginReader, BodySink {
  source: BodySink['source'];
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #isEnded = false;
  #error: unknown;
  #reader: WaitingReader | undefined;
  readonly #stop: (reason: unknown) => void;

  /** `stop` ends the connection. */
  constructor(stop: (reason: unknown) => void) {
    this.#stop = stop;
  }

  get isComplete(): boolean {
    return this.#isEnded && this.#error === undefined;
  }

  getReader(): OriginReader {
    return this;
  }

  async read(): Promise<Piece> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      const wasFull = this.#size >= highWaterMark;
      this.#size -= chunk.byteLength;
      if (wasFull && this.#size < highWaterMark) this.source?.resume();
      return { value: chunk };
    }
    if (this.#error !== undefined) throw this.#error as Error;
    if (this.#isEnded) return {};
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  cancel(reason?: unknown): Promise<void> {
    if (!this.#isEnded) {
      this.fail(reason ?? new Error('The body was cancelled'));
      this.#stop(reason);
    }
    return Promise.resolve();
  }

  push(chunk: Uint8Array): boolean {
    if (this.#isEnded || chunk.byteLength === 0) return true;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve({ value: chunk });
      return true;
    }
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    return this.#size < highWaterMark;
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#takeReader()?.resolve({});
  }

  /** Drops what waits to be read, as a web stream does. */
  fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#chunks.length = 0;
    this.#takeReader()?.reject(error);
  }

  /** The reader that waits, for its one answer. */
  #takeReader(): WaitingReader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}

const codings = ['gzip', 'x-gzip', 'deflate', 'br', 'zstd'];

/** As many as fetch undoes. */
const maxCodings = 5;

/** A sink that undoes the codings of a Content-Encoding field (RFC 9110 section 8.4), the last one first; the body itself where one is unknown. */
export function decodeInto(body: PushedBody, field: string | undefined): BodySink {
  if (field === undefined) return body;
  const names = field
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  if (!names.every((name) => codings.includes(name))) return body;
  if (names.length > maxCodings) {
    body.cancel(new Error(`too many content-encodings in response: ${names.length}, maximum allowed is ${maxCodings}`)).catch(() => {});
    return body;
  }
  return names.reduce<BodySink>((next, name) => new Decoder(name, next), body);
}

/** A stream of node:zlib. */
type Unzip = NodeJS.ReadWriteStream & { destroy(): void };

/** Undoes one coding. An end that is missing is no error, as with fetch and browsers. */
class Decoder implements BodySink {
  source: BodySink['source'];
  readonly #coding: string;
  readonly #next: BodySink;
  #stream: Unzip | undefined;

  constructor(coding: string, next: BodySink) {
    this.#coding = coding;
    this.#next = next;
    next.source = { resume: () => this.#stream?.resume() };
  }

  push(chunk: Uint8Array): boolean {
    if (chunk.byteLength === 0) return true;
    this.#stream ??= this.#open(chunk);
    return this.#stream.write(chunk);
  }

  end(): void {
    if (this.#stream === undefined) this.#next.end();
    else this.#stream.end();
  }

  fail(error: unknown): void {
    this.#stream?.destroy();
    this.#next.fail(error);
  }

  #open(first: Uint8Array): Unzip {
    const stream = createUnzip(this.#coding, first);
    stream.on('data', (chunk: Uint8Array) => {
      if (!this.#next.push(chunk)) stream.pause();
    });
    stream.on('end', () => this.#next.end());
    stream.on('error', (error) => this.#next.fail(new TypeError('terminated', { cause: error })));
    stream.on('drain', () => this.source?.resume());
    return stream;
  }
}

/** "deflate" is two formats, told apart by the first byte (RFC 1950 section 2.2). */
function createUnzip(coding: string, first: Uint8Array): Unzip {
  const zlib = process.getBuiltinModule('node:zlib');
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
  switch (coding) {
    case 'br':
      return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.createZstdDecompress();
    case 'deflate':
      return (first[0]! & 0x0f) === 0x08 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
    default:
      return zlib.createGunzip(lenient);
  }
}
