// An operation: the quick check of its document, its plan, its run

export { isKnownValid } from './validation/fast-validator.ts';
export { isGraphQL17, NoSchemaIntrospectionCustomRule } from './graphql-version.ts';
export { coercedVariables, executePlanned, prepareExecution } from './execute.ts';
export type { GraphQLJSExecutor, KeptPlans, PartSettings, PlannedExecution } from './execute.ts';
export { createSourceStream } from './events.ts';
export { deferDirective, streamDirective } from './parts/directives.ts';
export { executeInParts, planners } from './parts/parts.ts';
export type { ExecutionInParts, SubsequentResult } from './parts/parts.ts';
export type { PageDefault, PageDefaults } from './plan/arguments.ts';
export { isIncrementalDirective } from './plan/parts-planner.ts';
export type { PartsFormat } from './plan/parts-planner.ts';
export { graphqlJSExecutor, withPropagation } from './graphql-js.ts';
export { Misfit } from './run/errors.ts';
export type { ErrorHandling, ExplainMismatch, Mismatch } from './run/run.ts';

// Observers of a run
export { joinObservers } from './run/observer.ts';
export type { ExecutionObserver, ObservedCall, ObservedTypeCall } from './run/observer.ts';

// Costs of a run
export { resultTooLarge } from './budget.ts';
export type { BudgetLimits } from './budget.ts';
export { lengthOfJSON, maxRecordedErrors } from './costs.ts';

// Resolvers
export { batch } from './run/batch/batch.ts';
export type { BatchOptions, BatchResolver } from './run/batch/batch.ts';
export type { ResolverOfBatch as BatchedFieldResolver } from './batch-mark.ts';
export { byKey, groupByKey } from './run/batch/by-key.ts';
export type { KeyOf } from './run/batch/by-key.ts';
export { closeSource } from './run/shapes/async-lists.ts';
export { selectionsOf } from './plan/plan.ts';
export type { SelectedObject, SelectionsOrigin } from './plan/plan.ts';
export { selectedFields } from './selected-fields.ts';
export type { SelectedFieldsOptions, SelectionInfo } from './selected-fields.ts';
export { seesInfo } from './run/visible-arguments.ts';
