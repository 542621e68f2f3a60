import { assertValidSchema } from 'graphql';
import type { ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';

import { listenedChannel, traceMixed } from '../shared/index.ts';
import { lengthOfJSON, maxExplained } from './costs.ts';
import { executeFields, executePart } from './run/fields.ts';
import { getVariableValues, isGraphQL17 } from './graphql-version.ts';
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
import { executeChannel, executeContext, ResolverEvents } from './run/trace-execution.ts';

/** Divides a response into parts. */
export interface PartSettings extends PartLimits {
  readonly planner: PartsPlanner;
}

/** One execution of an operation of a valid document. */
export interface PlannedExecution extends RunSettings, PlannedOperation {
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
  /** The subscription, if the root value is one of its events: fewer tracing events are published. */
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
  const plan = planFor(execution);
  const run = new Run(execution, plan);
  return { plan, run, errors: coerceVariables(plan, run, execution) };
}

/** The coerced variables by name. Undefined if they are invalid. */
export function coercedVariables(execution: PlannedExecution): Readonly<Record<string, unknown>> | undefined {
  const { prepared } = execution;
  if (prepared !== undefined) return prepared.errors === undefined ? prepared.run.coerced : undefined;
  const { variableValues, coerced = variableValues } = coerceWithGraphQLJS(execution);
  return coerced && coercedOf(coerced);
}

/** Runs an operation by its plan, with the result of the installed graphql-js. Returns a promise only when something was asynchronous. */
export function executePlanned(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const prepared = execution.prepared ?? prepareExecution(execution);
  const channel = executeChannel(execution);
  return channel === undefined
    ? start(prepared, execution)
    : traceMixed(channel, executeContext(execution), () => start(prepared, execution));
}

/**
 * The plans of a document's operations, which are kept with it, each from its second run on. Many documents run only once: not keeping
 * their plans saves a seventh of their CPU and half of their heap.
 */
export interface KeptPlans extends PlanMemory {
  /** Null: the operation has run once. */
  readonly byOperation: Map<OperationDefinitionNode, Plan | null>;
}

function planFor(execution: PlannedExecution): Plan {
  const { schema, document, operation, kept } = execution;
  const known = kept?.byOperation.get(operation);
  if (known?.schema === schema && known.document === document) return known;
  assertValidSchema(schema);
  const plan = new Plan(execution);
  kept?.byOperation.set(operation, known === undefined ? null : plan);
  return plan;
}

function start(
  { plan, run, errors }: PreparedExecution,
  { parts, kept, operation }: PlannedExecution,
): ExecutionResult | Promise<ExecutionResult> {
  if (errors !== undefined) return { errors };
  const channel = listenedChannel('resolve');
  if (channel !== undefined) run.observe(new ResolverEvents(channel));
  const { part, settings } = run;
  executePart(run, () => {
    const selection = plan.selectionFor(run.coerced, parts?.planner);
    // Validation forbids @defer in a mutation's root.
    if (plan.operation.operation === 'mutation') return executeSerially(run, selection.deferral?.whole ?? selection, settings.rootValue);
    return executeFields(run, selection, settings.rootValue, undefined);
  });
  if (part.failure !== undefined) handleRejections(settings.rootValue);
  run.batches?.finishFirstPass();
  // With `parts`, the type of the result is that of executeInParts (parts/parts.ts).
  const finish = (): ExecutionResult => {
    if (kept?.byOperation.get(operation) === plan && !plan.fitsIn(kept)) kept.byOperation.set(operation, null);
    return parts === undefined ? run.result : (parts.planner.begin(run, run.result) as ExecutionResult);
  };
  if (part.finished) return finish();
  return new Promise((resolve) => {
    const stop = settings.invocation?.onCancel((reason) => {
      // Deferred: a client can disconnect while a resolver runs, whose object is not in the result yet.
      queueMicrotask(() => {
        if (part.finished) return;
        run.cancelReason = reason;
        part.stopWaiting(reason);
      });
    });
    part.onFinish = () => {
      stop?.();
      resolve(finish());
    };
  });
}

/** The result of graphql-js's `getVariableValues`: 16 names the values `coerced`. */
interface CoercedVariables {
  readonly errors?: readonly GraphQLError[];
  readonly variableValues?: VariableValues;
  readonly coerced?: VariableValues;
}

/** Sets the variables of the run, or returns the errors of those that are wrong. */
function coerceVariables(plan: Plan, run: Run, execution: PlannedExecution): readonly GraphQLError[] | undefined {
  const definitions = plan.operation.variableDefinitions ?? [];
  if (definitions.length === 0) return undefined;
  const { errors, variableValues, coerced = variableValues } = coerce(plan, run, execution);
  if (coerced !== undefined) run.setVariables(coerced);
  return errors;
}

function coerce(plan: Plan, run: Run, execution: PlannedExecution): CoercedVariables {
  const { variableValues, answerLimit } = execution;
  try {
    const values = plan.coerceVariables(variableValues ?? {}, run);
    if (!(values instanceof UncoercedVariable)) return isGraphQL17 ? { variableValues: values } : { coerced: values };
    if (answerLimit !== undefined && lengthOfJSON(variableValues ?? {}) > maxExplained / answerLimit.operations)
      return { errors: [values.error()] };
  } catch (error) {
    // Rethrow, unless the variables exceeded the size limit.
    if (run.endedBy === undefined) throw error;
    return { errors: [run.endedBy] };
  }
  return coerceWithGraphQLJS(execution);
}

function coerceWithGraphQLJS({ schema, operation, variableValues, hideSuggestions }: PlannedExecution): CoercedVariables {
  const options = { maxErrors: 50, hideSuggestions };
  // The /v3 surface can pass null from the request.
  const answer = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, options) as CoercedVariables;
  const { coerced = answer.variableValues } = answer;
  if (coerced !== undefined) copyVariables({ schema, operation }, coercedOf(coerced));
  return answer;
}
