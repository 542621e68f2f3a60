import { GraphQLError, locatedError, responsePathAsArray } from 'graphql';
import type { FieldNode } from 'graphql';

import { copyErrorForOperation, isGraphQLError, withCopiedExtensions, withoutStacks } from '../../shared/index.ts';
import type { Position } from '../plan/planned-field.ts';
import { handleRejections } from './unhandled-rejections.ts';
import { LineStarts } from './line-starts.ts';

/** Adds locations and path to an error that this server has not located. Errors beyond the limit are not located: that would take most of their time. */
export function locate(thrown: unknown, position: Pick<Position, 'fieldRun' | 'path'>): GraphQLError {
  const { run, field } = position.fieldRun;
  if (run.budget.hasManyErrors) {
    if (thrown !== manyErrors) run.countError(thrown);
    return manyErrors;
  }
  return toLocatedError(thrown, {
    nodes: run.info.nodesOf(field),
    lineStarts: (run.root.lineStarts ??= new LineStarts()),
    path: responsePathAsArray(position.path),
  });
}

/** The position of a field in the document and in the response. */
interface Place {
  readonly nodes: FieldNode[];
  readonly lineStarts: LineStarts;
  readonly path: readonly (string | number)[];
}

/** Reads properties of the thrown value. If that throws (a getter, a proxy), the error has a general message. */
function toLocatedError(thrown: unknown, place?: Place): GraphQLError {
  try {
    if (!(thrown instanceof Error)) return withCopiedExtensions(locatedError(thrown, place?.nodes, place?.path));
    if (isGraphQLError(thrown)) {
      // The error already has a path, and code may throw the same object for every user.
      if (Array.isArray(thrown.path)) return copyErrorForOperation(thrown);
      if (thrown.nodes !== undefined || thrown.source !== undefined)
        return withCopiedExtensions(withoutStacks(() => locatedError(thrown, place?.nodes, place?.path)));
    }
    return withCopiedExtensions(withoutStacks(() => errorAt(place, thrown)));
  } catch {
    return errorAt(place, new Error('An error was thrown that cannot be read.'));
  }
}

/** Works like `locatedError`, also for errors of other libraries with a list called `path`, which is not a path in the response. */
function errorAt(place: Place | undefined, originalError: Error): GraphQLError {
  // GraphQLError uses the stack of the original error.
  const error = new GraphQLError(originalError.message, { path: place?.path ?? null, originalError });
  return place === undefined ? error : Object.assign(error, sourceOf(place));
}

/** The properties that GraphQLError derives from nodes. */
function sourceOf({ nodes, lineStarts }: Place): object {
  const locations = lineStarts.locationsOf(nodes);
  const positions = nodes.flatMap(({ loc }) => loc?.start ?? []);
  return { nodes, source: nodes[0]?.loc?.source, positions: locations && positions, locations };
}

const manyErrors = new GraphQLError('There are more errors than are kept.');

/** Records an error and returns null; throws the located error if it makes the parent null, too. */
export function nullOrThrow(position: Position, thrown: unknown): null {
  const { run } = position.fieldRun;
  const { endedBy } = run.root;
  if (endedBy !== undefined) throw endedBy;
  const error = locate(thrown, position);
  if (run.haltsOnError) throw run.halt(error);
  if (position.shape.nonNull && run.propagates(thrown)) throw error;
  run.record(error);
  return null;
}

/**
 * The error for a value that does not match its type. It is a GraphQLError, as in graphql-js, but no code has thrown it for clients,
 * who must not see the value in its message.
 */
export class Misfit extends GraphQLError {
  static {
    // The console shows the name of the class.
    Object.defineProperty(this, 'name', { value: 'GraphQLError' });
  }
}

/** Creates an error without a stack trace, which would take half the time and show only our frames. */
export function misfit(message: string): Misfit {
  return withoutStacks(() => new Misfit(message));
}

function nullError(position: Position, found: Found): Error {
  const { run, field } = position.fieldRun;
  if (run.budget.hasManyErrors) {
    run.countError(manyErrors);
    return manyErrors;
  }
  const message = `Cannot return null for non-nullable field ${field.parentType.name}.${field.fieldName}.`;
  return withoutStacks(() => new Error(message + explain(position, found)));
}

/** A value that does not match the type of its field, and its parent object, if that is known. */
interface Found {
  readonly value: unknown;
  readonly parent?: unknown;
}

/** The likely cause of a mismatch, in development. Empty for items of lists. */
export function explain(position: Position, found: Found): string {
  const { run, field } = position.fieldRun;
  const { explainMismatch } = run.settings;
  if (explainMismatch === undefined || position !== position.fieldRun) return '';
  return explainMismatch({ ...found, info: position.fieldRun.info, resolve: field.definition.resolve ?? run.fieldResolver });
}

/** Returns a thrown value as the GraphQLError of a response. */
export function toRootError(thrown: unknown): GraphQLError {
  return thrown instanceof GraphQLError ? thrown : toLocatedError(thrown);
}

/** Completes a value that is not a promise. Throws unlocated errors, which name properties of the parent if it is passed. */
export function completeValue(position: Position, value: unknown, parent?: unknown): unknown {
  const { shape } = position;
  if (value === null || value === undefined) {
    if (shape.nonNull) throw nullError(position, { value, parent });
    return null;
  }
  if (value instanceof Error) throw value;
  try {
    return shape.complete(position, value);
  } catch (error) {
    handleRejections(value);
    throw error;
  }
}
