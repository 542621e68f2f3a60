import { GraphQLError } from 'graphql';
import type { FormattedExecutionResult } from 'graphql';

import { byteLength, isRecord, parseExactly } from '../../shared/index.ts';
import type { OperationExecution, HTTPExtension, OperationOutcome } from '../../server/index.ts';

/** A stored answer, in JSON. It has no header fields, because they may be cookies. */
interface StoredAnswer {
  readonly result: FormattedExecutionResult;
  /** The status; undefined if it is 200, or follows from the media type. */
  readonly status?: number | undefined;
}

/** The result without the status and the header fields that it would set: they may be cookies. */
function withoutHTTP(result: FormattedExecutionResult): FormattedExecutionResult {
  if (result.extensions?.['http'] === undefined) return result;
  const { extensions, ...rest } = result;
  const { http: _, ...others } = extensions;
  return { ...rest, ...(Object.keys(others).length > 0 && { extensions: others }) };
}

/** Returns the text to store; undefined if the answer is too large, or cannot be written as JSON, so that the client gets an error. */
export function toStoredAnswer(outcome: OperationOutcome, { call }: OperationExecution, maxBytes: number): string | undefined {
  const { result, head } = outcome;
  const set = head.status ?? (result.extensions?.['http'] as HTTPExtension | undefined)?.status;
  const chosen = call.statusOf(outcome);
  const answer: StoredAnswer = { result: withoutHTTP(result), status: set ?? (chosen === 200 ? undefined : chosen) };
  try {
    const text = JSON.stringify(answer);
    return byteLength(text) > maxBytes ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * The outcome of a stored answer: the same status and bytes. Status and header field are part of the result, so that they do not apply if a
 * plugin or the deadline replaces the answer.
 */
export function toReplay(text: string, { response, operation, document, source, batchIndex }: OperationExecution): OperationOutcome {
  const { result, status } = (parseExactly(text) ?? {}) as StoredAnswer;
  const isStatus = status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599);
  if (!isRecord(result) || !isStatus) throw new Error('The stored answer does not have the form of an answer.');
  // In a batch, a header field would apply to all elements.
  const http = { status, headers: batchIndex === undefined ? { 'idempotent-replayed': 'true' } : undefined };
  return {
    // Another program may write to the store, and a header field may be a cookie.
    result: { ...result, extensions: { ...(result.extensions as object), http } },
    errors: toErrors(result),
    head: response,
    operation,
    document,
    source,
    executed: false,
  };
}

/** Creates the errors for other plugins. They set no header fields. */
function toErrors({ errors = [] }: FormattedExecutionResult): readonly GraphQLError[] {
  return errors.map(
    ({ message, path, extensions }) => new GraphQLError(message, { path: path ?? null, extensions: { ...extensions, http: undefined } }),
  );
}
