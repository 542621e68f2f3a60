import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import { HeaderMap } from '../message/header-map.ts';
import type { HTTPResponse } from '../message/http-response.ts';
import { formatResult, httpExtensionOf, toGraphQLError } from '../operation/errors.ts';
import type { ErrorSettings } from '../operation/errors.ts';
import type { OperationOutcome } from '../operation/run.ts';
import type { ResponseMediaType } from './accept.ts';
import { statusOf } from './status.ts';
import type { HTTPStatusProfile } from './status.ts';

/** How an outcome becomes a response. */
export interface ResponseSettings {
  readonly httpStatusProfile: HTTPStatusProfile;
}

/** One operation's outcome → its response. */
export function toHTTPResponse(settings: ResponseSettings, outcome: OperationOutcome, mediaType: ResponseMediaType): HTTPResponse {
  const { head, result } = outcome;
  addErrorHeaders(head.headers, outcome.errors);
  if (!isCacheable(outcome)) forbidStoring(head.headers, outcome.errors);
  return respond(statusOf(outcome, settings.httpStatusProfile, mediaType), head.headers, mediaType, JSON.stringify(result));
}

/** The outcomes of a batch → one response: an array in the same order, whatever became of the elements. */
export function toBatchResponse(
  settings: ErrorSettings,
  outcomes: readonly OperationOutcome[],
  mediaType: ResponseMediaType,
): HTTPResponse {
  const headers = new HeaderMap();
  for (const { head, errors } of outcomes) {
    addErrorHeaders(head.headers, errors);
    for (const [name, value] of head.headers) {
      if (name === 'set-cookie') headers.append(name, value);
      else headers.set(name, value);
    }
  }
  // One element's cache-control says nothing about its neighbours.
  headers.set('cache-control', 'no-store');
  return respond(200, headers, mediaType, `[${outcomes.map(({ result }) => stringifyElement(settings, result)).join(',')}]`);
}

function respond(status: number, headers: HeaderMap, mediaType: ResponseMediaType, body: string): HTTPResponse {
  headers.set('content-type', `${mediaType}; charset=utf-8`);
  headers.append('vary', 'Accept');
  return { status, headers, body };
}

/** A BigInt or a cycle that a custom scalar let through fails its own element, not its neighbours: hence a catch of its own. */
function stringifyElement(settings: ErrorSettings, result: FormattedExecutionResult): string {
  try {
    return JSON.stringify(result);
  } catch (error) {
    return JSON.stringify(formatResult({ ...settings, formatError: undefined }, { errors: [toGraphQLError(error)] }));
  }
}

/** `extensions.http.headers` of errors. */
function addErrorHeaders(headers: HeaderMap, errors: readonly GraphQLError[]): void {
  for (const error of errors) {
    const asked = httpExtensionOf(error)?.headers;
    if (asked === undefined) continue;
    for (const [name, value] of new HeaderMap(asked)) {
      if (name === 'set-cookie') headers.append(name, value);
      else headers.set(name, value);
    }
  }
}

/** What a store between here and the client may keep, if the user says so: the whole answer to a query. */
function isCacheable({ result, operationType }: OperationOutcome): boolean {
  return result.errors === undefined && operationType === 'query';
}

/** Also against a header the user has set: a stored error or mutation would be answered to somebody else. */
function forbidStoring(headers: HeaderMap, errors: readonly GraphQLError[]): void {
  const persistedQueryMiss = errors.some(
    (error) => error.extensions['code'] === 'PERSISTED_QUERY_NOT_FOUND' || error.extensions['code'] === 'PERSISTED_QUERY_NOT_SUPPORTED',
  );
  headers.set('cache-control', persistedQueryMiss ? 'private, no-cache, must-revalidate' : 'no-store');
}
