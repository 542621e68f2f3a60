import { isStream } from './body.ts';
import { CallError, createNetworkError, createTimeoutError } from './errors.ts';
import type { Waiting } from './flight.ts';
import { followRedirects } from './redirect.ts';
import type { Dispatch } from './redirect.ts';
import { isImpersonal } from './http-cache/request-identity.ts';
import type { DataSourceRequest } from './request.ts';
import type { DirectResponse, HeadersSource, OriginResponse } from './response.ts';
import { sendWithRetry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';

/** A replacement for the platform's fetch. */
export type HTTPFetch = (request: Request) => Promise<Response>;

/** The method of an `httpFetch` that sends without a web Request, and does not follow redirects. */
export const sendDirectly: unique symbol = Symbol('sendDirectly');

/** An `httpFetch` with {@link sendDirectly}. */
export interface DirectFetch extends HTTPFetch {
  [sendDirectly](request: DirectRequest): Promise<DirectResponse>;
}

/** A request without a body and options of fetch. */
export interface DirectRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: HeadersSource | undefined;
  readonly signal: AbortSignal;
  /** True if the request follows a redirect. */
  readonly redirected: boolean;
}

/** The settings for sending a request. */
export interface SendOptions {
  readonly httpFetch: HTTPFetch | undefined;
  readonly retry: RetryOptions | number | undefined;
  /** The callers that wait for the response. */
  readonly waiting: Waiting;
  /** Additional header fields for a revalidation. */
  readonly validators?: Readonly<Record<string, string>> | undefined;
}

/** Sends a request to its origin. Failures without a response become a NetworkError, except aborts. */
export async function sendToOrigin(request: DataSourceRequest, options: SendOptions): Promise<OriginResponse> {
  const { waiting } = options;
  if (waiting.abandoned) throw waiting.reason;
  try {
    if (options.retry === undefined) return await sendOnce(request, options);
    const { signal } = waiting;
    const send = (attempt: AbortSignal): Promise<OriginResponse> => sendOnce(request, { ...options, signal: attempt });
    const attempts = {
      send,
      signal,
      isRepeatable: request.method === 'GET',
      onTimeout: (time: Milliseconds) => createTimeoutError(request, time),
    };
    return await sendWithRetry(attempts, options.retry);
  } catch (error) {
    if (waiting.abandoned) throw waiting.reason;
    throw error instanceof CallError ? error : createNetworkError(request, error);
  }
}

/** One attempt; `signal` aborts it. */
interface Attempt extends SendOptions {
  readonly signal?: AbortSignal;
}

async function sendOnce(request: DataSourceRequest, { httpFetch, waiting, signal, validators }: Attempt): Promise<OriginResponse> {
  const init = toFetchInit(request, validators);
  const direct = findDirect(request, httpFetch);
  const dispatch: Dispatch<OriginResponse> = (url, options) => {
    request.redirected = url !== request.url;
    const sent = { ...options, signal: signal ?? waiting.signal };
    if (direct !== undefined) {
      const { method = request.method, headers } = sent;
      return direct({ url, method, headers, signal: sent.signal, redirected: request.redirected });
    }
    // The global fetch is read for every call, because instrumentation and test doubles replace it.
    return httpFetch === undefined ? fetch(url, sent) : httpFetch(new Request(url, sent));
  };
  const follows = init.redirect === undefined || init.redirect === 'follow';
  request.watch?.sent();
  const send = (): Promise<OriginResponse> =>
    follows && (direct !== undefined || isPersonal(request)) ? followRedirects(dispatch, request.url, init) : dispatch(request.url, init);
  const response = await (request.watch === undefined ? send() : request.watch.aroundSend(send));
  request.watch?.answered(response.status);
  return response;
}

/** Undefined if a web Request must check the request, or has more of it to pass on: a body, options of fetch, a user name in the URL. */
function findDirect(request: DataSourceRequest, httpFetch: HTTPFetch | undefined): DirectFetch[typeof sendDirectly] | undefined {
  const direct = (httpFetch as Partial<DirectFetch> | undefined)?.[sendDirectly];
  const isPlain = (request.body === undefined || request.body === null) && !request.url.includes('@');
  return isPlain && Object.keys(request.fetchOptions ?? {}).length === 0 ? direct : undefined;
}

function isPersonal(request: DataSourceRequest): boolean {
  return [...(request.headersIfAny?.keys() ?? [])].some((name) => !isImpersonal(name));
}

/** The options without `cache`, whose modes are implemented here: Node's fetch ignores them, and workerd's refuses some. */
function toFetchInit(request: DataSourceRequest, validators: SendOptions['validators']): RequestInit {
  const init: RequestInit & { duplex?: 'half' } = { ...request.fetchOptions, method: request.method };
  const headers = request.headersIfAny;
  if (headers !== undefined) init.headers = headers;
  if (validators !== undefined) init.headers = { ...Object.fromEntries(headers ?? []), ...validators };
  if (request.body === undefined || request.body === null) return init;

  init.body = request.body as NonNullable<RequestInit['body']>;
  if (isStream(request.body)) init.duplex = 'half';
  return init;
}
