import { assertValidSchema, getVariableValues, OperationTypeNode } from 'graphql';
import type {
  DocumentNode,
  ExecutionResult,
  GraphQLError,
  GraphQLFieldResolver,
  GraphQLSchema,
  GraphQLTypeResolver,
  OperationDefinitionNode,
} from 'graphql';

import type { ExecutionInvocation } from '../message/invocation.ts';
import { toRootError } from './complete/errors.ts';
import { executeFields } from './fields.ts';
import { isGraphQL17 } from './graphql-js/version.ts';
import type { ObjectLog } from './object-log.ts';
import { Pending } from './pending.ts';
import { lookAgain } from './plan/literals.ts';
import { Plan } from './plan/plan.ts';
import { ownVariables } from './graphql-js/own-inputs.ts';
import { coercedOf, Run } from './run.ts';
import type { AnswerBudget, VariableValues } from './run.ts';
import { executeSerially } from './serial.ts';
import { executionChannels, FieldTracer, traceExecute, traceStage } from './trace-execution.ts';
import type { ExecutionChannels } from './trace-execution.ts';

/** One execution of an operation of a valid document. */
export interface PlannedExecution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
  /** Resolves fields that have no resolver. Default: graphql-js's, which reads the parent's property. */
  readonly fieldResolver?: GraphQLFieldResolver<unknown, unknown> | undefined;
  /** Resolves abstract types that have no `resolveType`. Default: graphql-js's. */
  readonly typeResolver?: GraphQLTypeResolver<unknown, unknown> | undefined;
  readonly hideSuggestions: boolean;
  /** May end the execution before its time. Default: it runs to its end. */
  readonly invocation?: ExecutionInvocation | undefined;
  /** How large the answer may become. Default: any size. */
  readonly answerLimit?: AnswerBudget | undefined;
  /**
   * After how many rows of a selection code is made for the next (rows.ts). Making it costs as much as running some
   * hundred rows without it. Infinity: never. Default: 1,000.
   */
  readonly rowsBeforeCode?: number | undefined;
  /** After how many errors the coercion of variables is given up. Default: 50, as in graphql-js. */
  readonly maxInputErrors?: number | undefined;
  /** The root value is an event of a subscription. Tracing channels are told less of it. Default: false */
  readonly isEvent?: boolean | undefined;
  /** The plan, if it is kept with the document. */
  readonly kept?: KeptPlan | undefined;
  /** Lists the objects of the answer. Undefined: they are not listed. */
  readonly objects?: ObjectLog | undefined;
}

/**
 * The value of the option `executor`: made by `graphqlJSExecutor()` of `graphql-functions/graphql-js`. Handed in, so that bundles
 * without it have nothing of graphql-js's executor: 7 KiB of gzip.
 */
export interface GraphQLJSExecutor {
  readonly executeWithGraphQLJS: (execution: PlannedExecution) => ExecutionResult | Promise<ExecutionResult>;
}

/** Runs an operation by its plan. The result is that of the installed graphql-js. A promise only when something was asynchronous. */
export function executePlanned(execution: PlannedExecution): ExecutionResult | Promise<ExecutionResult> {
  const plan = planFor(execution);
  const channels = executionChannels(execution);
  if (channels === undefined) return executePlan(plan, execution);
  return traceExecute(channels, execution, () => executePlan(plan, execution, channels));
}

/**
 * By operation: a plan lives as long as its document, which the document cache keeps. Plans with a place of their own stand there
 * alone, until another operation of their document takes it: entries here are a third of the garbage of a plan that runs once.
 */
const plans = new WeakMap<OperationDefinitionNode, Plan>();

/**
 * A place for the plan of an operation beside its document: it is found there without a look-up.
 *
 * A plan is kept from the second run of its document on. Most documents of some clients run once: a plan that is not kept is
 * collected while it is young, which spares a seventh of the CPU of such a document, and half of the heap that it holds.
 */
export interface KeptPlan {
  /** Undefined: nothing has run yet. Null: one operation has run, once. */
  plan: Plan | null | undefined;
}

function planFor(execution: PlannedExecution): Plan {
  const { schema, document, operation, kept } = execution;
  if (kept === undefined) return findPlan(execution);
  const { plan } = kept;
  if (plan === undefined) {
    kept.plan = null;
    return planOperation(schema, document, operation).forOneRun();
  }
  if (plan === null) return (kept.plan = planOperation(schema, document, operation));
  if (plan.operation === operation && plan.schema === schema && plan.document === document) return plan;
  if (!plans.has(plan.operation)) plans.set(plan.operation, plan);
  return (kept.plan = findPlan(execution));
}

function findPlan(execution: PlannedExecution): Plan {
  const { schema, document, operation } = execution;
  const known = plans.get(operation);
  if (known !== undefined && known.schema === schema && known.document === document) return known;
  return known === undefined ? addPlan(plans, operation, planOperation(schema, document, operation)) : planForOther(execution);
}

/** The plans of operations that run on several schemas, beside the first. */
const plansBySchema = new WeakMap<GraphQLSchema, WeakMap<OperationDefinitionNode, Plan>>();

function planForOther({ schema, document, operation }: PlannedExecution): Plan {
  let others = plansBySchema.get(schema);
  if (others === undefined) plansBySchema.set(schema, (others = new WeakMap()));
  const known = others.get(operation);
  return known?.document === document ? known : addPlan(others, operation, planOperation(schema, document, operation));
}

function addPlan(known: WeakMap<OperationDefinitionNode, Plan>, operation: OperationDefinitionNode, plan: Plan): Plan {
  known.set(operation, plan);
  return plan;
}

/** Plans an operation. */
function planOperation(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Plan {
  assertValidSchema(schema);
  return new Plan(schema, document, operation);
}

/** Runs a plan. */
function executePlan(plan: Plan, execution: PlannedExecution, channels?: ExecutionChannels): ExecutionResult | Promise<ExecutionResult> {
  lookAgain();
  const values = channels === undefined ? coerceVariables(plan, execution) : coerceTraced(plan, execution, channels);
  if (values instanceof WrongVariables) return { errors: values.errors };
  const run = new Run(execution, plan, values);
  if (channels === undefined) return start(plan, run);
  if (channels.resolve !== undefined) run.fieldTracer = new FieldTracer(channels.resolve);
  return traceStage(channels.rootSelectionSet, execution, () => start(plan, run));
}

function start(plan: Plan, run: Run): ExecutionResult | Promise<ExecutionResult> {
  let data: unknown;
  try {
    const selection = plan.selectionFor(run.coerced);
    const isSerial = plan.operation.operation === OperationTypeNode.MUTATION;
    data = isSerial
      ? executeSerially(run, selection, run.settings.rootValue)
      : executeFields(run, selection, run.settings.rootValue, undefined);
  } catch (error) {
    run.record(toRootError(error));
    data = null;
  }
  if (data instanceof Pending) {
    return whenFinished(plan, run, data);
  }
  plan.trim();
  return run.finish(data);
}

/** The answer of a run that waits for something: when all of it has come, or the time is up. */
function whenFinished(plan: Plan, run: Run, pending: Pending): Promise<ExecutionResult> {
  return new Promise((resolve) => {
    const stop = run.settings.invocation?.onCancel((reason) => {
      // In a turn of its own: a client can leave in the middle of a resolver, whose object is not where it belongs yet.
      queueMicrotask(() => run.endWait(pending, reason));
    });
    run.onFinish = (result) => {
      stop?.();
      plan.trim();
      resolve(result);
    };
  });
}

class WrongVariables {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    this.errors = errors;
  }
}

/** Undefined: there are none. */
function coerceVariables(plan: Plan, execution: PlannedExecution): VariableValues | WrongVariables | undefined {
  const definitions = plan.operation.variableDefinitions;
  if (definitions === undefined || definitions.length === 0) return undefined;
  return plan.coerceVariables(execution.variableValues ?? {}) ?? valuesIn(askGraphQLJS(plan, execution));
}

/** By graphql-js, also where there is nothing to coerce: its events have its results. */
function coerceTraced(plan: Plan, execution: PlannedExecution, { variableCoercion }: ExecutionChannels): VariableValues | WrongVariables {
  return valuesIn(traceStage(variableCoercion, execution, () => askGraphQLJS(plan, execution)));
}

function askGraphQLJS({ schema, operation }: Plan, execution: PlannedExecution): ReturnType<typeof getVariableValues> {
  const { variableValues, hideSuggestions, maxInputErrors: maxErrors = 50 } = execution;
  // Version 3 hands on a null of the request.
  const answer = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {}, { maxErrors, hideSuggestions });
  const values = valuesIn(answer);
  if (!(values instanceof WrongVariables)) ownVariables({ schema, operation }, coercedOf(values));
  return answer;
}

/** graphql 16 names the values themselves `coerced`. */
function valuesIn(answer: ReturnType<typeof getVariableValues>): VariableValues | WrongVariables {
  if (answer.errors !== undefined) return new WrongVariables(answer.errors);
  return isGraphQL17 ? answer.variableValues : (answer as unknown as { readonly coerced: VariableValues }).coerced;
}
