/** What `new Headers` accepts. */
export type HeadersSource = NonNullable<RequestInit['headers']>;

/** A response without its body. */
export interface ResponseHead {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly headers?: HeadersSource;
  /** Default: false */
  readonly redirected?: boolean;
}

/**
 * A response as the data sources read it: a web Response, or a {@link DirectResponse}, which becomes a web Response only for hooks.
 */
export interface OriginResponse extends Pick<Response, 'ok' | 'status' | 'statusText' | 'url' | 'redirected'> {
  readonly headers: Pick<Headers, 'get' | 'getSetCookie'> & Iterable<[name: string, value: string]>;
  readonly body: Pick<ReadableStream, 'cancel'> | null;
}

/** A response whose body is read without a web stream. Request, Response and Headers of the web take half of a small call. */
export interface DirectResponse extends OriginResponse {
  /** The fields of `headers` as a record. */
  readonly fields: Readonly<Record<string, string>>;
  /** Calls back with each chunk of the body; resolves at its end. Not after {@link toWeb}. */
  read(onChunk: (chunk: Uint8Array) => void): Promise<void>;
  /** The web Response, with the unread body. */
  toWeb(): Response;
}

/** The web Response of a response. */
export function toWebResponse(response: OriginResponse): Response {
  return isDirect(response) ? response.toWeb() : (response as Response);
}

export function isDirect(response: OriginResponse): response is DirectResponse {
  return 'toWeb' in response;
}

/** Statuses for which the constructor of Response refuses a body ("null body status" of the Fetch standard). */
export const bodylessStatuses: readonly number[] = [101, 204, 205, 304];

/** A web Response like those of fetch, whose constructor accepts no URL, no status outside 200 to 599 and only Latin-1 in reason phrases. */
export function createResponse(body: string | Uint8Array | ReadableStream | null, head: ResponseHead): Response {
  const { status, statusText, headers = [] } = head;
  const isAccepted = status >= 200 && status <= 599 && /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText);
  // The platforms' types disagree on which byte arrays a body may be.
  const content = bodylessStatuses.includes(status) ? null : (body as string | null);
  return withHead(new Response(content, isAccepted ? { status, statusText, headers } : { status: 500, headers }), head);
}

function withHead(response: Response, head: ResponseHead): Response {
  const { url, status, statusText, redirected = false } = head;
  return Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    ok: { value: status >= 200 && status <= 299 },
    redirected: { value: redirected },
    clone: { value: () => withHead(Response.prototype.clone.call(response), head) },
  });
}
