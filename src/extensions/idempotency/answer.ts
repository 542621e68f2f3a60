import { GraphQLError } from 'graphql';
import type { FormattedExecutionResult } from 'graphql';

import { byteLength, isRecord, parseExactly } from '../../shared/index.ts';
import { codeOf, httpExtensionOf } from '../../server/for-extensions.ts';
import type { OperationExecution, HTTPExtension, OperationOutcome } from '../../server/index.ts';

/** A stored answer, in JSON. It has no header fields, because they may be cookies. */
interface StoredAnswer {
  readonly result: FormattedExecutionResult;
  /** The status that `context` or a plugin has set. */
  readonly status?: number | undefined;
  /** The code of the first error as it was thrown: `formatError` may have removed it, and it may decide the status. */
  readonly code?: string | undefined;
  /** The status that an error sets. */
  readonly http?: Pick<HTTPExtension, 'status' | 'classicStatus'> | undefined;
}

/** The result without the status and the header fields that it would set: they may be cookies. */
function withoutHTTP(result: FormattedExecutionResult): FormattedExecutionResult {
  if (result.extensions?.['http'] === undefined) return result;
  const { extensions, ...rest } = result;
  const { http: _, ...others } = extensions;
  return { ...rest, ...(Object.keys(others).length > 0 && { extensions: others }) };
}

/** Undefined if the answer is too large, or cannot be written as JSON: then the client gets an error. */
export function toStoredAnswer({ result, head, errors: [first, ...others] }: OperationOutcome, maxBytes: number): string | undefined {
  const set = result.extensions?.['http'] as HTTPExtension | undefined;
  const http = [first, ...others].map((error) => error && httpExtensionOf(error)).find((one) => one?.status ?? one?.classicStatus);
  const answer: StoredAnswer = {
    result: withoutHTTP(result),
    status: head.status ?? set?.status,
    code: first && codeOf(first),
    http: http && { status: http.status!, classicStatus: http.classicStatus! },
  };
  try {
    const text = JSON.stringify(answer);
    return byteLength(text) > maxBytes ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The outcome of a stored answer: the same status and bytes. */
export function toReplay(text: string, { response, operation, document, source, batchIndex }: OperationExecution): OperationOutcome {
  const { result: stored, status, code, http } = (parseExactly(text) ?? {}) as StoredAnswer;
  if (!isRecord(stored)) throw new Error('The stored answer does not have the form of an answer.');
  // Another program may write to the store, and a header field may be a cookie.
  const result = withoutHTTP(stored);
  response.status = status;
  // In a batch, a header field would apply to all elements.
  if (batchIndex === undefined) response.headers.set('idempotent-replayed', 'true');
  return {
    result,
    errors:
      code === undefined
        ? []
        : toErrors(result, { code, ...(http && { http: { status: http.status, classicStatus: http.classicStatus } }) }),
    head: response,
    operation,
    document,
    source,
    executed: false,
  };
}

/** Creates the errors for other plugins and for the status. They set no header fields. */
function toErrors({ errors }: FormattedExecutionResult, first: Readonly<Record<string, unknown>>): readonly GraphQLError[] {
  const formatted = errors ?? [{ message: 'Removed by a plugin.' }];
  return formatted.map(
    ({ message, path, extensions }, at) =>
      new GraphQLError(message, { path: path ?? null, extensions: { ...extensions, http: undefined, ...(at === 0 && first) } }),
  );
}
