import type { GraphQLResolveInfo } from 'graphql';

import type { ResultObject } from '../../plan/result-classes.ts';

/** Generated code that makes a response object. `rest` completes the values that are not plain. */
export type BuildRow = (source: object, rest: RowRest) => ResultObject;

/** The generated code of a selection. */
export interface RowBuilder<TField> {
  readonly build: BuildRow;
  /** The resolvers of its fields when the code was made. */
  readonly resolvers: readonly unknown[];
  /** The fields that the code leaves undefined: they are resolved later, for many objects at once. */
  readonly batched: readonly TField[];
}

/** The functions that generated code calls. Fields are numbered as in the selection. */
export interface RowRest {
  readonly context: unknown;
  /** Runs a field without generated code. */
  run(field: number): unknown;
  /** The arguments of a resolver. */
  values(field: number): Record<string, unknown>;
  start(field: number): StartedField;
  /** Completes the value of a field with an object type. */
  object(field: number, value: unknown, started?: StartedField): unknown;
  /** Completes the result of a resolver. */
  resolved(field: number, value: unknown, started?: StartedField): unknown;
  /** Completes the value of a property. */
  property(field: number, value: unknown): unknown;
  /** Adds the size of the object, and the characters of its strings. */
  grow(characters: number): void;
  /** Handles an error of a getter or a resolver. */
  fail(field: number, thrown: unknown): null;
}

/** A field under way, which the code passes on to the next function. */
interface StartedField {
  readonly info: GraphQLResolveInfo;
}
