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
      /** All of them at once, if there are certainly no more bytes than so many; otherwise undefined, and nothing is read. */
      readonly readAll?: (maxBytes: number) => Promise<Uint8Array> | undefined;
    }
  /** A JSON value that somebody has parsed already: a direct invocation. */
  | { readonly kind: 'value'; readonly value: unknown };
