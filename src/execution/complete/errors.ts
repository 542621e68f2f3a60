import { GraphQLError, locatedError, responsePathAsArray } from 'graphql';

import { withoutStacks } from '../../message/describe.ts';
import { ownError, withOwnExtensions } from '../../message/own-errors.ts';
import type { FieldRun, PlannedField, Position } from '../plan/planned-field.ts';
import { abandon } from '../promises.ts';

/**
 * The error as the response shows it: with the place in the document and in the response. One that has a path keeps it. One that
 * nobody will see, since there are too many already, is not located: that takes longer than all else.
 */
export function locate(thrown: unknown, position: Pick<Position, 'fieldRun' | 'path'>): GraphQLError {
  const { run, field } = position.fieldRun;
  if (run.hasManyErrors) return manyErrors;
  return toLocatedError(thrown, run.nodesOf(field), responsePathAsArray(position.path));
}

/** graphql-js reads the fields of what was thrown. Where that throws in its turn (a getter, a proxy), nothing of it is told. */
function toLocatedError(thrown: unknown, nodes?: PlannedField['nodes'], path?: readonly (string | number)[]): GraphQLError {
  try {
    // It takes over the stack of what was thrown.
    const located = thrown instanceof Error ? withoutStacks(() => locatedError(thrown, nodes, path)) : locatedError(thrown, nodes, path);
    // One that has a path already, and may be thrown for every user.
    return located === thrown ? ownError(located) : withOwnExtensions(located);
  } catch {
    const originalError = new Error('An error was thrown that cannot be read.');
    return new GraphQLError(originalError.message, { nodes: nodes ?? null, path: path ?? null, originalError });
  }
}

const manyErrors = new GraphQLError('There are more errors than are kept.');

/** An error at a position becomes null there; where null is not allowed it goes on to the position above, as a throw. */
export function nullOrThrow(position: Position, thrown: unknown): null {
  const { fieldRun } = position;
  // An answer that is too large is given up as a whole.
  if (fieldRun.run.overflow !== undefined) throw fieldRun.run.overflow;
  const error = locate(thrown, position);
  if (position.shape.nonNull && fieldRun.run.propagatesErrors) throw error;
  fieldRun.run.record(error);
  return null;
}

/** A null at a position that does not allow it. */
function nullError({ run, field }: FieldRun): Error {
  if (run.hasManyErrors) return manyErrors;
  // Its stack would be ours: half of the time of such an error, of which there may be one in each row.
  return withoutStacks(() => new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.fieldName}.`));
}

/** An error that reached the root, where no field is left to locate it. */
export function toRootError(thrown: unknown): GraphQLError {
  return thrown instanceof GraphQLError ? thrown : toLocatedError(thrown);
}

/** Completes a value that is not a promise: what holds for every type, then what its shape says. Throws errors not yet located. */
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
 * Prints a value as graphql-js does in its error messages. Its own function for that is private, but an error
 * made from something that is no Error carries the text: asking for it keeps messages equal in every release.
 */
export function inspect(value: unknown): string {
  // An Error would be taken as it is; as a list's only item it is printed.
  if (value instanceof Error) return inspect([value]).slice(1, -1);
  return locatedError(value, [], []).message.slice(prefix.length);
}

const prefix = 'Unexpected error value: ';
