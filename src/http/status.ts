import type { GraphQLError } from 'graphql';

import { httpExtensionOf } from '../operation/errors.ts';
import type { OperationOutcome } from '../operation/run.ts';
import type { ResponseMediaType } from './accept.ts';

/** 'draft': the statuses 422 and 294 of the 2026 draft of GraphQL over HTTP. 'default': 400 and 200, as clients expect today. */
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
  PERSISTED_QUERY_NOT_FOUND: { default: 200, draft: 200 },
  PERSISTED_QUERY_NOT_SUPPORTED: { default: 200, draft: 200 },
  UNAUTHENTICATED: { default: 401, draft: 401 },
  FORBIDDEN: { default: 403, draft: 403 },
  INTERNAL_SERVER_ERROR: { default: 500, draft: 500 },
};

const executed: Statuses = { default: 200, draft: 200 };
/** Partial success: a status of its own in the draft, with the newer media type only. */
const executedWithErrors: Statuses = { default: 200, draft: 294 };
const failed: Statuses = { default: 500, draft: 500 };

/** The status of one operation's answer: what the user set, else what an error asks for, else the table. */
export function statusOf(outcome: OperationOutcome, profile: HTTPStatusProfile, mediaType: ResponseMediaType): number {
  return outcome.head.status ?? statusOfErrors(outcome.errors, profile) ?? statusOfResult(outcome, mediaType)[profile];
}

function statusOfResult({ result, errors }: OperationOutcome, mediaType: ResponseMediaType): Statuses {
  if (result.data !== undefined)
    return errors.length > 0 && mediaType === 'application/graphql-response+json' ? executedWithErrors : executed;
  if (errors.length === 0 && result.errors === undefined) return executed;
  return statusByCode[String(errors[0]?.extensions['code'] ?? 'INTERNAL_SERVER_ERROR')] ?? failed;
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
