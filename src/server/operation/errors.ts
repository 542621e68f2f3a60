import { GraphQLError } from 'graphql';
import type { ASTNode, ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql';

import { Misfit } from '../../executor/index.ts';
import {
  describe,
  guardLogger,
  isGraphQLError,
  isRecord,
  markAsCopied,
  copyErrorForOperation,
  copyErrorsForOperation,
  copyFormattedError,
  withCopiedExtensions,
} from '../../shared/index.ts';
import { generalMessage } from './documents/schema-names.ts';
import { Causes, rootCause, shownMarks } from './error-marks.ts';
import type { ErrorMarks } from './error-marks.ts';
import { cut, ErrorAllowance, loggable } from './limits/error-allowance.ts';
import type { ErrorCode, Logger } from './types.ts';

export { describe, isGraphQLError };

/** Decides how an error is sent. Gets the formatted error, which would be sent otherwise, and the error as it was thrown. */
export type FormatError = (formattedError: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** What clients see of errors. */
export interface ErrorSettings {
  /** Hide the messages of unexpected errors. */
  readonly maskErrors: boolean;
  /** Add `extensions.errorHash` to masked errors, and the hash to their log lines. */
  readonly errorHash?: boolean | undefined;
  /** Add `extensions.stacktrace`. */
  readonly includeStacktrace: boolean;
  /** Send `extensions.response`, the answer of an upstream server, to the client. */
  readonly exposeUpstreamErrors: boolean;
  /** False: leave names of the schema out of errors about values of the request. */
  readonly schemaInErrors?: boolean | undefined;
  readonly formatError?: FormatError | undefined;
  readonly logger: Logger;
}

/** Formats a result for the client: masks and logs unexpected errors, gives every error a code, then calls `formatError`. */
export function formatResult(
  settings: ErrorSettings,
  result: ExecutionResult,
  allowance: ErrorAllowance = new ErrorAllowance(),
): FormattedExecutionResult {
  if (result.errors === undefined) return result as FormattedExecutionResult;
  // The specification (section 7.1) allows no empty list.
  if (result.errors.length === 0) return withoutErrors(result);
  const { errors: thrown, ...rest } = result;
  // `errors` first, so that people who read the answer notice them, as section 7.1 recommends.
  return { errors: formatErrors(settings, thrown, allowance), ...rest };
}

/** Formats as many errors as the answer may have. If there are more, a last error says how many. */
function formatErrors(settings: ErrorSettings, errors: readonly GraphQLError[], allowance: ErrorAllowance): GraphQLFormattedError[] {
  const copies = copyErrorsForOperation(errors);
  const causes = new Causes(copies);
  const formatted = allowance.fitAll(copies, (error) => formatGraphQLError(settings, error, { allowance, causes }));
  const unlogged = allowance.takeUnlogged();
  if (unlogged > 0) report(settings.logger, `${unlogged} or more unexpected errors of the same request are not logged.`, undefined);
  return formatted;
}

interface Formatting {
  readonly allowance: ErrorAllowance;
  readonly causes: Causes;
}

/** The result when formatting itself failed. Does not call `formatError`, which may be what failed. */
export function formatFailure(settings: ErrorSettings, thrown: unknown): FormattedExecutionResult {
  return formatResult({ ...settings, formatError: undefined }, { errors: [toGraphQLError(thrown)] });
}

function withoutErrors({ data, extensions }: ExecutionResult): FormattedExecutionResult {
  return { ...(data !== undefined && { data }), ...(extensions && { extensions }) };
}

/** Formats one error for the client, and logs it if it is unexpected. */
function formatGraphQLError(settings: ErrorSettings, error: GraphQLError, { allowance, causes }: Formatting): GraphQLFormattedError {
  const unexpected = isUnexpected(error);
  const { marks, isFirst, more } = causes.take(error, unexpected && settings.errorHash === true);
  if (isFirst) {
    if (!unexpected) reportUpstream(settings, error, { allowance, more });
    else if (allowance.takeLine()) reportUnexpected(settings.logger, `Unexpected error ${shownMarks(marks)}${at(error)}${more}`, error);
  }

  const formatted = unexpected && settings.maskErrors ? maskedForm(error, marks) : visibleForm(settings, error);
  // The stack of a syntax or validation error shows only graphql-js: noise to the author of the request.
  const isOfCode = unexpected || error.path !== undefined;
  const shown = settings.includeStacktrace && isOfCode ? withStacktrace(formatted, error) : formatted;
  return settings.formatError === undefined ? shown : copyFormattedError(assertFormatted(settings.formatError(shown, error)));
}

/** A `formatError` that forgets `return`, or is asynchronous, would send an error without a message. */
function assertFormatted(formatted: unknown): GraphQLFormattedError {
  if (isRecord(formatted) && !('then' in formatted)) return formatted as unknown as GraphQLFormattedError;
  if (formatted instanceof Promise) formatted.catch(() => {});
  throw new TypeError(`Expected formatError to return an error like { message, extensions }, got ${describe(formatted)}.`);
}

function reportUnexpected(logger: Logger, text: string, error: GraphQLError): void {
  const cause = rootCause(error);
  // The console prints the cause with its message. Other loggers may print only the text.
  const isPrinted = logger === guardLogger(console) && cause instanceof Error && cause.message === error.message;
  report(logger, isPrinted ? text : `${text}: ${cut(error.message)}${upstreamOf(error)}`, loggable(cause));
}

/** Logs the failure of an upstream API if the client does not see it: the error's message names neither the call nor the answer. */
function reportUpstream(
  { logger, exposeUpstreamErrors }: ErrorSettings,
  error: GraphQLError,
  { allowance, more }: { readonly allowance: ErrorAllowance; readonly more: string },
): void {
  const upstream = exposeUpstreamErrors ? '' : upstreamOf(error);
  if (upstream === '' || codeOf(error) !== 'INTERNAL_SERVER_ERROR') return;
  if (allowance.takeLine())
    report(logger, `Upstream error${at(error)}${more}: ${cut(error.message)}${upstream}`, loggable(rootCause(error)));
}

/** The URL of the upstream call that failed, for the log; "" if the error is not about one. */
function upstreamOf({ extensions }: GraphQLError): string {
  const url = (extensions['response'] as { readonly url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' && url !== '' ? ` (${cut(url)})` : '';
}

/** Logs an error, or a text without a cause: some loggers print `undefined`. */
export function report(logger: Logger, text: string, cause: unknown): void {
  if (cause === undefined) logger.error(text);
  else logger.error(text, cause);
}

/** Copies a GraphQLError, so that no other operation has the same one. Returns everything else unchanged. */
export function copyThrown(thrown: unknown): unknown {
  return isGraphQLError(thrown) ? copyErrorForOperation(thrown) : thrown;
}

/** Converts anything thrown to a GraphQLError that no other operation has. Other errors become its `originalError`. */
export function toGraphQLError(thrown: unknown): GraphQLError {
  if (isGraphQLError(thrown)) return copyErrorForOperation(thrown);
  const originalError =
    thrown instanceof Error ? thrown : new Error(`Expected an Error to be thrown, got ${describe(thrown)}.`, { cause: thrown });
  return withCopiedExtensions(new GraphQLError(originalError.message, { originalError }));
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

const notStarted = 'The deadline of the request passed before this could run.';
const notFinished = 'The deadline of the request passed before this was finished. It may have run.';

/** The error for what did not run because of the deadline. */
export function deadlineExceeded(): GraphQLError {
  return createError('DEADLINE_EXCEEDED', notStarted);
}

/** The error for what was running at the deadline. */
export function unfinishedAtDeadline(): GraphQLError {
  return createError('DEADLINE_EXCEEDED', notFinished);
}

/** Logs a warning for an answer that is too large, or that misses parts because of the deadline and otherwise looks like a success. */
export function reportUnfinished(logger: Logger, errors: readonly GraphQLError[]): void {
  const tooLarge = errors.find(({ extensions }) => extensions['code'] === 'RESULT_TOO_LARGE');
  if (tooLarge !== undefined) logger.warn(cut(tooLarge.message));
  const late = errors.filter(({ message }) => message === notStarted || message === notFinished);
  if (late.length === 0) return;
  const paths = late.slice(0, 5).map(({ path }) => (path === undefined ? 'the whole operation' : cut(path.join('.'), maxPath)));
  const more = late.length > paths.length ? ` and ${late.length - paths.length} more` : '';
  logger.warn(`The deadline passed before this finished: ${paths.join(', ')}${more}.`);
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
class InputError extends GraphQLError {
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
  return typeof http === 'object' && http !== null ? http : undefined;
}

/** The `extensions.code` that the client gets. */
export function codeOf(error: GraphQLError): string {
  const code = isUnexpected(error) ? undefined : error.extensions['code'];
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}

/** True for every error that was not thrown as a GraphQLError on purpose. */
function isUnexpected(error: GraphQLError): boolean {
  if (error instanceof Misfit) return true;
  const original = error.originalError;
  if (original === undefined || original === null) return false;
  return isGraphQLError(original) ? original !== error && isUnexpected(original) : true;
}

function maskedForm(error: GraphQLError, marks: ErrorMarks): GraphQLFormattedError {
  return {
    message: 'Internal server error',
    ...(error.locations ? { locations: error.locations } : {}),
    ...(error.path ? { path: error.path } : {}),
    extensions: { code: 'INTERNAL_SERVER_ERROR', ...marks },
  };
}

function visibleForm(settings: ErrorSettings, error: GraphQLError): GraphQLFormattedError {
  const { http: _notSent, response, ...extensions } = error.extensions;
  const message = visibleMessage(settings, error);
  return {
    // An error without a path may quote the request.
    message: error.path === undefined ? cut(message) : message,
    ...(error.locations ? { locations: error.locations } : {}),
    ...(error.path ? { path: error.path } : {}),
    extensions: {
      code: 'INTERNAL_SERVER_ERROR',
      ...extensions,
      ...(response !== undefined && settings.exposeUpstreamErrors ? { response } : {}),
    },
  };
}

function visibleMessage({ maskErrors, schemaInErrors }: ErrorSettings, error: GraphQLError): string {
  const [node] = error.nodes ?? [];
  if (schemaInErrors === false && isOfInput(error, node)) return generalMessage(node);
  // User code may have set another value.
  return String(maskErrors && error instanceof InputError ? error.masked : ((error.message as unknown) ?? ''));
}

/** True for an error about a variable, or about an argument of a field: those of resolvers are at the field itself. */
function isOfInput({ path }: GraphQLError, node: ASTNode | undefined): boolean {
  return node !== undefined && (path === undefined ? node.kind === 'VariableDefinition' : node.kind !== 'Field');
}

function withStacktrace(formatted: GraphQLFormattedError, error: GraphQLError): GraphQLFormattedError {
  const cause = rootCause(error);
  const { stack = '' } = cause instanceof Error ? cause : error;
  const lines = stack.split('\n');
  const stacktrace = [...lines.filter((line) => !isPackageFrame(line)), ...lines.filter(isPackageFrame)];
  return { ...formatted, extensions: { ...formatted.extensions, stacktrace } };
}

/** Lines of a stack that follow those of the user's code. */
function isPackageFrame(line: string): boolean {
  return /^\s+at .*(?:node:|[\\/]node_modules[\\/])/.test(line);
}

/** Characters of a path in the log. */
const maxPath = 200;

function at(error: GraphQLError): string {
  return error.path === undefined ? '' : ` at ${cut(error.path.join('.'), maxPath)}`;
}
