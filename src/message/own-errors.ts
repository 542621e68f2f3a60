import { withoutStacks } from './describe.ts';
import { deepCopyOf } from './plain-object.ts';

/** A GraphQLError, as far as it is read here. */
interface Thrown extends Error {
  readonly extensions?: unknown;
  readonly originalError?: unknown;
  readonly path?: unknown;
}

/**
 * Errors that were made, or copied, for one operation. Code throws one error object again and again: what a hook or `formatError` notes
 * there for one user, the next would read.
 */
const own = new WeakSet<object>();

/** Notes that an error was made for one operation. */
export function noteOwn<TError extends object>(error: TError): TError {
  own.add(error);
  return error;
}

/**
 * The errors of a result, as no other operation has them. graphql-js has made most of them, around what was thrown: to copy each would
 * take as long as to make it.
 */
export function ownErrors<TError extends Error>(errors: readonly TError[]): readonly TError[] {
  if (errors.every((error) => own.has(error))) return errors;
  return errors.map((error) => (isMadeAround(error) ? withOwnExtensions(error) : ownError(error)));
}

/** An error that code of the user has thrown: a copy, unless it was made for this operation, or has no extensions. */
export function ownError<TError extends Error>(error: TError): TError {
  // A hook of version 3 may throw anything.
  if (typeof error !== 'object' || error === null || own.has(error) || !Object.hasOwn(error, 'extensions')) return error;
  return noteOwn(copyOf(error));
}

/** What a function of the user has made of an error: it may return the same for all. */
export function ownForm<TForm>(form: TForm): TForm {
  return form instanceof Error ? ownError(form) : deepCopyOf(form, maxCopied);
}

/** An error that was just made around what was thrown, whose extensions it may have. */
export function withOwnExtensions<TError extends Error>(error: TError): TError {
  const { extensions, originalError } = error as Thrown;
  const isShared = isObject(extensions) && (originalError as Partial<Thrown> | null | undefined)?.extensions === extensions;
  if (isShared && !own.has(error)) Reflect.set(error, 'extensions', copyOfExtensions(extensions));
  return noteOwn(error);
}

/** True for an error that graphql-js has made. One that has a path already it hands on. */
function isMadeAround(error: Error): boolean {
  const { originalError, path } = error as Thrown;
  return isObject(originalError) && Array.isArray(path) && !Array.isArray((originalError as Partial<Thrown>).path);
}

/** An error of the same class with the same members. Private members cannot be copied. */
function copyOf<TError extends Error>(error: TError): TError {
  const copy = Object.setPrototypeOf(
    withoutStacks(() => new Error(error.message)),
    Object.getPrototypeOf(error) as object | null,
  ) as TError;
  const members = Object.getOwnPropertyDescriptors(error) as Record<string, PropertyDescriptor>;
  const extensions: unknown = members['extensions']?.value;
  if (isObject(extensions)) members['extensions']!.value = copyOfExtensions(extensions);
  return Object.defineProperties(copy, members);
}

/** Objects and lists in the extensions of an error that are copied. What comes after them stays shared. */
const maxCopied = 1_000;

function copyOfExtensions<T extends object>(extensions: T): T {
  return Object.values(extensions).some(isObject) ? deepCopyOf(extensions, maxCopied) : { ...extensions };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
