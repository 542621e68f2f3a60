import type { GraphQLError } from 'graphql';

import { codeOf, describe, httpExtensionOf, report } from '../operation/errors.ts';
import type { Logger, OperationOutcome } from '../operation/types.ts';

/**
 * 'draft': the draft of GraphQL over HTTP of August 2026: statuses 422 and 294, and all but successes are labeled
 * application/graphql-response+json. 'default': 400 and 200, labeled as requested, as clients expect today.
 */
export type HTTPStatusProfile = 'default' | 'draft';

/** The status of an answer without data, by the code of its first error. Any other code: 500. */
const statusByCode: Readonly<Record<string, number>> = {
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  BAD_USER_INPUT: 400,
  BAD_REQUEST: 400,
  // 413 would be about the request.
  RESULT_TOO_LARGE: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  PERSISTED_QUERY_NOT_SUPPORTED: 200,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  // As in google.rpc.Code.
  DEADLINE_EXCEEDED: 504,
  SERVICE_UNAVAILABLE: 503,
  // For hooks and logs, as in nginx.
  CLIENT_LEFT: 499,
  INTERNAL_SERVER_ERROR: 500,
};
/** The codes that have 422 in the draft. */
const unprocessable = new Set(['GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE', 'BAD_USER_INPUT']);

/** The codes of errors from `context` that have another status than 500. */
const codesOfContext = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'DEADLINE_EXCEEDED']);

/** The status of an answer: set by the user, else by an error, else from the table. */
export function statusOf(outcome: OperationOutcome, profile: HTTPStatusProfile): number {
  const { head, errors } = outcome;
  return head.status ?? statusOfErrors(errors, profile) ?? statusOfResult(outcome, profile);
}

/** A final status; any other, for which platforms throw or answer 502, is logged and becomes 500. */
export function toFinalStatus(status: number, logger: Logger): number {
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  report(logger, `Expected the status of a response to be from 200 to 599, got ${describe(status)}: 500 is sent.`, undefined);
  return 500;
}

function statusOfResult({ result, errors, contextFailed }: OperationOutcome, profile: HTTPStatusProfile): number {
  // A partial success has a separate status in the draft.
  if (result.data !== undefined) return errors.length > 0 && profile === 'draft' ? 294 : 200;
  const [first] = errors;
  if (first === undefined) return result.errors === undefined ? 200 : 500;
  const code = codeOf(first);
  // A context function that fails is not the client's fault, except for credentials.
  if (contextFailed === true && !codesOfContext.has(code)) return 500;
  if (profile === 'draft' && unprocessable.has(code)) return 422;
  // A code may be any string, such as "constructor".
  return (Object.hasOwn(statusByCode, code) ? statusByCode[code] : undefined) ?? 500;
}

/** The first status that an error sets in `extensions.http`. */
function statusOfErrors(errors: readonly GraphQLError[], profile: HTTPStatusProfile): number | undefined {
  for (const error of errors) {
    const http = httpExtensionOf(error);
    const status = (profile === 'draft' ? http?.draftStatus : undefined) ?? http?.status;
    if (status !== undefined) return status;
  }
  return undefined;
}
