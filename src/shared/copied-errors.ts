import { GraphQLError } from 'graphql';
import type { FormattedExecutionResult } from 'graphql';

import { withoutStacks } from './describe.ts';
import { isGraphQLError } from './is-graphql-error.ts';
import { deepCopyOf, isObjectLike } from './plain-object.ts';

/** The members of a GraphQLError that are used here. */
interface Thrown extends Error {
  readonly extensions?: unknown;
  readonly originalError?: unknown;
}

/**
 * Errors that belong to one operation. User code may throw the same error object for every request, so without a copy, what a hook
 * or `formatError` writes to it for one user would reach the next.
 */
const copied = new WeakSet<object>();

/** Marks an error as made for one operation: it needs no copy. */
export function markAsCopied<TError extends object>(error: TError): TError {
  copied.add(error);
  return error;
}

/** The errors of a result, shared with no other operation. graphql-js passes on an error of any library that has a list called `path`. */
export function copyErrorsForOperation(errors: readonly GraphQLError[]): readonly GraphQLError[] {
  if (errors.every((error) => copied.has(error))) return errors;
  return errors.map((error: Error) =>
    error instanceof Error && !isGraphQLError(error)
      ? withCopiedExtensions(new GraphQLError(error.message, { originalError: error }))
      : (copyErrorForOperation(error) as GraphQLError),
  );
}

/** A copy of an error that user code has thrown, unless it was made for this operation or has no extensions. */
export function copyErrorForOperation<TError extends Error>(error: TError): TError {
  // Version-3 hooks may throw any value.
  if (!isObjectLike(error) || copied.has(error) || !Object.hasOwn(error, 'extensions')) return error;
  return markAsCopied(copyOf(error));
}

/** A copy of what `formatError` returned: it may return the same object for all errors. */
export function copyFormattedError<TForm>(form: TForm): TForm {
  return form instanceof Error ? copyErrorForOperation(form) : deepCopyOf(form, maxCopied);
}

/** Copies the parts of an answer that hooks write to: all but its data. */
export function copyMutableParts(answer: FormattedExecutionResult): FormattedExecutionResult {
  const { errors, extensions } = answer;
  return {
    ...answer,
    ...(errors && { errors: errors.map(copyFormattedError) }),
    ...(extensions && { extensions: deepCopyOf(extensions) }),
  };
}

/** Copies the extensions of an error that was just made around a thrown error, because both may share them. */
export function withCopiedExtensions<TError extends Error>(error: TError): TError {
  const { extensions, originalError } = error as Thrown;
  const isShared = isObjectLike(extensions) && (originalError as Partial<Thrown> | null | undefined)?.extensions === extensions;
  if (isShared && !copied.has(error)) Reflect.set(error, 'extensions', copyOfExtensions(extensions));
  return markAsCopied(error);
}

/** An error of the same class with the same members. Private members cannot be copied. */
function copyOf<TError extends Error>(error: TError): TError {
  const copy = Object.setPrototypeOf(
    withoutStacks(() => new Error(error.message)),
    Object.getPrototypeOf(error) as object | null,
  ) as TError;
  const members = Object.getOwnPropertyDescriptors(error) as Record<string, PropertyDescriptor>;
  const extensions: unknown = members['extensions']?.value;
  if (isObjectLike(extensions)) members['extensions']!.value = copyOfExtensions(extensions);
  return Object.defineProperties(copy, members);
}

/** The maximum number of objects and lists that are copied in the extensions of an error. All others stay shared. */
const maxCopied = 1_000;

function copyOfExtensions<T extends object>(extensions: T): T {
  return Object.values(extensions).some(isObjectLike) ? deepCopyOf(extensions, maxCopied) : { ...extensions };
}
