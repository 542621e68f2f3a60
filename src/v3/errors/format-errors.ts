import { GraphQLError } from 'graphql';
import type { GraphQLFormattedError } from 'graphql';

import { copyErrorForOperation, copyFormattedError } from '../../shared/index.ts';
import { ApolloError, hide } from './apollo-error.ts';

/** The option `formatError`: receives the error with `originalError`, and returns what is sent, or an Error. */
export type FormatError = (error: GraphQLError) => GraphQLFormattedError | Error;

/** Settings for formatting errors. */
export interface FormatOptions {
  readonly formatter?: FormatError | undefined;
  /** Add `extensions.exception.stacktrace`. */
  readonly debug?: boolean | undefined;
  /** The formatter sees the stack trace even without `debug`; it is removed from what the formatter returns. */
  readonly showStacks?: boolean | undefined;
}

/** An error object can be sent as a formatted error: fields that are undefined are left out of JSON. */
type Formatted = GraphQLError & GraphQLFormattedError;
type AnyError = Partial<GraphQLError> & { readonly name?: string };

/** Thrown errors → errors to send: each with a code, with `exception` if there is one, and formatted by `formatError`. */
export function formatApolloErrors(errors: readonly Error[], options: FormatOptions = {}): GraphQLFormattedError[] {
  const { formatter, debug = false, showStacks = false } = options;
  const isShown = debug || (showStacks && formatter !== undefined);
  const enriched = errors.map((error) => enrich(copyErrorForOperation(error) as AnyError, isShown));
  if (formatter === undefined) return enriched as Formatted[];
  const formatted = enriched.map((error) => formatWith(formatter, error, debug));
  return isShown && !debug ? formatted.map(withoutStack) : formatted;
}

function withoutStack(error: GraphQLFormattedError): GraphQLFormattedError {
  const { exception, ...extensions } = error?.extensions ?? {};
  if (typeof exception !== 'object' || exception === null || !('stacktrace' in exception)) return error;
  const { stacktrace: _, ...rest } = exception;
  const { message, locations, path, ...others } = error;
  const kept = Object.keys(rest).length > 0 ? { ...extensions, exception: rest } : extensions;
  return { message, ...(locations && { locations }), ...(path && { path }), ...others, extensions: kept };
}

/** The error of a failing formatter is not formatted again. Its message is sent only with `debug`. */
function formatWith(formatter: FormatError, error: GraphQLError, debug: boolean): GraphQLFormattedError {
  try {
    return printable(formatter(error));
  } catch (failure) {
    const shown = debug ? (failure as AnyError) : fromGraphQLError(new GraphQLError('Internal server error'));
    return enrich(shown as AnyError, debug) as Formatted;
  }
}

/** The message of an Error is not enumerable, so JSON would leave it out. */
function printable(error: GraphQLFormattedError | Error): GraphQLFormattedError {
  if (!(error instanceof Error)) return copyFormattedError(error);
  const { message, locations, path, extensions } = copyErrorForOperation(error) as unknown as GraphQLFormattedError;
  return { message, ...(locations && { locations }), ...(path && { path }), ...(extensions && { extensions }) };
}

/** A copy of the error with the same class, a code, and the original error as `extensions.exception`. */
function enrich(error: AnyError, debug: boolean): GraphQLError {
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Record<string, unknown>;
  for (const key of hidden) hide(copy, key, error[key]);
  hide(copy, 'stack', error.stack);
  Object.assign(copy, {
    message: error.message,
    locations: error.locations ?? undefined,
    path: error.path ?? undefined,
    extensions: extensionsOf(error, debug),
  });
  return copy as unknown as GraphQLError;
}

const hidden = ['name', 'nodes', 'source', 'positions', 'originalError'] as const;

function extensionsOf({ extensions = {}, originalError, stack }: AnyError, debug: boolean): Record<string, unknown> {
  const { exception: given, ...rest } = extensions as Record<string, unknown>;
  const { extensions: _hoisted, ...exception } = Object.assign({}, given, originalError) as unknown as Record<string, unknown>;
  if (debug && !exception['stacktrace']) exception['stacktrace'] = (originalError?.stack ?? stack)?.split('\n');
  const coded = { ...rest, code: rest['code'] || 'INTERNAL_SERVER_ERROR' };
  return Object.keys(exception).length > 0 ? { ...coded, exception } : coded;
}

/** Options of {@link fromGraphQLError}. */
export interface ErrorOptions {
  /** Default: ApolloError */
  readonly errorClass?: (new (message: string) => ApolloError) | undefined;
}

/** An error of graphql-js → one of the version-3 classes, with its locations. */
export function fromGraphQLError(error: Error, { errorClass = ApolloError }: ErrorOptions = {}): ApolloError {
  const copy = new errorClass(error.message);
  for (const [key, value] of Object.entries(error)) if (key !== 'extensions') copy[key] = value;
  copy.extensions = { ...copy.extensions, ...(error as AnyError).extensions };
  copy.extensions['code'] ||= 'INTERNAL_SERVER_ERROR';
  hide(copy, 'originalError', hiddenCopy(error));
  return copy;
}

/** A copy whose properties are not enumerable, so that `exception` does not repeat them. */
function hiddenCopy(error: Error): object {
  const copy = {};
  for (const key of Object.getOwnPropertyNames(error)) hide(copy, key, (error as unknown as Record<string, unknown>)[key]);
  return copy;
}
