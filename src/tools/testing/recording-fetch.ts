import type { HTTPFetch } from '../../datasources/index.ts';

/** A request sent by a data source. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The empty string when there is none. */
  readonly body: string;
}

/** A replacement for the network. */
export interface RecordingFetch {
  /** The option `httpFetch` for the constructor of a data source. */
  readonly httpFetch: HTTPFetch;
  /** All requests, in order. */
  readonly requests: readonly RecordedRequest[];
}

/**
 * Answers the requests of data sources with the results of a function, and records the requests. Results are sent as JSON, except
 * for `Response` objects. An error of the function is a network error. Default: a function that returns `{}`.
 *
 * @example
 * ```ts
 * const api = recordingFetch(({ url }) => (url.endsWith('/1') ? { title: 'Emma' } : new Response(null, { status: 404 })));
 * const books = new BooksAPI({ httpFetch: api.httpFetch });
 * ```
 */
export function recordingFetch(answer: (request: RecordedRequest) => unknown = () => ({})): RecordingFetch {
  const requests: RecordedRequest[] = [];
  const httpFetch: HTTPFetch = async (request) => {
    const { method, url, headers } = request;
    const recorded = { method, url, headers, body: await request.text() };
    requests.push(recorded);
    const answered = await answer(recorded);
    return answered instanceof Response ? answered : Response.json(answered ?? null);
  };
  return { httpFetch, requests };
}
