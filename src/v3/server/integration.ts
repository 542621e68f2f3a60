import type { IncomingMessage } from 'node:http';

import { HeaderMap } from '../../shared/index.ts';
import { readHeaders } from '../../server/for-v3.ts';
import { HttpQueryError } from '../errors/apollo-error.ts';
import { preventCSRF } from '../http/csrf.ts';
import { graphqlError, runHttpQuery as run } from '../http/run-http-query.ts';
import type { QueryOptions } from '../http/run-http-query.ts';
import type { HTTPRequestHead, ValueOrPromise } from '../types.ts';
import { completeOptions } from './query-options.ts';
import type { GraphQLServerOptions } from './query-options.ts';

// Functions for projects that integrate a host themselves, exported as in version 3.

/** The options of a request, or a function that makes them. */
// Any: the arguments are whatever the host passes as `handlerArguments`.
export type GraphQLOptionsSource = GraphQLServerOptions | ((...args: any[]) => ValueOrPromise<GraphQLServerOptions>);

/** A request whose body, or query string, has been read. */
export interface HttpQueryRequest {
  method: string;
  /** The body of a POST, else the query parameters. */
  query: Record<string, any> | Record<string, any>[];
  options: GraphQLOptionsSource;
  request: HTTPRequestHead;
}

/** The answer: a JSON text, its status and header fields. */
export interface HttpQueryResponse {
  graphqlResponse: string;
  responseInit: { headers?: Record<string, string>; status?: number };
}

/** The options of a request: `options` itself, or what it returns for `args`. */
export async function resolveGraphqlOptions(options: GraphQLOptionsSource, ...args: any[]): Promise<GraphQLServerOptions> {
  return typeof options === 'function' ? options(...args) : options;
}

/** The method, URL and header fields of a request of node:http, for {@link HttpQueryRequest}. */
export function convertNodeHttpToRequest(request: IncomingMessage): HTTPRequestHead {
  return { url: request.url ?? '/', method: request.method ?? 'GET', headers: readHeaders(request.headers) };
}

/**
 * Answers a request for a custom host. Rejects with an {@link HttpQueryError} when no operation ran; send its `statusCode`,
 * `headers` and `message`.
 */
export async function runHttpQuery(
  handlerArguments: readonly any[],
  { method, query, options, request }: HttpQueryRequest,
  csrfPreventionRequestHeaders?: readonly string[] | null,
): Promise<HttpQueryResponse> {
  const headers = request.headers instanceof HeaderMap ? request.headers : new HeaderMap([...request.headers]);
  if (csrfPreventionRequestHeaders) preventCSRF(headers, csrfPreventionRequestHeaders);
  const answered = await run({
    method,
    query,
    head: { url: request.url, method: request.method, headers },
    options: () => optionsFor(options, handlerArguments),
    invocation: undefined,
  });
  const { status, body } = answered;
  const fields = { 'Content-Type': 'application/json', ...fieldsOf(answered.headers) };
  if (answered.isRefused) throw new HttpQueryError(status, body, true, fields);
  return { graphqlResponse: body, responseInit: { headers: fields, ...(status !== 200 && { status }) } };
}

async function optionsFor(options: GraphQLOptionsSource, handlerArguments: readonly any[]): Promise<QueryOptions> {
  let resolved: GraphQLServerOptions;
  try {
    resolved = await resolveGraphqlOptions(options, ...handlerArguments);
  } catch (error) {
    throw graphqlError(500, [error as Error], { formatError: undefined, debug: false, showStacks: false });
  }
  return completeOptions(resolved);
}

/** Several cookies are a list, as `response.setHeader` takes it. Joined they would be one invalid cookie. */
function fieldsOf(headers: HeaderMap): Record<string, string> {
  const cookies = headers.getSetCookie();
  const record = headers.toRecord();
  return cookies.length === 0 ? record : { ...record, 'set-cookie': (cookies.length === 1 ? cookies[0] : cookies) as string };
}
