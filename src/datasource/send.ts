import { isStream } from './body.ts';
import { CallError, createNetworkError, createTimeoutError } from './errors.ts';
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
  readonly signal: AbortSignal;
  /** Header fields on top of the request's own, to revalidate with. */
  readonly validators?: Readonly<Record<string, string>> | undefined;
}

/** Sends a request to its origin. Every failure to get an answer becomes a NetworkError, but for aborts. */
export async function sendToOrigin(request: DataSourceRequest, options: SendOptions): Promise<Response> {
  const { signal } = options;
  if (signal.aborted) throw signal.reason;
  try {
    if (options.retry === undefined) return await sendOnce(request, options);
    const send = (attempt: AbortSignal): Promise<Response> => sendOnce(request, { ...options, signal: attempt });
    const attempts = {
      send,
      signal,
      isRepeatable: request.method === 'GET',
      onTimeout: (time: Milliseconds) => createTimeoutError(request, time),
    };
    return await sendWithRetry(attempts, options.retry);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof CallError ? error : createNetworkError(request, error);
  }
}

async function sendOnce(request: DataSourceRequest, { httpFetch, signal, validators }: SendOptions): Promise<Response> {
  const init = toFetchInit(request, signal, validators);
  // The platform's fetch is looked up for every call: instrumentation and test doubles replace it at run time.
  const dispatch: Dispatch = (url, options) => {
    request.redirected = url !== request.url;
    return httpFetch === undefined ? fetch(url, options) : sendByFunction(request, httpFetch, new Request(url, options));
  };
  const follows = init.redirect === undefined || init.redirect === 'follow';
  request.watch?.sent();
  const send = (): Promise<Response> =>
    follows && isPersonal(request) ? followRedirects(dispatch, request.url, init) : dispatch(request.url, init);
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

function isPersonal(request: DataSourceRequest): boolean {
  return [...(request.headersIfAny?.keys() ?? [])].some((name) => !isImpersonal(name));
}

/** Without `cache`: the modes are ours to honour; Node's fetch ignores them, workerd's refuses some. */
function toFetchInit(request: DataSourceRequest, signal: AbortSignal, validators: SendOptions['validators']): RequestInit {
  const init: RequestInit & { duplex?: 'half' } = { ...request.fetchOptions, method: request.method, signal };
  const headers = request.headersIfAny;
  if (headers !== undefined) init.headers = headers;
  if (validators !== undefined) init.headers = { ...Object.fromEntries(headers ?? []), ...validators };
  if (request.body === undefined || request.body === null) return init;

  init.body = request.body as NonNullable<RequestInit['body']>;
  if (isStream(request.body)) init.duplex = 'half';
  return init;
}
