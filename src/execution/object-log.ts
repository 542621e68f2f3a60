import type { GraphQLField, GraphQLObjectType } from 'graphql';

/** Notes the objects that an answer is made of. Handed in by the plugin that asks for them: listObjects() of extensions/ makes it. */
export interface ObjectLog {
  /** True when the execution has come to its end. */
  isComplete: boolean;
  /** Where to note objects of the selection, one after the other. */
  runOf(selection: IdentifiedSelection): ObjectRun;
}

/** Objects of one selection, as they were made. */
export interface ObjectRun {
  /** Notes an object when its fields have been run. Called for each row of a list: it is kept short. */
  note(result: unknown, object: MadeObject): void;
}

/** How objects of one selection are told apart. Worked out with the first of them. */
export interface ObjectIdentity {
  readonly typename: string;
  /** The name under which the response has their id. Undefined: it has none. */
  readonly key: string | undefined;
  /** Their field `id`. Undefined: they have none, or none that can be had without asking. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** Every text is an id as it is. */
  readonly isText: boolean;
  /** Its resolver has returned a promise: it is not asked again. */
  isAsynchronous: boolean;
}

/** A selection, as far as it takes to name its objects. */
export interface IdentifiedSelection {
  readonly type: GraphQLObjectType;
  readonly fields: readonly { readonly fieldName: string; readonly responseName: string }[];
  identity: ObjectIdentity | undefined;
}

/** An object of which the response is made. */
export interface MadeObject {
  readonly source: unknown;
  /** Set by the user, where no field has a resolver of its own. */
  readonly hasFieldResolver: boolean;
  /** The result of the resolver of its field `id`. */
  resolveId(definition: GraphQLField<unknown, unknown>): unknown;
}

/** Names an object by the value that a resolver has returned for it. Undefined: it has no name. */
export type ObjectNaming = (typename: string, source: unknown) => unknown;
