import { isStream } from './body.ts';
import { CallError, createNetworkError, createTimeoutError } from './errors.ts';
import type { Waiting } from './flight.ts';
import { followRedirects } from './redirect.ts';
import type { Dispatch } from './redirect.ts';
import { isImpersonal } from './http-cache/request-identity.ts';
import type { DataSourceRequest } from './request.ts';
import { sendWithRetry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';

/** A replacement for the platform's fetch. */
export type HTTPFetch = (request: Request) => Promise<Response>;

/** The settings for sending a request. */
export interface SendOptions {
  readonly httpFetch: HTTPFetch | undefined;
  readonly retry: RetryOptions | number | undefined;
  /** The callers that wait for the response. */
  readonly waiting: Waiting;
  /** Additional header fields for a revalidation. */
  readonly validators?: Readonly<Record<string, string>> | undefined;
  /** Aborts one attempt. Default: the signal of `waiting` */
  readonly signal?: AbortSignal;
}

/** Sends a request to its origin. Failures without a response become a NetworkError, except aborts. */
export async function sendToOrigin(request: DataSourceRequest, options: SendOptions): Promise<Response> {
  const { waiting } = options;
  if (waiting.abandoned) throw waiting.reason;
  try {
    if (options.retry === undefined) return await sendOnce(request, options);
    const { signal } = waiting;
    const send = (attempt: AbortSignal): Promise<Response> => sendOnce(request, { ...options, signal: attempt });
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

async function sendOnce(request: DataSourceRequest, { httpFetch, waiting, signal, validators }: SendOptions): Promise<Response> {
  const init = toFetchInit(request, validators);
  const dispatch: Dispatch = (url, options) => {
    request.redirected = url !== request.url;
    const sent = { ...options, signal: signal ?? waiting.signal };
    // The global fetch is read for every call, because instrumentation and test doubles replace it.
    return httpFetch === undefined ? fetch(url, sent) : httpFetch(new Request(url, sent));
  };
  const follows = init.redirect === undefined || init.redirect === 'follow';
  request.watch?.sent();
  const send = (): Promise<Response> =>
    follows && isPersonal(request) ? followRedirects(dispatch, request.url, init) : dispatch(request.url, init);
  const response = await (request.watch === undefined ? send() : request.watch.aroundSend(send));
  request.watch?.answered(response.status);
  return response;
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
