/** A value that `new Headers` accepts. */
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

/** Statuses for which the constructor of Response refuses a body ("null body status" of the Fetch standard). */
const bodylessStatuses = [101, 204, 205, 304];

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
