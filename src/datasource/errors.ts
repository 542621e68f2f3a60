import { GraphQLError, type GraphQLErrorOptions } from 'graphql';
import type { DataSourceRequest } from './request.ts';
import type { Milliseconds } from './units.ts';
import { withoutSecrets } from './url.ts';

/** The caller is not known: code UNAUTHENTICATED. What a 401 of a REST API becomes. */
export class AuthenticationError extends GraphQLError {
  constructor(message: string, options?: GraphQLErrorOptions) {
    super(message, withCode('UNAUTHENTICATED', options));
    this.name = 'AuthenticationError';
  }
}

/** The caller is known and may not: code FORBIDDEN. What a 403 of a REST API becomes. */
export class ForbiddenError extends GraphQLError {
  constructor(message: string, options?: GraphQLErrorOptions) {
    super(message, withCode('FORBIDDEN', options));
    this.name = 'ForbiddenError';
  }
}

/**
 * The error for an answer that is no success; `body` is what the API said, parsed as far as possible.
 *
 * A GraphQLError's message reaches clients, so it names the path of the call and not the rest of the URL:
 * the base may hold an internal host, the query a key. The whole address, still without its query, is in
 * `extensions.response`, which only hooks and logs see outside development.
 */
export function createResponseError(request: DataSourceRequest, response: Response, body: unknown): GraphQLError {
  const status = response.statusText === '' ? `${response.status}` : `${response.status}: ${response.statusText}`;
  const message = `${status} (${request.method} ${pathOf(request)})`;
  const extensions = {
    response: {
      url: withoutSecrets(response.url || request.url),
      method: request.method,
      status: response.status,
      statusText: response.statusText,
      body,
    },
  };

  if (response.status === 401) return new AuthenticationError(message, { extensions });
  if (response.status === 403) return new ForbiddenError(message, { extensions });
  return new GraphQLError(message, withCode('INTERNAL_SERVER_ERROR', { extensions }));
}

/** The error for a call that got no answer. No GraphQLError: clients see it masked. */
export function createNetworkError(request: DataSourceRequest, cause: unknown): Error {
  const code = codeOf(cause);
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  const error = new Error(`${request.method} ${withoutSecrets(request.url)} got no answer: ${reason}`, { cause });
  error.name = 'NetworkError';
  return code === undefined ? error : Object.assign(error, { code });
}

/** The error for a call that took longer than its `timeout`. */
export function createTimeoutError(request: DataSourceRequest, timeout: Milliseconds): Error {
  const error = new Error(`${request.method} ${withoutSecrets(request.url)} got no answer within ${timeout} ms`);
  error.name = 'TimeoutError';
  return error;
}

/** The error for a success that says it is JSON and is not. */
export function createJSONError(request: DataSourceRequest, cause: unknown): Error {
  return new Error(`${request.method} ${withoutSecrets(request.url)} answered with JSON that cannot be parsed`, { cause });
}

function withCode(code: string, options?: GraphQLErrorOptions): GraphQLErrorOptions {
  return { ...options, extensions: { code, ...options?.extensions } };
}

function pathOf(request: DataSourceRequest): string {
  return withoutSecrets(request.path).replace(/^https?:\/\/[^/]*/i, '') || '/';
}

/** fetch says "fetch failed" and hides the system's code (ECONNREFUSED, …) one level down. */
function codeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 3; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return undefined;
}
