import type { HeaderMap } from './header-map.ts';

/** One HTTP request, in the same form for every platform. */
export interface HTTPRequest {
  /** The method in upper case, for example "POST". */
  readonly method: string;
  /** The path as the platform sent it, with stage and prefix. It is not used for routing: one function is one endpoint. */
  readonly path: string;
  /** The query string without its "?", still percent-encoded. Empty when there is none. */
  readonly queryString: string;
  readonly headers: HeaderMap;
  readonly body: HTTPRequestBody;
}

/** The body in the form in which the platform passes it. */
export type HTTPRequestBody =
  | { readonly kind: 'none' }
  /** Text that the platform has decoded. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Bytes still to be read; the limit is kept while reading. */
  | {
      readonly kind: 'stream';
      readonly chunks: AsyncIterable<Uint8Array>;
      /** Reads all bytes. Of a larger body it reads a few more than `maxBytes`. */
      readonly read: (maxBytes: number) => Promise<Uint8Array | ArrayBuffer>;
    }
  /** A JSON value that middleware has parsed. `isTrusted`: true for the value of a direct invocation, whose caller is trusted. */
  | { readonly kind: 'value'; readonly value: unknown; readonly isTrusted?: true };

/** One HTTP response, before it is converted to the platform's form. */
export interface HTTPResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  /** null: no body, as for 204 and HEAD. */
  readonly body: string | null;
  /** True: the body is base64 of its bytes. Only for platforms that decode it: see `encode` of plugins. Default: false */
  readonly isBase64Encoded?: boolean;
  /** false: adds neither `cache-control` nor `etag` to `headers`. Default: the response gets `private, no-store`, or an `etag`. */
  readonly defaultCacheControl?: false;
}

/** A response whose body comes in chunks, for platforms that can stream. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: ChunkStream;
}

/** The chunks of a body, created when they are read, so that a slow reader slows down the source. One read at a time. */
export interface ChunkStream extends AsyncIterableIterator<string> {
  next(): Promise<IteratorResult<string>>;
  /** The client has left: ends the source at once. Never rejects. */
  return(): Promise<IteratorResult<string>>;
  /** The process is about to end: ends the source, then the stream with an error that says so. */
  stop(): void;
}

/** The part of the response that `context` and plugins may set while the operation runs. */
export interface ResponseHead {
  /** The status of the response. Unset: it depends on the outcome of the operation. */
  status?: number | undefined;
  /** Header fields to send. `set-cookie` lines are not joined. */
  readonly headers: HeaderMap;
}

/** Joins the chunks of a body, whose total length the caller knows. */
export function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
