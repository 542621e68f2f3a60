import type { HeaderMap } from './header-map.ts';

/** One HTTP request, whatever platform it came through. A plain record: nothing in it belongs to the platform. */
export interface HTTPRequest {
  /** The method in upper case, for example "POST". */
  readonly method: string;
  /** The path as the platform gave it, stage and prefix included. It is never compared: one function is one endpoint. */
  readonly path: string;
  /** The query string without its "?", still percent-encoded. Empty when there is none. */
  readonly queryString: string;
  readonly headers: HeaderMap;
  readonly body: HTTPRequestBody;
}

/** The body in the form in which the platform hands it over. */
export type HTTPRequestBody =
  | { readonly kind: 'none' }
  /** Text that the platform has decoded. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Bytes still to be read; the limit is kept while reading. */
  | {
      readonly kind: 'stream';
      readonly chunks: AsyncIterable<Uint8Array>;
      /** Reads all of them; of a body with more bytes than so many, a few more than that. */
      readonly read: (maxBytes: number) => Promise<Uint8Array | ArrayBuffer>;
    }
  /** A JSON value that has been parsed already: a direct invocation. */
  | { readonly kind: 'value'; readonly value: unknown };

/** One HTTP response, before a platform gives it its own shape. */
export interface HTTPResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  /** null: no body at all, as for 204 and HEAD. */
  readonly body: string | null;
}

/** A response whose body comes in pieces. Only platforms that carry such ones are ever given one. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderMap;
  readonly body: ChunkStream;
}

/**
 * The pieces of a body, made when they are asked for: a reader that is slow holds up the source, and no memory fills.
 * Asked for one at a time.
 */
export interface ChunkStream extends AsyncIterableIterator<string> {
  next(): Promise<IteratorResult<string>>;
  /** The client has left: ends the source at once. Never rejects. */
  return(): Promise<IteratorResult<string>>;
  /** The process is about to end: ends the source, and then the stream with a word that says so. */
  stop(): void;
}

/** The part of the response that `context` and plugins may shape while the operation runs. */
export interface ResponseHead {
  /** Sets the status of the response. Unset: as the outcome of the operation says. */
  status?: number | undefined;
  /** Fields to send. Each `set-cookie` stays a line of its own. */
  readonly headers: HeaderMap;
}

/** The pieces of a body in one; the only piece itself. Their length is known to the caller. */
export function concatenate(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only, second] = parts;
  if (only !== undefined && second === undefined) return only;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
