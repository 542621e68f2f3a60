import { GraphQLError } from 'graphql';

import { HeaderMap, reasonPhrases } from '../../shared/index.ts';
import type { HTTPResponse } from '../../shared/index.ts';

export const jsonType = 'application/json';
export const problemType = 'application/problem+json';

/** The members of a problem (RFC 9457 section 3.1), beside `type`, `title` and `status`. */
export interface Problem {
  readonly detail: string;
  readonly code: unknown;
  readonly errors?: unknown;
  readonly data?: unknown;
}

/** Writes a problem. `headers`: fields of the response, to which the problem's own fields are added. */
export function problem(status: number, { detail, code, errors, data }: Problem, headers: HeaderMap = new HeaderMap()): HTTPResponse {
  if (status === 401 && !headers.has('www-authenticate')) headers.set('www-authenticate', 'Bearer');
  const title = reasonPhrases[status] ?? 'Error';
  const known = { code: typeof code === 'string' ? code : undefined, errors, data: data ?? undefined };
  return json(status, { type: 'about:blank', title, status, detail, ...known }, headers, problemType);
}

/** Writes a value as JSON. A response without content has no body. */
export function json(status: number, value: unknown, headers: HeaderMap, mediaType: string = jsonType): HTTPResponse {
  headers.set('content-type', mediaType === jsonType ? `${jsonType}; charset=utf-8` : mediaType);
  headers.set('x-content-type-options', 'nosniff');
  const isEmpty = status === 204 || status === 205;
  if (isEmpty) headers.delete('content-type');
  return { status, headers, body: isEmpty ? null : JSON.stringify(value) };
}

/** A refusal of a request that cannot be read. */
export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
}
