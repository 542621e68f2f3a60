import type { HeaderMap } from './header-map.ts';

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
