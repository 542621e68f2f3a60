/** A request as a client sends it, before a platform converts it to an event. */
export interface EventRequest {
  readonly method: string;
  readonly path: string;
  /** The query string without its "?", still percent-encoded. */
  readonly query: string;
  /** The header fields in the order and case in which they are sent; names may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array | undefined;
}

/** A request in a test. Missing fields get their defaults. */
export interface RequestFields {
  /** Default: POST with a body, else GET. */
  readonly method?: string | undefined;
  /** Default: "/graphql". */
  readonly path?: string | undefined;
  /** The query string without its "?", percent-encoded; or the parameters. Default: none. */
  readonly query?: string | Readonly<Record<string, string>> | undefined;
  /** A map, or a list of pairs, in which names may repeat. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[] | undefined;
  /** Sent unchanged. Default: none. */
  readonly body?: string | Uint8Array | undefined;
}

/** Fills in the defaults of a request. */
export function toEventRequest({ method, path = '/graphql', query = '', headers = [], body }: RequestFields): EventRequest {
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    query: typeof query === 'string' ? query : new URLSearchParams(query).toString(),
    headers: isList(headers) ? headers : Object.entries(headers),
    body,
  };
}

function isList<T>(value: Readonly<Record<string, string>> | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
