import type { DocumentNode, GraphQLInputType, OperationDefinitionNode, VariableDefinitionNode } from 'graphql';

import type { Method } from './directives.ts';

/** The place of a parameter's value: a variable, or a member of an input object in it. */
export interface Target {
  readonly variable: string;
  /** The fields from the input object to the member. Empty for the variable itself. */
  readonly members: readonly string[];
  readonly type: GraphQLInputType;
  /** The type of the variable. */
  readonly container: GraphQLInputType;
  /** True if a request without the parameter is refused. */
  readonly isRequired: boolean;
}

/** A trusted document that has a URL. */
export interface Route {
  readonly documentId: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly method: Method;
  /** The path with its parameters, for example "/books/{id}". */
  readonly template: string;
  /** A literal segment is a text, a parameter is its name. */
  readonly segments: readonly (string | { readonly name: string })[];
  /** Targets by the names of parameters. */
  readonly inPath: ReadonlyMap<string, Target>;
  readonly inQuery: ReadonlyMap<string, Target>;
  /** The variable that is the whole body. */
  readonly body: VariableDefinitionNode | undefined;
  /** The variables that are members of the body. */
  readonly members: readonly VariableDefinitionNode[];
  /** The status of a success. */
  readonly status: number | undefined;
  /** The response key whose value is the answer; undefined if the answer is an object with all response keys. */
  readonly single: string | undefined;
}
