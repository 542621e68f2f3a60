import { GraphQLError } from 'graphql';
import type { ExecutionResult, FormattedExecutionResult, GraphQLFormattedError } from 'graphql';

import { describe } from '../message/describe.ts';
import { noteOwn, ownError, ownErrors, ownForm, withOwnExtensions } from '../message/own-errors.ts';
import { isRecord } from '../message/plain-object.ts';
import { cut, ErrorAllowance, loggable } from './limits/error-allowance.ts';
import type { ErrorCode, Logger } from './types.ts';

export { describe };

/** Decides the final form of an error. Gets the form that is about to be sent and the error as it was thrown. */
export type FormatError = (formattedError: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** How errors become visible to a client. */
export interface ErrorSettings {
  /** Replace the text of unexpected errors. */
  readonly maskErrors: boolean;
  /** Add `extensions.stacktrace`. */
  readonly includeStacktrace: boolean;
  /** Leave `extensions.response`, an upstream server's answer, in what the client gets. */
  readonly exposeUpstreamErrors: boolean;
  readonly formatError?: FormatError | undefined;
  readonly logger: Logger;
}

/** The result as the client gets it: unexpected errors masked and logged, every error with a code, then `formatError`. */
export function formatResult(
  settings: ErrorSettings,
  result: ExecutionResult,
  allowance: ErrorAllowance = new ErrorAllowance(),
): FormattedExecutionResult {
  if (result.errors === undefined) return result as FormattedExecutionResult;
  // The specification (section 7.1) allows no empty list.
  if (result.errors.length === 0) return withoutErrors(result);
  const { errors: thrown, ...rest } = result;
  // `errors` first, as the GraphQL specification (section 7.1) recommends for humans who read the answer.
  return { errors: formatErrors(settings, thrown, allowance), ...rest };
}

/** As many as the answer may have; how many more there are is said by one more. */
function formatErrors(settings: ErrorSettings, errors: readonly GraphQLError[], allowance: ErrorAllowance): GraphQLFormattedError[] {
  const formatted = allowance.fitAll(ownErrors(errors), (error) => formatGraphQLError(settings, error, allowance));
  const unlogged = allowance.takeUnlogged();
  if (unlogged > 0) report(settings.logger, `${unlogged} or more unexpected errors of the same request are not logged.`, undefined);
  return formatted;
}

/** The result of what failed while a result was made, formatError for one: it is not asked about that. */
export function formatFailure(settings: ErrorSettings, thrown: unknown): FormattedExecutionResult {
  return formatResult({ ...settings, formatError: undefined }, { errors: [toGraphQLError(thrown)] });
}

function withoutErrors({ data, extensions }: ExecutionResult): FormattedExecutionResult {
  return { ...(data !== undefined && { data }), ...(extensions && { extensions }) };
}

/** One error as the client gets it. */
function formatGraphQLError(settings: ErrorSettings, error: GraphQLError, allowance: ErrorAllowance): GraphQLFormattedError {
  const unexpected = isUnexpected(error);
  const errorId = unexpected ? createErrorId() : undefined;
  if (!unexpected) reportUpstream(settings, error, allowance);
  else if (allowance.takeLine()) reportUnexpected(settings.logger, `Unexpected error ${errorId}${at(error)}`, error);

  const formatted = unexpected && settings.maskErrors ? maskedForm(error, errorId) : visibleForm(settings, error);
  // Errors of the request itself have the stack of a parser: noise to the author of the request.
  const isOfCode = unexpected || error.path !== undefined;
  const shown = settings.includeStacktrace && isOfCode ? withStacktrace(formatted, error) : formatted;
  return settings.formatError === undefined ? shown : ownForm(assertFormatted(settings.formatError(shown, error)));
}

/** A `formatError` without a `return`, or an asynchronous one, would send an error without a message. */
function assertFormatted(formatted: unknown): GraphQLFormattedError {
  if (isRecord(formatted) && !('then' in formatted)) return formatted as unknown as GraphQLFormattedError;
  if (formatted instanceof Promise) formatted.catch(() => {});
  throw new TypeError(`Expected formatError to return an error like { message, extensions }, got ${describe(formatted)}.`);
}

function reportUnexpected(logger: Logger, text: string, error: GraphQLError): void {
  const cause = rootCause(error);
  // The console prints the cause in the same line, its message first. Other loggers may print the text alone.
  const isSaid = logger === console && cause instanceof Error && cause.message === error.message;
  report(logger, isSaid ? text : `${text}: ${cut(error.message)}${upstreamOf(error)}`, loggable(cause));
}

/** Reports the failure of an upstream API, where the client is not told: its message names neither the call nor the answer. */
function reportUpstream({ logger, exposeUpstreamErrors }: ErrorSettings, error: GraphQLError, allowance: ErrorAllowance): void {
  const upstream = exposeUpstreamErrors ? '' : upstreamOf(error);
  if (upstream === '' || codeOf(error) !== 'INTERNAL_SERVER_ERROR') return;
  if (allowance.takeLine()) report(logger, `Upstream error${at(error)}: ${cut(error.message)}${upstream}`, loggable(rootCause(error)));
}

/** The address of the upstream call that an error is about, for the log; "" where it is about none. */
function upstreamOf({ extensions }: GraphQLError): string {
  const url = (extensions['response'] as { readonly url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' && url !== '' ? ` (${cut(url)})` : '';
}

const fallback: Logger = console;

/** A logger that fails must not take the answer with it, nor those of a batch's neighbours. */
export function report(logger: Logger, message: string, cause: unknown): void {
  try {
    if (cause === undefined) logger.error(message);
    else logger.error(message, cause);
  } catch (failure) {
    fallback.error('The logger failed.', failure, message, cause);
  }
}

/** A GraphQLError that was thrown, as one that no other operation has. All else as it is. */
export function ownThrown(thrown: unknown): unknown {
  return isGraphQLError(thrown) ? ownError(thrown) : thrown;
}

/** Whatever was thrown, as a GraphQLError of this operation alone. What is not one already becomes its `originalError`. */
export function toGraphQLError(thrown: unknown): GraphQLError {
  if (isGraphQLError(thrown)) return ownError(thrown);
  const originalError =
    thrown instanceof Error ? thrown : new Error(`Expected an Error to be thrown, got ${describe(thrown)}.`, { cause: thrown });
  return withOwnExtensions(new GraphQLError(originalError.message, { originalError }));
}

/** True for a GraphQLError of any copy of graphql. */
export function isGraphQLError(thrown: unknown): thrown is GraphQLError {
  if (thrown instanceof GraphQLError) return true;
  // A subclass has a name of its own, but no other error has positions.
  if (!(thrown instanceof Error) || !('extensions' in thrown) || !(thrown.name === 'GraphQLError' || 'positions' in thrown)) return false;
  return typeof thrown.extensions === 'object' && thrown.extensions !== null;
}

/** A GraphQLError with a code: the one way in which this library makes errors that a client may read. */
export function createError(
  code: ErrorCode,
  message: string,
  options: { readonly extensions?: Record<string, unknown>; readonly cause?: unknown } = {},
): GraphQLError {
  const error = noteOwn(new GraphQLError(message, { extensions: { code, ...options.extensions } }));
  if (options.cause !== undefined) error.cause = options.cause;
  return error;
}

const tooLate = 'There was no more time for this: the deadline of the request has come.';

/** The time of the request is up. */
export function deadlineExceeded(): GraphQLError {
  return createError('DEADLINE_EXCEEDED', tooLate);
}

/** Tells the owner of the schema of an answer that is too large, or of which a part came too late and which looks like a success: in one line. */
export function reportUnfinished(logger: Logger, errors: readonly GraphQLError[]): void {
  const tooLarge = errors.find(({ extensions }) => extensions['code'] === 'RESULT_TOO_LARGE');
  if (tooLarge !== undefined) logger.warn(cut(tooLarge.message));
  const late = errors.filter(({ message }) => message === tooLate);
  if (late.length === 0) return;
  const paths = late.slice(0, 5).map(({ path }) => (path === undefined ? 'the whole operation' : cut(path.join('.'), maxPath)));
  const more = late.length > paths.length ? ` and ${late.length - paths.length} more` : '';
  logger.warn(`The deadline came before this was finished: ${paths.join(', ')}${more}.`);
}

/** The same error with a code, unless it has one. graphql-js gives none to what it reports itself. */
export function withCode(error: GraphQLError, code: ErrorCode): GraphQLError {
  if (isUnexpected(error)) return noteOwn(new InputError(error, code));
  if (error.extensions['code'] === undefined) error.extensions['code'] = code;
  return error;
}

/**
 * A value of the client's that a scalar of the schema refused by an ordinary error: the client's fault, not the server's,
 * as GraphQL errors from there are. The words of that error may still say more than a client should know.
 */
class InputError extends GraphQLError {
  /** The message without the words of that error. */
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
 * Where in a message of graphql-js (16 and 17, of literals and of variables) the words of another error can begin. The words are not looked
 * for themselves: they may come from a value that was no Error, in a form that only graphql-js knows.
 */
const foreignWords = /, but encountered error "|, found |(?<=Expected type "\w+")\. /;

/** Thrown when a document does not validate: all that is wrong with it at once. */
export class DocumentError extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super(errors[0]?.message ?? 'The document is not valid.');
    this.name = 'DocumentError';
    this.errors = errors;
  }
}

/** `extensions.http` of an error: asks for a status or for headers. It never reaches the client as an extension. */
export interface HTTPExtension {
  readonly status?: number;
  /** The status where `httpStatusProfile` is 'draft', if it differs. */
  readonly draftStatus?: number;
  readonly headers?: Iterable<readonly [string, string]> | Readonly<Record<string, string>>;
}

/** Only an error that was thrown as a GraphQLError on purpose may shape the response: any library's error can have `extensions`. */
export function httpExtensionOf(error: GraphQLError): HTTPExtension | undefined {
  if (isUnexpected(error)) return undefined;
  const http = error.extensions['http'];
  return typeof http === 'object' && http !== null ? http : undefined;
}

/** The `extensions.code` that a client is told. */
export function codeOf(error: GraphQLError): string {
  const code = isUnexpected(error) ? undefined : error.extensions['code'];
  return typeof code === 'string' ? code : 'INTERNAL_SERVER_ERROR';
}

/**
 * Unexpected is every error that was not thrown as a GraphQLError on purpose. Also a resolver's value that does not fit its type:
 * graphql-js throws a GraphQLError there, but not on purpose, and its message may hold the value itself.
 */
function isUnexpected(error: GraphQLError): boolean {
  if (error.path !== undefined && misfit.test(error.message) && error.extensions['code'] === undefined) return true;
  const original = error.originalError;
  if (original === undefined || original === null) return false;
  return isGraphQLError(original) ? original !== error && isUnexpected(original) : true;
}

const misfit =
  /^(?:(?:Int|Float|String|Boolean|ID|Enum "\w+") cannot represent |Expected value of type "\w+" but got: |Expected Iterable, but did not find one |Abstract type "\w+" (?:must resolve|was resolved) to |Runtime Object type "\w+" is not a possible type )/;

function rootCause(error: GraphQLError): unknown {
  const original = error.originalError;
  if (original === undefined || original === null || original === error) return error;
  return isGraphQLError(original) ? rootCause(original) : original;
}

function maskedForm(error: GraphQLError, errorId: string | undefined): GraphQLFormattedError {
  return {
    message: 'Internal server error',
    ...(error.locations ? { locations: error.locations } : {}),
    ...(error.path ? { path: error.path } : {}),
    extensions: { code: 'INTERNAL_SERVER_ERROR', errorId },
  };
}

function visibleForm(settings: ErrorSettings, error: GraphQLError): GraphQLFormattedError {
  const { http: _forTheTransport, response, ...extensions } = error.extensions;
  const message = settings.maskErrors && error instanceof InputError ? error.masked : error.message;
  return {
    // An error of the request itself quotes the request.
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

function withStacktrace(formatted: GraphQLFormattedError, error: GraphQLError): GraphQLFormattedError {
  const cause = rootCause(error);
  const stack = cause instanceof Error ? cause.stack : error.stack;
  return { ...formatted, extensions: { ...formatted.extensions, stacktrace: stack?.split('\n') ?? [] } };
}

/** Characters of a path in the log. */
const maxPath = 200;

function at(error: GraphQLError): string {
  return error.path === undefined ? '' : ` at ${cut(error.path.join('.'), maxPath)}`;
}

/** Ties an answer to a log line. No secret: node:crypto would cost a cold start 3.5 ms for nothing. */
function createErrorId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
}
