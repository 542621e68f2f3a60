import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';

import { Misfit } from '../../executor/index.ts';
import {
  copyErrorForOperation,
  cut,
  describe,
  isGraphQLError,
  markAsCopied,
  rootCause,
  withCopiedExtensions,
  isObjectLike,
} from '../../shared/index.ts';
import type { ErrorBehavior, ErrorCode, Logger } from './types.ts';
import type { ErrorHandling } from '../../executor/index.ts';

/** Converts anything thrown to a GraphQLError that no other operation has. Other errors become its `originalError`. */
export function toGraphQLError(thrown: unknown): GraphQLError {
  if (isGraphQLError(thrown)) return copyErrorForOperation(thrown);
  const originalError =
    thrown instanceof Error ? thrown : new Error(`Expected an Error to be thrown, got ${describe(thrown)}.`, { cause: thrown });
  return withCopiedExtensions(new GraphQLError(originalError.message, { originalError }));
}

/** Where errors of plugins were thrown, for the log. */
const places = new WeakMap<object, string>();

/** Remembers where a plugin has thrown an error. What is not an Error becomes one that says so. */
export function placed(thrown: unknown, place: string): Error {
  if (!(thrown instanceof Error)) return new TypeError(`Expected ${place} to throw an Error, got ${describe(thrown)}.`, { cause: thrown });
  places.set(thrown, place);
  return thrown;
}

export function placeOf(cause: unknown): string | undefined {
  return places.get(cause as object);
}

/** Copies a GraphQLError, so that no other operation has the same one. Returns everything else unchanged. */
export function copyThrown(thrown: unknown): unknown {
  return isGraphQLError(thrown) ? copyErrorForOperation(thrown) : thrown;
}

/** Converts anything thrown to the result of an operation. */
export function toErrors(thrown: unknown): ExecutionResult {
  return { errors: thrown instanceof DocumentError ? thrown.errors : [toGraphQLError(thrown)] };
}

/** Thrown when a document is not valid, with all of its validation errors. */
export class DocumentError extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'The document is not valid.');
    this.name = 'DocumentError';
    this.errors = errors;
  }
}

/** Creates a GraphQLError with a code. This library creates all errors that clients may read with it. */
export function createError(
  code: ErrorCode,
  message: string,
  options: { readonly extensions?: Record<string, unknown>; readonly cause?: unknown } = {},
): GraphQLError {
  const error = markAsCopied(new GraphQLError(message, { extensions: { code, ...options.extensions } }));
  if (options.cause !== undefined) error.cause = options.cause;
  return error;
}

/** Why the server ends work. */
type End = 'deadline' | 'disconnect';

/** The errors for work that the server has ended. A resolver may throw an error with the same code and message, but none of these. */
const ends = new WeakMap<object, End>();

function createEnd(end: End, code: ErrorCode, message: string): GraphQLError {
  const error = createError(code, message);
  ends.set(error, end);
  return error;
}

/** The error for what did not run because of the deadline. */
export function deadlineExceeded(): GraphQLError {
  return createEnd('deadline', 'DEADLINE_EXCEEDED', 'The deadline of the request passed before this could run.');
}

/** The error for what was running at the deadline. */
export function unfinishedAtDeadline(): GraphQLError {
  return createEnd('deadline', 'DEADLINE_EXCEEDED', 'The deadline of the request passed before this was finished. It may have run.');
}

/** The error for what was running when the client disconnected. */
export function clientLeft(): GraphQLError {
  return createEnd('disconnect', 'CLIENT_LEFT', 'The client disconnected before the answer was sent.');
}

/** Why the server ended the work that failed with this error, which may have been located. Undefined: it failed by itself. */
export function endOf(error: unknown): End | undefined {
  return ends.get(error as object) ?? ends.get((error as Partial<GraphQLError> | undefined)?.originalError as object);
}

/** Adds a code to an error without one, such as graphql-js's errors. */
export function withCode(error: GraphQLError, code: ErrorCode): GraphQLError {
  if (isUnexpected(error)) return markAsCopied(new InputError(error, code));
  if (error.extensions['code'] === undefined) error.extensions['code'] = code;
  return error;
}

/**
 * The error for a client's value that a scalar refused by throwing an ordinary error. It is the client's fault, as it would be with a
 * GraphQLError, but the message of that error may reveal more than the client should know.
 */
export class InputError extends GraphQLError {
  /** The message without that of the scalar's error. */
  readonly masked: string;

  constructor(error: GraphQLError, code: ErrorCode) {
    const { message, nodes, source, positions } = error;
    super(message, { nodes: nodes ?? null, source, positions, extensions: { code } });
    this.cause = rootCause(error);
    const end = message.search(foreignWords);
    this.masked = end === -1 ? 'A value of the request was refused.' : `${message.slice(0, end)}.`;
  }
}

/**
 * Where the message of another error can begin in a message of graphql-js 16 and 17, for literals and variables. Searching for that message
 * itself would not work: what was thrown may not be an Error, and only graphql-js knows how it was converted to text.
 */
const foreignWords = /, but encountered error "|, found |(?<=Expected type "\w+")\. /;

/** `extensions.http` of an error sets the status and headers of the response. It is never sent to the client as an extension. */
export interface HTTPExtension {
  readonly status?: number;
  /** The status if `httpStatusProfile` is 'classic'. Default: `status`. */
  readonly classicStatus?: number;
  readonly headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>;
}

/** Only an error that was thrown as a GraphQLError on purpose may set these: errors of any library can have `extensions`. */
export function httpExtensionOf(error: GraphQLError): HTTPExtension | undefined {
  if (isUnexpected(error)) return undefined;
  const http = error.extensions['http'];
  return isObjectLike(http) ? http : undefined;
}

/** The `extensions.code` that the client gets. */
export function codeOf(error: GraphQLError): string {
  const code = isUnexpected(error) ? undefined : error.extensions['code'];
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}

/** True for every error that was not thrown as a GraphQLError on purpose. */
export function isUnexpected(error: GraphQLError): boolean {
  if (error instanceof Misfit) return true;
  const original = error.originalError;
  if (original === undefined || original === null) return false;
  return isGraphQLError(original) ? original !== error && isUnexpected(original) : true;
}

/** Logs an error, or a text without a cause: some loggers print `undefined`. */
export function report(logger: Logger, text: string, cause: unknown): void {
  if (cause === undefined) logger.error(text);
  else logger.error(text, cause);
}

/** Logs a warning for an answer that is too large, or that misses parts because of the deadline and otherwise looks like a success. */
export function reportUnfinished(logger: Logger, errors: readonly GraphQLError[]): void {
  const tooLarge = errors.find(({ extensions }) => extensions['code'] === 'RESULT_TOO_LARGE');
  if (tooLarge !== undefined) logger.warn(cut(tooLarge.message));
  const late = errors.filter((error) => endOf(error) === 'deadline');
  if (late.length === 0) return;
  const paths = late.slice(0, 5).map(({ path }) => (path === undefined ? 'the whole operation' : cut(path.join('.'), maxPath)));
  const more = late.length > paths.length ? ` and ${late.length - paths.length} more` : '';
  logger.warn(`The deadline passed before this finished: ${paths.join(', ')}${more}.`);
}

/** Characters of a path in the log. */
export const maxPath = 200;

/** How the executor handles errors, for each value of `onError`. */
export const errorHandling: Readonly<Record<ErrorBehavior, ErrorHandling>> = {
  NULL: { propagates: false },
  PROPAGATE: { propagates: true },
  HALT: { halts: true },
};

/** All values of `onError`. */
export const errorBehaviors = Object.keys(errorHandling) as readonly ErrorBehavior[];
