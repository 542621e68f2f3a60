import { versionInfo } from 'graphql';
import type { ExecutionResult, GraphQLError } from 'graphql';

import { isObjectLike, valueAt } from '../../../src/shared/index.ts';

/** The results of one operation. */
export interface ComparedResults {
  /** The result of graphql-js. */
  readonly expected: ExecutionResult;
  readonly actual: ExecutionResult;
  /** The result of graphql-js when each error makes only its own position null: it contains every possible error. */
  readonly unpropagated: ExecutionResult;
  /** True if errors may come in another order: if both the source of a list and one of its items make the list null, either error may be the first. */
  readonly isReordered?: boolean;
}

/**
 * Describes how a result differs from that of graphql-js; undefined if it does not.
 *
 * `data` must be equal, and each error that is not below a null must be reported. Which errors are reported below a null is
 * unspecified, but there must be one for each null that an error caused, and each must be possible. So is the order of errors.
 */
export function findDifference({ expected, actual, unpropagated, isReordered = false }: ComparedResults): string | undefined {
  const { data } = expected;
  // With graphql-js, a bigint fails the whole answer.
  if (data !== undefined && textOf(data) === undefined) return undefined;
  if (textOf(actual.data) !== textOf(data)) return describeOther(actual.data, data);
  if (data === undefined) return firstOf('missing', expected.errors, actual.errors) ?? firstOf('invented', actual.errors, expected.errors);

  // The path that an error was thrown with may be below any null that another error caused.
  const hasHidden = textOf(data) !== textOf(unpropagated.data) || errorsOf(unpropagated).some(({ path }) => isPlace(unpropagated, path));
  const certain = errorsOf(expected).filter(({ path }) => {
    if (!isPlace(unpropagated, path)) return !hasHidden;
    return !isBelowNull(data, path) && !(isReordered && errorsOf(unpropagated).some((other) => isBelow(other.path, path)));
  });
  return (
    firstOf('missing', certain, actual.errors) ??
    firstOf('invented', actual.errors, unpropagated.errors) ??
    findUnexplainedNull({ expected, actual, unpropagated })
  );
}

/** Names the first place with another value. */
function describeOther(actual: unknown, expected: unknown, path: Path = []): string {
  if (isObjectLike(actual) && isObjectLike(expected) && textOf(Object.keys(actual)) === textOf(Object.keys(expected))) {
    const key = Object.keys(expected).find((one) => textOf(valueAt(actual, [one])) !== textOf(valueAt(expected, [one])));
    if (key !== undefined) return describeOther(valueAt(actual, [key]), valueAt(expected, [key]), [...path, key]);
  }
  return path.length === 0 ? 'other data' : `other data at ${path.join('.')}`;
}

/** Undefined if JSON cannot hold the data. */
function textOf(data: unknown): string | undefined {
  try {
    return JSON.stringify(data);
  } catch {
    return undefined;
  }
}

/** Describes everything about an error that a client or a hook can see. */
export function describeError(error: GraphQLError): string {
  const { originalError: original } = error;
  const cause = original === undefined ? '' : `, caused by ${original.name}: ${original.message}`;
  return `${error.constructor.name} ${JSON.stringify(error.toJSON())}, ${error.nodes?.length} nodes${cause}`;
}

/**
 * Adds the errors that only non-null types cause, if they are in `actual`, to a result of a schema without such types: with graphql 16,
 * which has no directive against the propagation of errors.
 */
export function withNullErrors(unpropagated: ExecutionResult, actual: ExecutionResult): ExecutionResult {
  if (versionInfo.major >= 17) return unpropagated;
  const errors = unpropagated.errors ?? [];
  const paths = new Set(errors.map(({ path }) => String(path)));
  const nullErrors = (actual.errors ?? []).filter(
    ({ message, path = [] }) =>
      message.startsWith('Cannot return null for non-nullable field') &&
      valueAt(unpropagated.data, path) === null &&
      !paths.has(String(path)),
  );
  return { ...unpropagated, errors: [...errors, ...nullErrors] };
}

type Path = readonly (string | number)[];

function errorsOf({ errors }: ExecutionResult): readonly GraphQLError[] {
  return errors ?? [];
}

/** False for a path that was part of the thrown error, which may not exist in the data. */
function isPlace({ data }: ExecutionResult, path: Path = []): boolean {
  return valueAt(data, path) !== undefined;
}

function isBelowNull(data: unknown, path: Path = []): boolean {
  return path.some((_, length) => valueAt(data, path.slice(0, length)) === null);
}

/** True if the first path continues the second. */
function isBelow(path: Path = [], above: Path = []): boolean {
  return path.length > above.length && above.every((key, at) => key === path[at]);
}

/** The first of some errors that is not among the others. */
function firstOf(kind: string, some: ExecutionResult['errors'] = [], others: ExecutionResult['errors'] = []): string | undefined {
  const left = others.map(describeError);
  for (const error of some.map(describeError)) {
    const at = left.indexOf(error);
    if (at === -1) return `${kind} error: ${error}`;
    left.splice(at, 1);
  }
  return undefined;
}

function findUnexplainedNull({ expected, actual, unpropagated }: ComparedResults): string | undefined {
  const reported = errorsOf(actual).map(({ path = [] }) => path);
  // An error that was thrown with a path may have caused any null.
  if (!reported.every((path) => isPlace(unpropagated, path))) return undefined;
  const isCausedByError = (path: Path): boolean =>
    valueAt(unpropagated.data, path) !== null || errorsOf(unpropagated).some((error) => isAtOrBelow(path, error.path));
  const unexplained = nullsIn(expected.data).find((path) => isCausedByError(path) && !reported.some((one) => isAtOrBelow(path, one)));
  return unexplained && `null without an error: ${JSON.stringify(unexplained)}`;
}

function isAtOrBelow(path: Path, other: Path = []): boolean {
  return path.every((key, at) => key === other[at]);
}

function nullsIn(value: unknown, path: Path = []): Path[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value as object);
  return keys.flatMap((key) => nullsIn(valueAt(value, [key]), [...path, key]));
}
