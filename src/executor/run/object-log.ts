import type { GraphQLObjectType } from 'graphql';

/** Lists the objects of a response: see listObjects() of extensions/edge. */
export interface ObjectLog {
  /** True when the execution has ended. */
  isComplete: boolean;
  /** The response names of the root fields of a mutation whose resolvers have been called. */
  readonly called: Set<string>;
  /** Called when a resolver settles after the end of the execution: it has changed data later than the response says. */
  onLate: (() => void) | undefined;
  runOf(selection: ListedSelection): ObjectRun;
}

/** The objects of one selection. */
export interface ObjectRun {
  /** Adds an object of the response, `result`, which was made from the value `source`. Called for each row of a list. */
  note(result: unknown, source: unknown): void;
}

/** The part of a selection that identifies its objects. */
export interface ListedSelection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly { readonly fieldName: string; readonly responseName: string }[];
}

/** Returns the name of an object by its resolved value. Undefined: it has none. */
export type ObjectNaming = (typename: string, source: unknown) => unknown;
