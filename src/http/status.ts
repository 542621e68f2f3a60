import type { GraphQLError } from 'graphql';

import { codeOf, httpExtensionOf } from '../operation/errors.ts';
import type { OperationOutcome } from '../operation/types.ts';

/**
 * 'draft': the 2026 draft of GraphQL over HTTP, in its state of August: statuses 422 and 294, and whatever is not a success is
 * labelled application/graphql-response+json. 'default': 400 and 200, labelled as asked for, as clients expect today.
 */
export type HTTPStatusProfile = 'default' | 'draft';

interface Statuses {
  readonly default: number;
  readonly draft: number;
}

/** Status of an answer in which nothing was executed, by the code of its first error. Any other code: 500. */
const statusByCode: Readonly<Record<string, Statuses>> = {
  GRAPHQL_PARSE_FAILED: { default: 400, draft: 400 },
  GRAPHQL_VALIDATION_FAILED: { default: 400, draft: 422 },
  OPERATION_RESOLUTION_FAILURE: { default: 400, draft: 422 },
  BAD_USER_INPUT: { default: 400, draft: 422 },
  BAD_REQUEST: { default: 400, draft: 400 },
  // Of what was asked for, not of what was sent: 413 would be about the request.
  RESULT_TOO_LARGE: { default: 400, draft: 400 },
  PERSISTED_QUERY_NOT_FOUND: { default: 200, draft: 200 },
  PERSISTED_QUERY_NOT_SUPPORTED: { default: 200, draft: 200 },
  UNAUTHENTICATED: { default: 401, draft: 401 },
  FORBIDDEN: { default: 403, draft: 403 },
  // As google.rpc.Code has it; 503 would be a server that cannot take requests, this one just took too long.
  DEADLINE_EXCEEDED: { default: 504, draft: 504 },
  SERVICE_UNAVAILABLE: { default: 503, draft: 503 },
  // The client is gone: this is for hooks and logs, in nginx's word for it.
  CLIENT_LEFT: { default: 499, draft: 499 },
  INTERNAL_SERVER_ERROR: { default: 500, draft: 500 },
};

const executed: Statuses = { default: 200, draft: 200 };
/** Partial success: a status of its own in the draft, whatever the media type. */
const executedWithErrors: Statuses = { default: 200, draft: 294 };
const failed: Statuses = { default: 500, draft: 500 };
/** The codes with which `context` may answer with another status than 500. */
const codesOfContext = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'DEADLINE_EXCEEDED']);

/**
 * The status of one operation's answer: what the user set, else what an error asks for, else the table. A number that
 * is not a final status counts as 500: platforms throw for it, or answer 502.
 */
export function statusOf(outcome: OperationOutcome, profile: HTTPStatusProfile): number {
  const status = outcome.head.status ?? statusOfErrors(outcome.errors, profile) ?? statusOfResult(outcome)[profile];
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500;
}

function statusOfResult({ result, errors, contextFailed }: OperationOutcome): Statuses {
  if (result.data !== undefined) return errors.length > 0 ? executedWithErrors : executed;
  const [first] = errors;
  if (first === undefined) return result.errors === undefined ? executed : failed;
  const code = codeOf(first);
  // Whatever code a context function gives its error, the request that it failed for was not at fault, save for its credentials.
  if (contextFailed === true && !codesOfContext.has(code)) return failed;
  // A code may be any text, "constructor" included.
  return (Object.hasOwn(statusByCode, code) ? statusByCode[code] : undefined) ?? failed;
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
