import type { ExecutionResult, FieldNode, GraphQLObjectType, OperationDefinitionNode } from 'graphql';

import type { Run } from '../run/run.ts';
import type { CollectSettings } from './collect-fields.ts';
import type { FieldParts, PlannedField, Selection } from './planned-field.ts';
import type { Variant } from './variant.ts';
import type { Fragments } from './conditions.ts';

// Incremental delivery, as plans know it. Implemented in parts/, which incrementalDelivery() brings along: other bundles do not contain it.

/** The formats of deferred and streamed parts: graphql 17's and the one before it. */
export type PartsFormat = 'current' | 'legacy';

/** Plans operations with `@defer` and `@stream`. */
export interface PartsPlanner {
  /**
   * The root fields of a plan for these variables. `key`: the states of the condition variables. Returns undefined if the operation has no
   * such directives.
   */
  selectionFor(plan: DivisiblePlan, key: string, coerced: Readonly<Record<string, unknown>>): Selection | undefined;
  /**
   * Called with the first part. Returns this part if nothing follows it, else a divided result in the form of graphql-js 17, which tracing
   * channels also get.
   */
  begin(run: Run, result: ExecutionResult): ExecutionResult | DividedResult;
}

/** The plan of an operation, to which a planner adds variants. */
export interface DivisiblePlan {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  readonly conditionVariables: readonly string[];
  readonly variants: ReadonlyMap<string, Variant>;
  count(fields: readonly PlannedField[]): readonly PlannedField[];
  addVariant(key: string, names: readonly string[], collectIn?: CollectSelection): Variant;
}

/** Collects the fields of a selection in several parts. */
export type CollectSelection = (settings: CollectSettings, below: NodesOfObject) => Selection;

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

/** The directives for incremental delivery. They have no effect on a response in one part. */
export function isIncrementalDirective(directive: string): boolean {
  return directive === 'defer' || directive === 'stream';
}
