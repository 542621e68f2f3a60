import type { ExecutionResult, FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

import {
  copyErrorsForOperation,
  copyFormattedError,
  cut,
  describe,
  guardLogger,
  isRecord,
  rootCause,
  rememberErrorHash,
  sha256,
  getOrCreate,
} from '../../shared/index.ts';
import { InputError, codeOf, isUnexpected, placeOf, toGraphQLError, maxPath, report } from './errors.ts';
import { ErrorAllowance, loggable } from './limits/error-allowance.ts';
import type { Logger } from './types.ts';

/** Decides how an error is sent. Gets the formatted error, which would be sent otherwise, and the error as it was thrown. */
export type FormatError = (formattedError: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** The settings for the errors that clients see. */
export interface ErrorSettings {
  /** Hide the messages of unexpected errors. */
  readonly maskErrors: boolean;
  /** Add `extensions.stacktrace`. */
  readonly includeStacktrace: boolean;
  /** Send `extensions.response`, the answer of an upstream server, to the client. */
  readonly exposeUpstreamErrors: boolean;
  readonly formatError?: FormatError | undefined;
  readonly logger: Logger;
}

/**
 * Formats a result for the client: masks and logs unexpected errors, gives every error a code, then calls `formatError`. `causes`: those of
 * several results that are sent together.
 */
export function formatResult(
  settings: ErrorSettings,
  result: ExecutionResult,
  allowance: ErrorAllowance = new ErrorAllowance(),
  causes?: Causes,
): FormattedExecutionResult {
  if (result.errors === undefined) return result as FormattedExecutionResult;
  const { errors: thrown, ...rest } = result;
  // The specification (section 7.1) allows no empty list.
  if (thrown.length === 0) return rest as FormattedExecutionResult;
  const copies = copyErrorsForOperation(thrown);
  const known = causes ?? new Causes(copies);
  // Keeps as many errors as the answer may have. If there are more, a last error says how many.
  const errors = allowance.fitAll(copies, (error) => formatGraphQLError(settings, error, known, allowance));
  // `errors` first, so that people who read the answer notice them, as section 7.1 recommends.
  return { errors, ...rest };
}

/** Returns the result when formatting itself has failed. Does not call `formatError`, which may be the cause. */
export function formatFailure(settings: ErrorSettings, thrown: unknown): FormattedExecutionResult {
  return formatResult({ ...settings, formatError: undefined }, { errors: [toGraphQLError(thrown)] });
}

/** Formats one error for the client, and logs it if it is unexpected. */
function formatGraphQLError(
  settings: ErrorSettings,
  error: GraphQLError,
  causes: Causes,
  allowance: ErrorAllowance,
): GraphQLFormattedError {
  const { isFirst, marks, more } = causes.take(error, isUnexpected(error));
  if (isFirst) logError(settings, error, { marks, more, allowance });
  const formatted = marks !== undefined && settings.maskErrors ? maskedForm(error, marks) : visibleForm(settings, error);
  // The stack of a syntax or validation error shows only graphql-js: noise to the author of the request.
  const isOfCode = marks !== undefined || error.path !== undefined;
  const shown = settings.includeStacktrace && isOfCode ? withStacktrace(formatted, error) : formatted;
  return settings.formatError === undefined ? shown : copyFormattedError(assertFormatted(settings.formatError(shown, error)));
}

/** An error to format, with the facts about it. */
interface FormattedError {
  /** The marks of an unexpected error; undefined if the error was thrown as a GraphQLError on purpose. */
  readonly marks: ErrorMarks | undefined;
  /** How many other fields its cause has failed. */
  readonly more: string;
  readonly allowance: ErrorAllowance;
}

/**
 * Logs the parts of an error that the client does not see: an unexpected error, the failure of an upstream API, or the reason why a scalar
 * refused a value.
 */
function logError(
  { logger, maskErrors, exposeUpstreamErrors }: ErrorSettings,
  error: GraphQLError,
  { marks, more, allowance }: FormattedError,
): void {
  if (marks === undefined && error instanceof InputError) {
    if (maskErrors && allowance.takeLine(logger)) logger.warn(`A scalar refused a value of the client: ${cut(error.message)}`);
    return;
  }
  const upstream = upstreamOf(error);
  if (marks === undefined && (exposeUpstreamErrors || upstream === '' || codeOf(error) !== 'INTERNAL_SERVER_ERROR')) return;
  if (!allowance.takeLine(logger)) return;
  const cause = rootCause(error);
  // The console prints the cause with its message. Other loggers may print only the text.
  const isPrinted = marks !== undefined && logger === guardLogger(console) && cause instanceof Error && cause.message === error.message;
  const what = marks === undefined ? 'Upstream error' : `Unexpected error ${marks.errorId} (errorHash ${marks.errorHash})`;
  const place = placeOf(cause);
  const at = error.path === undefined ? (place === undefined ? '' : ` in ${place}`) : ` at ${cut(error.path.join('.'), maxPath)}`;
  report(logger, `${what}${at}${more}${isPrinted ? '' : `: ${cut(error.message)}${upstream}`}`, loggable(cause));
}

/** The URL of the upstream call that failed, for the log; "" if the error is not about one. */
function upstreamOf({ extensions }: GraphQLError): string {
  const url = (extensions['response'] as { readonly url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' && url !== '' ? ` (${cut(url)})` : '';
}

/** A `formatError` that forgets `return`, or is asynchronous, would send an error without a message. */
function assertFormatted(formatted: unknown): GraphQLFormattedError {
  if (isRecord(formatted) && !('then' in formatted)) return formatted as unknown as GraphQLFormattedError;
  if (formatted instanceof Promise) formatted.catch(() => {});
  throw new TypeError(`Expected formatError to return an error like { message, extensions }, got ${describe(formatted)}.`);
}

function maskedForm(error: GraphQLError, marks: ErrorMarks): GraphQLFormattedError {
  return { message: 'Internal server error', ...placeIn(error), extensions: { code: 'INTERNAL_SERVER_ERROR', ...marks } };
}

/** The place of an error in the document and in the response. */
function placeIn({ locations, path }: GraphQLError): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  return { ...(locations && { locations }), ...(path && { path }) };
}

function visibleForm(settings: ErrorSettings, error: GraphQLError): GraphQLFormattedError {
  const { http: _notSent, response, ...extensions } = error.extensions;
  // User code may have set another value.
  const message = String(settings.maskErrors && error instanceof InputError ? error.masked : ((error.message as unknown) ?? ''));
  return {
    // An error without a path may quote the request.
    message: error.path === undefined ? cut(message) : message,
    ...placeIn(error),
    extensions: {
      code: 'INTERNAL_SERVER_ERROR',
      ...extensions,
      ...(response !== undefined && settings.exposeUpstreamErrors ? { response } : {}),
    },
  };
}

function withStacktrace(formatted: GraphQLFormattedError, error: GraphQLError): GraphQLFormattedError {
  // graphql-js gives an error the stack of the original one.
  const lines = (error.stack ?? '').split('\n');
  const stacktrace = [...lines.filter((line) => !isPackageFrame(line)), ...lines.filter(isPackageFrame)];
  return { ...formatted, extensions: { ...formatted.extensions, stacktrace } };
}

/** Lines of a stack that follow those of the user's code. */
function isPackageFrame(line: string): boolean {
  return /^\s+at .*(?:node:|[\\/]node_modules[\\/])/.test(line);
}

/** Two ids that link an answer's masked error to its log line, and to the log lines of equal errors. */
export interface ErrorMarks {
  readonly errorId: string;
  /** 8 hexadecimal digits that are the same for errors that differ only in the values that their messages name. */
  readonly errorHash: string;
}

interface KnownCause {
  count: number;
  isTaken: boolean;
  marks: ErrorMarks | undefined;
}

/** The causes of an answer's errors. One cause can fail many fields: it is logged once, and has one id. */
export class Causes {
  readonly #known = new Map<unknown, KnownCause>();
  /** The hashes of the texts: a thousand rows may fail in the same way. */
  readonly #hashes = new Map<string, string>();

  constructor(errors: readonly GraphQLError[]) {
    for (const cause of errors.map(rootCause))
      getOrCreate(this.#known, cause, () => ({ count: 0, isTaken: false, marks: undefined })).count++;
  }

  /**
   * `isFirst`: nothing has been logged about it yet. `more`: how many other fields it has failed, for the log. `marks`: those of an unexpected
   * error.
   */
  take(
    error: GraphQLError,
    hasMarks: boolean,
  ): { readonly isFirst: boolean; readonly more: string; readonly marks: ErrorMarks | undefined } {
    const cause = rootCause(error);
    const known = this.#known.get(cause)!;
    const isFirst = !known.isTaken;
    known.isTaken = true;
    if (hasMarks) known.marks ??= { errorId: createErrorId(), errorHash: this.#hashOf(cause) };
    return { isFirst, more: known.count > 1 ? ` and ${known.count - 1} more` : '', marks: hasMarks ? known.marks : undefined };
  }

  #hashOf(cause: unknown): string {
    const text = `${textOf(cause, 'name')}: ${textOf(cause, 'message').replaceAll(varying, '')}`;
    const hash = getOrCreate(this.#hashes, text, () => sha256(text).slice(0, 8));
    rememberErrorHash(cause, hash);
    return hash;
  }
}

/** Links an answer to a log line. Need not be unguessable, and loading node:crypto would add 3.5 ms to a cold start. */
function createErrorId(): string {
  return Date.now().toString(36) + Math.random().toString(36).slice(2, 10);
}

/** The most characters of a name and of a message that count, so that hashing takes a limited time. */
const maxCharacters = 1_000;

/**
 * Matches the parts that differ between equal failures: quoted parts, UUIDs, runs of 8 or more hexadecimal digits, and numbers with their sign, fraction,
 * thousands and exponent. A quote without an end reaches to the end of the text, which may have been cut. An apostrophe within a word, as
 * in "can't", quotes nothing.
 */
const varying =
  /"(?:[^"\\]|\\[^]?)*"?|`(?:[^`\\]|\\[^]?)*`?|(?<!\w)'(?:[^'\\]|\\[^]?)*'?|[-+]?(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{8,}|\.?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?)/gi;

/** User code may have set another value, or a getter that throws. */
function textOf(cause: unknown, name: 'name' | 'message'): string {
  try {
    const value: unknown = (cause as Error)[name];
    return typeof value === 'string' ? value.slice(0, maxCharacters) : '';
  } catch {
    return '';
  }
}
