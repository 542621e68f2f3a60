import type { GraphQLError } from 'graphql';

import { codeOf, httpExtensionOf } from '../operation/errors.ts';
import type { OperationOutcome } from '../operation/types.ts';

/**
 * 'draft': the 2026 draft of GraphQL over HTTP, in its state of August: statuses 422 and 294, and whatever is not a success is
 * labelled application/graphql-response+json. 'default': 400 and 200, labelled as asked for, as clients expect today.
 */
export type HTTPStatusProfile = 'default' | 'draft';

/** Status of an answer in which nothing was executed, by the code of its first error. Any other code: 500. */
const statusByCode: Readonly<Record<string, number>> = {
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  OPERATION_RESOLUTION_FAILURE: 400,
  BAD_USER_INPUT: 400,
  BAD_REQUEST: 400,
  // Of what was asked for, not of what was sent: 413 would be about the request.
  RESULT_TOO_LARGE: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  PERSISTED_QUERY_NOT_SUPPORTED: 200,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  // As google.rpc.Code has it; 503 would be a server that cannot take requests, this one just took too long.
  DEADLINE_EXCEEDED: 504,
  SERVICE_UNAVAILABLE: 503,
  // The client is gone: this is for hooks and logs, in nginx's word for it.
  CLIENT_LEFT: 499,
  INTERNAL_SERVER_ERROR: 500,
};
/** The codes that the draft gives 422 to, among those of 400. */
const unprocessable = new Set(['GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE', 'BAD_USER_INPUT']);

/** The codes with which `context` may answer with another status than 500. */
const codesOfContext = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'DEADLINE_EXCEEDED']);

/**
 * The status of one operation's answer: what the user set, else what an error asks for, else the table. A number that
 * is not a final status counts as 500: platforms throw for it, or answer 502.
 */
export function statusOf(outcome: OperationOutcome, profile: HTTPStatusProfile): number {
  const { head, errors, result } = outcome;
  // Most answers are whole, and nobody has asked for another status.
  if (errors.length === 0 && head.status === undefined && result.data !== undefined) return 200;
  const status = head.status ?? statusOfErrors(errors, profile) ?? statusOfResult(outcome, profile);
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
}

function statusOfResult({ result, errors, contextFailed }: OperationOutcome, profile: HTTPStatusProfile): number {
  // Partial success has a status of its own in the draft, whatever the media type.
  if (result.data !== undefined) return errors.length > 0 && profile === 'draft' ? 294 : 200;
  const [first] = errors;
  if (first === undefined) return result.errors === undefined ? 200 : 500;
  const code = codeOf(first);
  // Whatever code a context function gives its error, the request that it failed for was not at fault, save for its credentials.
  if (contextFailed === true && !codesOfContext.has(code)) return 500;
  if (profile === 'draft' && unprocessable.has(code)) return 422;
  // A code may be any text, "constructor" included.
  return (Object.hasOwn(statusByCode, code) ? statusByCode[code] : undefined) ?? 500;
}

/** The first status that an error asks for through `extensions.http`. */
function statusOfErrors(errors: readonly GraphQLError[], profile: HTTPStatusProfile): number | undefined {
  for (const error of errors) {
    const http = httpExtensionOf(error);
    const status = (profile === 'draft' ? http?.draftStatus : undefined) ?? http?.status;
    if (status !== undefined) return status;
  }
  return undefined;
}
