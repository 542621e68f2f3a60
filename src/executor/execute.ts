import { assertValidSchema } from 'graphql';
import type { ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { copyOfJSON, listenedChannel, traceMixed } from '../shared/index.ts';
import { isLongerThan, maxExplained } from './costs.ts';
import { executeFields, executePart } from './run/fields.ts';
import { getVariableValues } from './graphql-version.ts';
import { toRootError } from './run/errors.ts';
import { handleRejections } from './run/unhandled-rejections.ts';
import { Plan } from './plan/plan.ts';
import type { PlanMemory, PlannedOperation } from './plan/plan.ts';
import { copyVariables } from './plan/copied-inputs.ts';
import { UncoercedVariable } from './plan/variables.ts';
import { coercedOf, Run } from './run/run.ts';
import type { VariableValues } from './run/shared-info.ts';
import type { PartLimits, RunSettings } from './run/run.ts';
import type { PartsPlanner } from './plan/parts-planner.ts';
import { executeSerially } from './run/serial.ts';
import { executeContext, ResolverEvents } from './run/trace-execution.ts';

/** Divides a response into parts. */
export interface PartSettings extends PartLimits {
  readonly planner: PartsPlanner;
}

/** One execution of an operation of a valid document. */
export interface PlannedExecution extends RunSettings, PlannedOperation {
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
  /** The subscription, if the root value is one of its events: then `execute` is not published, as in graphql-js. */
  readonly eventOf?: PlannedExecution | undefined;
  /** Default: the response has one part. */
  readonly parts?: PartSettings | undefined;
  /** The plans stored with the document. Default: the plan is for this run. */
  readonly kept?: KeptPlans | undefined;
  /** Default: prepared when the operation runs. */
  prepared?: PreparedExecution | undefined;
}

/**
 * The value of the option `executor`: made by `graphqlJSExecutor()` of `graphql-functions/graphql-js`, so that bundles
 * without it contain nothing of graphql-js's executor (7 KiB of gzip).
 */
export interface GraphQLJSExecutor {
  readonly executeWithGraphQLJS: (execution: PlannedExecution) => ExecutionResult | Promise<ExecutionResult>;
  /** Throws at start if the server has options, or a schema, that this executor does not support. */
  readonly assertSupported: (options: UnsupportedOptions, schema: GraphQLSchema) => void;
}

interface UnsupportedOptions {
  readonly incrementalDelivery?: unknown;
  readonly deadline?: unknown;
  readonly pageDefaults?: unknown;
}

/** An operation with its plan and its coerced variables. */
export interface PreparedExecution {
  readonly plan: Plan;
  readonly run: Run;
  /** The errors of invalid variables. */
  readonly errors: readonly GraphQLError[] | undefined;
}

/** Finds the plan of an operation and coerces its variables. */
export function prepareExecution(execution: PlannedExecution): PreparedExecution {
  const { schema, document, operation, kept } = execution;
  const known = kept?.byOperation.get(operation);
  let plan = known;
  if (plan?.schema !== schema || plan.document !== document) {
    assertValidSchema(schema);
    plan = new Plan(execution);
    kept?.byOperation.set(operation, known === undefined ? null : plan);
  }
  const run = new Run(execution, plan);
  const hasVariables = operation.variableDefinitions !== undefined && operation.variableDefinitions.length > 0;
  return { plan, run, errors: hasVariables ? coerceVariables(plan, run, execution) : undefined };
}

/** The coerced variables by name. Undefined if they are invalid. */
export function coercedVariables(execution: PlannedExecution): Readonly<Record<string, unknown>> | undefined {
  const { prepared } = execution;
  if (prepared !== undefined) return prepared.errors === undefined ? prepared.run.coerced : undefined;
  const values = coerceWithGraphQLJS(execution);
  return Array.isArray(values) ? undefined : coercedOf(values as VariableValues);
}

/** Runs an operation by its plan, with the result of the installed graphql-js. Returns a promise only when something was asynchronous. */
export function executePlanned(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const prepared = execution.prepared ?? prepareExecution(execution);
  const { plan, run, errors } = prepared;
  const channel = execution.eventOf === undefined ? listenedChannel('execute') : undefined;
  if (channel !== undefined)
    return traceMixed(channel, executeContext(execution), () => executePlanned({ ...execution, prepared, eventOf: execution }));
  if (errors !== undefined) return { errors };
  const resolveChannel = listenedChannel('resolve');
  if (resolveChannel !== undefined) run.observe(new ResolverEvents(resolveChannel));
  const { part, settings } = run;
  try {
    const selection = plan.selectionFor(run.coerced, execution.parts?.planner);
    executePart(run, plan.operation.operation === 'mutation' ? executeSerially : executeFields, selection, settings.rootValue);
  } catch (error) {
    run.fail(toRootError(error));
  }
  if (part.failure !== undefined) handleRejections(settings.rootValue);
  run.batches?.finishFirstPass();
  if (part.finished) return finish(prepared, execution);
  return new Promise((resolve) => {
    const stop = settings.invocation?.onCancel((reason) => {
      // Deferred: a client can disconnect while a resolver runs, whose object is not in the result yet.
      queueMicrotask(() => {
        if (part.finished) return;
        run.cancelReason = reason;
        part.stopWaiting(reason);
      });
    });
    part.callWhenFinished(() => {
      stop?.();
      resolve(finish(prepared, execution));
    });
  });
}

/**
 * The plans of a document's operations. The document keeps a plan from the second run of its operation on. Many documents run only once:
 * not keeping their plans saves a seventh of their CPU and half of their heap.
 */
export interface KeptPlans extends PlanMemory {
  /** The plans by operation; null for an operation that has run once. */
  readonly byOperation: Map<OperationDefinitionNode, Plan | null>;
}

/** With `parts`, the type of the result is that of executeInParts (parts/parts.ts). */
function finish({ plan, run }: PreparedExecution, { parts, kept, operation }: PlannedExecution): ExecutionResult {
  if (plan.hasGrown && kept?.byOperation.get(operation) === plan && !plan.fitsIn(kept)) kept.byOperation.set(operation, null);
  return parts === undefined ? run.result : (parts.planner.begin(run, run.result) as ExecutionResult);
}

/** Sets the variables of the run. Returns the errors of those that are invalid. */
function coerceVariables(plan: Plan, run: Run, execution: PlannedExecution): readonly GraphQLError[] | undefined {
  const { variableValues, answerLimit } = execution;
  try {
    let values: VariableValues | readonly GraphQLError[] | UncoercedVariable = plan.coerceVariables(variableValues ?? {}, run);
    if (values instanceof UncoercedVariable) {
      if (answerLimit !== undefined && (run.budget.hasMuchWork || isLongerThan(maxExplained / answerLimit.operations, variableValues)))
        return [values.error()];
      values = coerceWithGraphQLJS(execution);
      if (Array.isArray(values)) return values as readonly GraphQLError[];
    }
    run.setVariables(values as VariableValues);
    return undefined;
  } catch (error) {
    // Rethrow, unless the variables exceeded the size limit.
    if (run.endedBy === undefined) throw error;
    return [run.endedBy];
  }
}

/** The variables, or the errors of those that are invalid. */
function coerceWithGraphQLJS(execution: PlannedExecution): VariableValues | readonly GraphQLError[] {
  const { schema, operation, variableValues, copiesVariables, hideSuggestions } = execution;
  // The /v3 surface can pass null from the request.
  const given = (copiesVariables === true ? copyOfJSON(variableValues) : variableValues) ?? {};
  const answer = getVariableValues(schema, operation.variableDefinitions ?? [], given, { maxErrors: 50, hideSuggestions });
  // 16 names the values `coerced`.
  const { errors, variableValues: values, coerced = values } = answer as CoercedVariables;
  if (errors !== undefined) return errors;
  copyVariables({ schema, operation }, coercedOf(coerced!));
  return coerced!;
}

interface CoercedVariables {
  readonly errors?: readonly GraphQLError[];
  readonly variableValues?: VariableValues;
  readonly coerced?: VariableValues;
}
