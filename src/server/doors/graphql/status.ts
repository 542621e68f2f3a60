import { codeOf, httpExtensionOf, report } from '../../operation/errors.ts';
import type { HTTPExtension } from '../../operation/errors.ts';
import { describe } from '../../../shared/index.ts';
import type { Logger, OperationOutcome } from '../../operation/types.ts';
import type { ResponseMediaType } from '../accept.ts';

/**
 * The statuses and labels of answers.
 * - '2026-09': GraphQL over HTTP, edition of September 2026. 422 for a request that is understood but cannot be executed, 294 for a
 *   partial success as application/graphql-response+json, 404 for an unknown persisted query. Only successes are labeled application/json.
 * - 'classic': the statuses of servers before that edition, 400, 200 and 200, labeled as requested.
 */
export type HTTPStatusProfile = '2026-09' | 'classic';

export const defaultStatusProfile: HTTPStatusProfile = '2026-09';

/**
 * The status of an answer without data, by the code of its first error, in both profiles. Any other code: 422 or 400 if the request was
 * refused, else 500.
 */
const statuses: Readonly<Record<string, readonly [edition: number, classic: number]>> = {
  GRAPHQL_PARSE_FAILED: [400, 400],
  GRAPHQL_VALIDATION_FAILED: [422, 400],
  OPERATION_RESOLUTION_FAILURE: [422, 400],
  BAD_USER_INPUT: [422, 400],
  BAD_REQUEST: [400, 400],
  // 413 would be about the request.
  RESULT_TOO_LARGE: [400, 400],
  PERSISTED_QUERY_NOT_FOUND: [404, 200],
  PERSISTED_QUERY_NOT_SUPPORTED: [400, 200],
  UNAUTHENTICATED: [401, 401],
  FORBIDDEN: [403, 403],
  // google.rpc.Code uses the same status.
  DEADLINE_EXCEEDED: [504, 504],
  SERVICE_UNAVAILABLE: [503, 503],
  // Only hooks and logs see this status, which nginx uses, too.
  CLIENT_LEFT: [499, 499],
  INTERNAL_SERVER_ERROR: [500, 500],
};

/** The codes of errors from `context` that have another status than 500. */
const codesOfContext = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'DEADLINE_EXCEEDED', 'CLIENT_LEFT']);

/** Clients that ask for application/json, and proxies before them, may not know this status. */
const partialSuccess = 294;

/** The status of an answer: set by the user, else by its result or an error, else from the table. */
export function statusOf(outcome: OperationOutcome, profile: HTTPStatusProfile, mediaType: ResponseMediaType): number {
  const { errors, result, contextFailed, refused } = outcome;
  const isClassic = profile === 'classic';
  const set = statusSetBy(outcome);
  if (set !== undefined) return set;
  for (const error of errors) {
    const http = httpExtensionOf(error);
    const status = (isClassic ? http?.classicStatus : undefined) ?? http?.status;
    if (status !== undefined) return status;
  }
  if (result.data !== undefined)
    return errors.length > 0 && !isClassic && mediaType === 'application/graphql-response+json' ? partialSuccess : 200;
  const [first] = errors;
  if (first === undefined) return result.errors === undefined ? 200 : 500;
  const code = codeOf(first);
  // A context function that fails is not the client's fault, except for credentials.
  if (contextFailed === true && !codesOfContext.has(code)) return 500;
  // A code may be any string, such as "constructor".
  const known = Object.hasOwn(statuses, code) ? statuses[code] : refused === true ? ([422, 400] as const) : undefined;
  return known?.[isClassic ? 1 : 0] ?? 500;
}

/** The status that the user or a plugin has set. */
export function statusSetBy({ head, result }: OperationOutcome): number | undefined {
  return head.status ?? httpOf(result)?.status;
}

/** `extensions.http` of a result, which plugins may set. */
export function httpOf({ extensions }: OperationOutcome['result']): HTTPExtension | undefined {
  const http = extensions?.['http'];
  return typeof http === 'object' && http !== null ? http : undefined;
}

/**
 * Returns the media type of the label of an answer. The edition labels only successes application/json: the other type shows that the
 * server, and no proxy, made the answer (GraphQL over HTTP, "Status Codes").
 */
export function labelOf(status: number, profile: HTTPStatusProfile, mediaType: ResponseMediaType): ResponseMediaType {
  return status < 300 || profile === 'classic' ? mediaType : 'application/graphql-response+json';
}

/** Returns a final status. Logs any other status, for which platforms throw or answer 502, and returns 500. */
export function toFinalStatus(status: number, logger: Logger): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  report(logger, `Expected the status of a response to be from 200 to 599, got ${describe(status)}: 500 is sent.`, undefined);
  return 500;
}
