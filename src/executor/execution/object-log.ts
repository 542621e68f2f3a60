import type { GraphQLField, GraphQLObjectType } from 'graphql';

/** Lists the objects of a response: see listObjects() of extensions/edge. */
export interface ObjectLog {
  /** True when the execution has ended. */
  isComplete: boolean;
  /** The response names of the root fields of a mutation whose resolvers have been called. */
  readonly called: Set<string>;
  /** Called when a resolver settles after the end of the execution: it has changed data later than the response says. */
  onLate: (() => void) | undefined;
  runOf(selection: IdentifiedSelection): ObjectRun;
}

/** The objects of one selection. */
export interface ObjectRun {
  /** Adds an object whose fields have been run. Called for each row of a list. */
  note(result: unknown, object: MadeObject): void;
}

/** How objects of one selection are identified. */
export interface ObjectIdentity {
  readonly typename: string;
  /** The response name of their id. Undefined: it is not selected. */
  readonly key: string | undefined;
  /** Their field `id`. Undefined: they have none that can be read without arguments. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** True when every string is a valid id. */
  readonly isText: boolean;
  /** True when its resolver has returned a promise: then it is not called again. */
  isAsynchronous: boolean;
}

/** The part of a selection that identifies its objects. */
export interface IdentifiedSelection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly { readonly fieldName: string; readonly responseName: string }[];
  identity: ObjectIdentity | undefined;
}

/** An object of the response. */
export interface MadeObject {
  readonly source: unknown;
  /** The value of a field without arguments. */
  read(definition: GraphQLField<unknown, unknown>): unknown;
}

/** Returns the name of an object by its resolved value. Undefined: it has none. */
export type ObjectNaming = (typename: string, source: unknown) => unknown;
