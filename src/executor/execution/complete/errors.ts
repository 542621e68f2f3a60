import { GraphQLError, locatedError, responsePathAsArray } from 'graphql';

import { copyErrorForOperation, withCopiedExtensions, withoutStacks } from '../../../shared/index.ts';
import type { FieldRun, PlannedField, Position } from '../plan/planned-field.ts';
import { abandon } from '../promises.ts';

/** Adds locations and path to an error that has no path. Errors beyond the limit are not located: that would take most of their time. */
export function locate(thrown: unknown, position: Pick<Position, 'fieldRun' | 'path'>): GraphQLError {
  const { run, field } = position.fieldRun;
  if (run.hasManyErrors) {
    if (thrown !== manyErrors) run.countError(thrown);
    return manyErrors;
  }
  return toLocatedError(thrown, run.nodesOf(field), responsePathAsArray(position.path));
}

/** graphql-js reads properties of the thrown value. If that throws (a getter, a proxy), the error has a general message. */
function toLocatedError(thrown: unknown, nodes?: PlannedField['nodes'], path?: readonly (string | number)[]): GraphQLError {
  try {
    // A located error takes the stack of the original.
    const located = thrown instanceof Error ? withoutStacks(() => locatedError(thrown, nodes, path)) : locatedError(thrown, nodes, path);
    // It already has a path, and may be thrown for every user.
    return located === thrown ? copyErrorForOperation(located) : withCopiedExtensions(located);
  } catch {
    const originalError = new Error('An error was thrown that cannot be read.');
    return new GraphQLError(originalError.message, { nodes: nodes ?? null, path: path ?? null, originalError });
  }
}

const manyErrors = new GraphQLError('There are more errors than are kept.');

/** Records an error and returns null; throws the located error if it makes the parent null, too. */
export function nullOrThrow(position: Position, thrown: unknown): null {
  const { run } = position.fieldRun;
  if (run.endedBy !== undefined) throw run.endedBy;
  const error = locate(thrown, position);
  if (run.haltsOnError) throw run.halt(error);
  if (position.shape.nonNull && run.propagates(thrown)) throw error;
  run.record(error);
  return null;
}

function nullError({ run, field }: FieldRun): Error {
  if (run.hasManyErrors) {
    run.countError(manyErrors);
    return manyErrors;
  }
  // Without a stack trace, which takes half the time and shows only our frames.
  return withoutStacks(() => new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.fieldName}.`));
}

/** An error that reached the root. */
export function toRootError(thrown: unknown): GraphQLError {
  return thrown instanceof GraphQLError ? thrown : toLocatedError(thrown);
}

/** Completes a value that is not a promise. Throws unlocated errors. */
export function completeValue(position: Position, value: unknown): unknown {
  const { shape } = position;
  if (value === null || value === undefined) {
    if (shape.nonNull) throw nullError(position.fieldRun);
    return null;
  }
  if (value instanceof Error) throw value;
  try {
    return shape.complete(position, value);
  } catch (error) {
    abandon(value);
    throw error;
  }
}

/**
 * Prints a value as graphql-js does in its error messages. Its function for that is private, but `locatedError` uses it for thrown
 * values that are not errors.
 */
export function inspect(value: unknown): string {
  // `locatedError` does not print an Error, but prints a list that contains it.
  if (value instanceof Error) return inspect([value]).slice(1, -1);
  return locatedError(value, [], []).message.slice(prefix.length);
}

const prefix = 'Unexpected error value: ';
