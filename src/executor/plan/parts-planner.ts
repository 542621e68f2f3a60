import type { ExecutionResult, FieldNode, GraphQLObjectType, OperationDefinitionNode } from 'graphql';

import type { Run } from '../run/run.ts';
import type { CollectSettings } from './collect-fields.ts';
import type { Deferral, FieldParts, PlannedField } from './planned-field.ts';
import type { Fragments } from './conditions.ts';

// Incremental delivery, as plans know it. Implemented in parts/, which incrementalDelivery() brings along: other bundles do not contain it.

/** The formats of deferred and streamed parts: graphql 17's and the one before it. */
export type PartsFormat = 'current' | 'legacy';

/** Plans operations with `@defer` and `@stream`. */
export interface PartsPlanner {
  readonly format: PartsFormat;
  /** Finds the variables that turn the directives of an operation on and off. Returns undefined if the operation has no such directives. */
  survey(operation: OperationDefinitionNode, fragments: Fragments): readonly string[] | undefined;
  /** Collects fields like `collectFields`, in two groups: the fields in the part of the object, and the fields of later parts. */
  collect(settings: CollectSettings, below: NodesOfObject): CollectedParts;
  /**
   * Called with the first part. Returns this part if nothing follows it, else a divided result in the form of graphql-js 17, which tracing
   * channels also get.
   */
  begin(run: Run, result: ExecutionResult): ExecutionResult | DividedResult;
}

/** A response in several parts. */
export interface DividedResult {
  readonly initialResult: ExecutionResult;
  readonly subsequentResults: AsyncIterator<unknown>;
}

/** Nodes to collect for an object of a type. `parts`: the parts of the field that returns the object. */
export interface NodesOfObject {
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  readonly parts: FieldParts | undefined;
}

export interface CollectedParts {
  readonly fields: readonly PlannedField[];
  readonly deferral: Deferral | undefined;
}

/** The directives for incremental delivery. They have no effect on a response in one part. */
export function isIncrementalDirective(directive: string): boolean {
  return directive === 'defer' || directive === 'stream';
}
