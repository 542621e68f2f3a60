import type { ExecutionResult, FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';

import { copyErrorsForOperation, copyFormattedError, describe, isRecord } from '../../shared/index.ts';
import { Causes } from './error-id.ts';
import type { ErrorMarks } from './error-id.ts';
import { InputError, isUnexpected, toGraphQLError } from './errors.ts';
import { cut, ErrorAllowance } from './limits/error-allowance.ts';
import { at, report, reportInput, reportUnexpected, reportUpstream } from './log-errors.ts';
import type { Logger } from './types.ts';

/** Decides how an error is sent. Gets the formatted error, which would be sent otherwise, and the error as it was thrown. */
export type FormatError = (formattedError: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** What clients see of errors. */
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
  // `errors` first, so that people who read the answer notice them, as section 7.1 recommends.
  return { errors: formatErrors(settings, thrown, { allowance, causes }), ...rest };
}

/** Formats as many errors as the answer may have. If there are more, a last error says how many. */
function formatErrors(
  settings: ErrorSettings,
  errors: readonly GraphQLError[],
  { allowance, causes: known }: Pick<Formatting, 'allowance'> & { readonly causes: Causes | undefined },
): GraphQLFormattedError[] {
  const copies = copyErrorsForOperation(errors);
  const causes = known ?? new Causes(copies);
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

/** Formats one error for the client, and logs it if it is unexpected. */
function formatGraphQLError(settings: ErrorSettings, error: GraphQLError, { allowance, causes }: Formatting): GraphQLFormattedError {
  const marks = isUnexpected(error) ? causes.marksOf(error) : undefined;
  const { isFirst, more } = causes.take(error);
  if (isFirst) {
    if (marks === undefined && error instanceof InputError) reportInput(settings, error, allowance);
    else if (marks === undefined) reportUpstream(settings, error, { allowance, more });
    else if (allowance.takeLine()) {
      const { errorId, errorHash } = marks;
      reportUnexpected(settings.logger, `Unexpected error ${errorId} (errorHash ${errorHash})${at(error)}${more}`, error);
    }
  }

  const formatted = marks !== undefined && settings.maskErrors ? maskedForm(error, marks) : visibleForm(settings, error);
  // The stack of a syntax or validation error shows only graphql-js: noise to the author of the request.
  const isOfCode = marks !== undefined || error.path !== undefined;
  const shown = settings.includeStacktrace && isOfCode ? withStacktrace(formatted, error) : formatted;
  return settings.formatError === undefined ? shown : copyFormattedError(assertFormatted(settings.formatError(shown, error)));
}

/** A `formatError` that forgets `return`, or is asynchronous, would send an error without a message. */
function assertFormatted(formatted: unknown): GraphQLFormattedError {
  if (isRecord(formatted) && !('then' in formatted)) return formatted as unknown as GraphQLFormattedError;
  if (formatted instanceof Promise) formatted.catch(() => {});
  throw new TypeError(`Expected formatError to return an error like { message, extensions }, got ${describe(formatted)}.`);
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
  // User code may have set another value.
  const message = String(settings.maskErrors && error instanceof InputError ? error.masked : ((error.message as unknown) ?? ''));
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
