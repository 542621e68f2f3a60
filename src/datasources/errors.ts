import { GraphQLError } from 'graphql';
import type { GraphQLErrorOptions } from 'graphql';

import { reasonPhrases } from '../shared/index.ts';
import type { DataSourceRequest } from './request.ts';
import type { Milliseconds } from './cache/key-value-cache.ts';

/** The user is not logged in: code UNAUTHENTICATED. The error of a REST API's 401. */
export class AuthenticationError extends GraphQLError {
  constructor(message: string, options?: GraphQLErrorOptions) {
    super(message, withCode('UNAUTHENTICATED', options));
    this.name = 'AuthenticationError';
  }
}

/** The user lacks permission: code FORBIDDEN. The error of a REST API's 403. */
export class ForbiddenError extends GraphQLError {
  constructor(message: string, options?: GraphQLErrorOptions) {
    super(message, withCode('FORBIDDEN', options));
    this.name = 'ForbiddenError';
  }
}

/** A failed call, and the response if there was one. */
export interface FailedCall {
  /** The URL without user name, password, query and fragment. */
  readonly url: string;
  readonly method?: string;
  readonly status?: number;
  readonly statusText?: string;
  readonly body?: unknown;
}

/**
 * The error of a call without a usable response. Not a GraphQLError, so clients see a masked error.
 *
 * Its message contains neither the URL nor text of others, because messages may reach clients, and URLs contain hosts, tokens and IDs.
 * The URL is in `extensions.response`, for hooks, formatError and the log (and clients in development), and the original error in `cause`.
 */
export class CallError extends Error {
  static {
    // Named Error, because the console shows the name of the class besides the name of the error.
    Object.defineProperty(this, 'name', { value: 'Error' });
  }

  readonly extensions: { readonly response: FailedCall };

  constructor(name: string, message: string, { response, ...options }: { response: FailedCall; cause?: unknown }) {
    super(message, options);
    this.name = name;
    this.extensions = { response };
  }
}

/** Why a redirect was not followed. */
export class RedirectError extends Error {}

/** The error of an unsuccessful response; `body` is parsed if possible. */
export function createResponseError(request: DataSourceRequest | undefined, response: Response, body: unknown): GraphQLError {
  const { status, statusText } = response;
  const { method, url: requested = '' } = request ?? {};
  // The API's own phrase may contain anything, and HTTP/2 has none.
  const phrase = phrasesOfNode[status] ?? reasonPhrases[status];
  const message = `${status}${phrase === undefined ? '' : `: ${phrase}`}${method === undefined ? '' : ` (${method})`}`;
  const url = withoutSecrets(response.url || requested);
  const extensions = { response: { url, method, status, statusText, body } };

  if (status === 401) return new AuthenticationError(message, { extensions });
  if (status === 403) return new ForbiddenError(message, { extensions });
  return new GraphQLError(message, withCode('INTERNAL_SERVER_ERROR', { extensions }));
}

/** The error of a call with no response or an incomplete one. */
export function createNetworkError(request: DataSourceRequest, cause: unknown): CallError {
  const code = codeOf(cause);
  const reason = cause instanceof RedirectError ? cause.message : code;
  const message = `${request.method} got no answer${reason === undefined ? '' : `: ${reason}`}`;
  const error = new CallError('NetworkError', message, { response: callOf(request), cause });
  return code === undefined ? error : Object.assign(error, { code });
}

/** True for the error of {@link createNetworkError}. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof Error && error.name === 'NetworkError';
}

/** True if a body could not be parsed, also by the cause of an error. */
export function isSyntaxError(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && error.cause instanceof SyntaxError);
}

/** The error of a call that took longer than its `timeout`. */
export function createTimeoutError(request: DataSourceRequest, timeout: Milliseconds): CallError {
  return new CallError('TimeoutError', `${request.method} got no answer within ${timeout} ms`, { response: callOf(request) });
}

/** The error of a successful response with invalid JSON. */
export function createJSONError({ url, method }: FailedCall, cause: unknown): CallError {
  const message = `${method ?? 'The API'} answered with JSON that cannot be parsed`;
  return new CallError('JSONError', message, { response: { url: withoutSecrets(url), ...(method && { method }) }, cause });
}

/** The error of an invalid or forbidden path or baseURL. */
export function createURLError(message: string, given: string): CallError {
  return new CallError('URLError', message, { response: { url: withoutSecrets(given) } });
}

/** A URL for hooks and logs, without user name, password, query and fragment. */
export function withoutSecrets(url: string): string {
  const end = url.search(/[?#]/);
  return (end === -1 ? url : url.slice(0, end)).replace(/^([a-z][a-z\d+.-]*:\/\/)[^/]*@/i, '$1');
}

/** The error of a hook. One about an invalid header field is replaced, because its message quotes the value, which may be a token. */
export function withoutHeaderValue(error: unknown, request: DataSourceRequest): unknown {
  if (!(error instanceof TypeError) || !error.message.startsWith('Headers')) return error;
  const message = `A header field of the ${request.method} has a name or a value that cannot be sent`;
  return new CallError('HeaderError', message, { response: callOf(request), cause: error });
}

/** The call of an error. */
export function callOf({ method, url, path }: DataSourceRequest): FailedCall {
  return { method, url: withoutSecrets(url === '' ? path : url) };
}

function withCode(code: string, options?: GraphQLErrorOptions): GraphQLErrorOptions {
  return { ...options, extensions: { code, ...options?.extensions } };
}

/** The system's code (ECONNREFUSED, …), which fetch puts into the cause of its error. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z\d_]{1,60}$/.test(at.code)) return at.code;
  }
  return undefined;
}

/** The phrases of node:http that RFC 9110 has changed. */
const phrasesOfNode: Readonly<Record<number, string>> = { 413: 'Payload Too Large', 422: 'Unprocessable Entity' };
