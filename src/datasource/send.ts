import { isStream } from './body.ts';
import { CallError, createNetworkError, createTimeoutError } from './errors.ts';
import { dispatcherOfFetch, sendDirectly } from './origin/direct-fetch.ts';
import type { DirectInit } from './origin/direct-fetch.ts';
import type { Waiting } from './flight.ts';
import type { OriginResponse } from './origin/origin-response.ts';
import { followRedirects } from './redirect.ts';
import type { Dispatch } from './redirect.ts';
import { isImpersonal } from './http-cache/request-identity.ts';
import type { DataSourceRequest } from './request.ts';
import { sendWithRetry } from './retry.ts';
import type { RetryOptions } from './retry.ts';
import type { Milliseconds } from '../cache/key-value-cache.ts';

/** A replacement for the platform's fetch: one `Request` in, a `Response` out. */
export type HTTPFetch = (request: Request) => Promise<Response>;

/** How and for how long to send. */
export interface SendOptions {
  readonly httpFetch: HTTPFetch | undefined;
  readonly retry: RetryOptions | number | undefined;
  /** Those who wait for the response. */
  readonly waiting: Waiting;
  /** Header fields on top of the request's own, to revalidate with. */
  readonly validators?: Readonly<Record<string, string>> | undefined;
}

/** Sends a request to its origin. Every failure to get an answer becomes a NetworkError, but for aborts. */
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

/** One attempt, which ends with `signal`, if there is one. */
interface Attempt extends SendOptions {
  readonly signal?: AbortSignal;
}

async function sendOnce(request: DataSourceRequest, { httpFetch, waiting, signal, validators }: Attempt): Promise<OriginResponse> {
  const init = toFetchInit(request, validators);
  const isDirect = httpFetch === undefined && signal === undefined && isPlain(request) && dispatcherOfFetch() !== undefined;
  // The platform's fetch is looked up for every call: instrumentation and test doubles replace it at run time.
  const dispatch: Dispatch<OriginResponse> = (url, options) => {
    request.redirected = url !== request.url;
    const byFetch = (): Promise<Response> => fetch(url, { ...options, signal: signal ?? waiting.signal });
    if (isDirect) return sendDirectly({ url, isRedirected: request.redirected, init: options as DirectInit, waiting, byFetch });
    if (httpFetch === undefined) return byFetch();
    return sendByFunction(request, httpFetch, new Request(url, { ...options, signal: signal ?? waiting.signal }));
  };
  const follows = init.redirect === undefined || init.redirect === 'follow';
  request.watch?.sent();
  const send = (): Promise<OriginResponse> =>
    follows && (isDirect || isPersonal(request)) ? followRedirects(dispatch, request.url, init) : dispatch(request.url, init);
  const response = await (request.watch === undefined ? send() : request.watch.aroundSend(send));
  request.watch?.answered(response.status);
  return response;
}

/** Notes the header fields that `httpFetch` adds to its request: credentials among them can be seen nowhere else. */
async function sendByFunction(request: DataSourceRequest, httpFetch: HTTPFetch, sent: Request): Promise<Response> {
  const before = new Map(sent.headers);
  const response = await httpFetch(sent);
  const added = [...sent.headers].filter(([name, value]) => before.get(name) !== value);
  if (added.length > 0) request.addedFields = [...request.addedFields, ...added.map(([name]) => name)];
  return response;
}

/** True without options of fetch, and with a body that is text, if there is one. */
function isPlain({ method, body, fetchOptions }: DataSourceRequest): boolean {
  const isText = body === undefined || body === null || typeof body === 'string';
  return isText && method !== 'HEAD' && (fetchOptions === undefined || Object.values(fetchOptions).every((value) => value === undefined));
}

function isPersonal(request: DataSourceRequest): boolean {
  return [...(request.headersIfAny?.keys() ?? [])].some((name) => !isImpersonal(name));
}

/** Without `cache`: the modes are ours to honour; Node's fetch ignores them, workerd's refuses some. */
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
