/** From a chosen operation to its result: limits, variables, and the execution inside plugins and hooks, in time. */
import type { ExecutionResult, GraphQLError } from 'graphql';

import { coercedVariables, joinObservers, prepareExecution } from '../../executor/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import { errorHandling as handlingOf } from './error-behavior.ts';
import type { Stage } from './around.ts';
import { codeOf, deadlineExceeded, toErrors, unfinishedAtDeadline } from './errors.ts';
import { createExecution, executeOperation } from './execute.ts';
import type { Execution } from './execute.ts';
import type { Operation } from './operation.ts';
import { outcomeOfFailure, toOutcome } from './outcome.ts';
import type { OperationHooks } from './apollo-hooks.ts';
import type { ExecutionOptions, OperationExecution } from './plugin.ts';
import type { OperationOutcome } from './types.ts';

/**
 * Plans the operation at its first runs, and coerces its variables. Variables with errors are the result of the execution, and its hooks
 * are called.
 */
export function prepare(operation: Operation): Execution {
  const { settings, request, source, node, contextValue, capacity, operations, invocation } = operation;
  const onError = request.onError ?? source!.onError;
  const { document, plans } = operation.document!;
  const isSubscription = node!.operation === 'subscription';
  const partsFormat = isSubscription ? undefined : operation.delivery?.incremental;
  const execution = createExecution(settings, {
    document,
    operation: node!,
    contextValue,
    variableValues: request.variables,
    invocation,
    answerLimit: { capacity, operations },
    kept: plans,
    errorHandling: onError === undefined ? settings.errorHandling : handlingOf[onError],
    observer: operation.observer,
    parts: partsFormat && settings.incrementalDelivery?.partsOf(partsFormat),
  });
  // The option `executor` coerces variables itself.
  if (settings.executor === undefined) execution.prepared = prepareExecution(execution);
  return execution;
}

/** Runs the resolvers, inside hooks, and inside the plugins that wrap executions. */
export function execute(operation: Operation, stage = operation.settings.stages?.execution): PromiseOrValue<ExecutionResult> {
  if (stage !== undefined && coercedVariables(operation.execution!) !== undefined) return executeInStage(operation, stage);
  return operation.hooks === undefined ? executeNow(operation) : executeInHooks(operation, operation.hooks);
}

/** Fills in `outcome`. */
async function executeInStage(operation: Operation, stage: Stage<OperationExecution, OperationOutcome>): Promise<ExecutionResult> {
  const { invocation } = operation;
  const chosen: ExecutionOptions[] = [];
  const outcome = await stage(describeExecution(operation), {
    invocation,
    run: () => {
      applyOptions(operation, chosen);
      return (operation.wrapped = executeToOutcome(operation));
    },
    fail: (thrown) => failInPlugins(thrown, operation),
    pass: (execution, options?: ExecutionOptions) => {
      if (options !== undefined) chosen.push(options);
      return execution;
    },
  });
  // A plugin may have stored the answer.
  operation.outcome = 'onError' in outcome ? outcome : { ...outcome, onError: operation.request.onError ?? operation.source!.onError };
  return {};
}

type Writable = { -readonly [TKey in keyof Execution]: Execution[TKey] };

/** Applies the choices of plugins for an execution, the outermost first. */
function applyOptions(operation: Operation, chosen: readonly ExecutionOptions[]): void {
  if (chosen.length === 0) return;
  const { execution } = operation as { execution: Writable };
  if (chosen.some(({ inOneAnswer }) => inOneAnswer === true)) {
    operation.delivery = undefined;
    execution.parts = undefined;
  }
  execution.observer = joinObservers([...chosen.map(({ observer }) => observer), operation.observer]);
  execution.prepared?.run.choose(execution);
}

/** The outcome of `next`. If a plugin calls it after the operation was answered, nothing starts. */
async function executeToOutcome(operation: Operation): Promise<OperationOutcome> {
  if (operation.timeIsUp !== undefined) return outcomeOfFailure(operation.timeIsUp, operation);
  let result: ExecutionResult;
  try {
    const running = operation.hooks === undefined ? executeNow(operation) : executeInHooks(operation, operation.hooks);
    result = running instanceof Promise ? await waitForExecution(running, operation) : running;
  } catch (thrown) {
    result = toErrors(thrown);
  }
  return toOutcome(result, operation);
}

/** If a plugin fails, the operation fails. The last hooks are called once. */
function failInPlugins(thrown: unknown, operation: Operation): PromiseOrValue<OperationOutcome> {
  if (operation.wrapped !== undefined || operation.timeIsUp !== undefined) return outcomeOfFailure(thrown, operation);
  return (operation.wrapped = toOutcome(toErrors(thrown), operation));
}

/** The execution as plugins see it. */
export function describeExecution(operation: Operation): OperationExecution {
  const { settings, seen, contextValue, source, document, node, invocation } = operation;
  return {
    ...seen!,
    schema: settings.schema,
    contextValue,
    source: source!.source,
    document: document!.document,
    operation: node!,
    invocation,
    variableValues: coercedVariables(operation.execution!)!,
  };
}

/** Stores the result before `executionDidEnd` is called, which may take longer than the remaining time. */
function executeInHooks(operation: Operation, hooks: OperationHooks): Promise<ExecutionResult> {
  return hooks.aroundExecution(async () => (operation.result = await executeNow(operation)));
}

function executeNow(operation: Operation): PromiseOrValue<ExecutionResult> {
  if (operation.timeIsUp !== undefined) throw operation.timeIsUp;
  const { settings, execution, node, delivery } = operation;
  // A mutation whose variables are invalid changes nothing: such requests must not empty the CDN of `edge`.
  operation.isExecuting = node!.operation !== 'mutation' || coercedVariables(execution!) !== undefined;
  return delivery === undefined ? executeOperation(settings, execution!) : delivery.execute(operation);
}

/** The result of the steps, in time: if a context, data source or hook hangs, only this operation times out. */
export function waitInTime(running: Promise<ExecutionResult>, operation: Operation): Promise<ExecutionResult> {
  return waitForExecution(running, operation, () => operation.wrapped !== undefined);
}

/** The executor and wrapped executions have their own timeout. */
function waitForExecution(
  running: Promise<ExecutionResult>,
  operation: Operation,
  endsByItself: () => boolean = () => false,
): Promise<ExecutionResult> {
  if (operation.isExecuting && operation.hooks === undefined) return running;
  return operation.invocation.inTime(running, {
    onCancel: (reason) => {
      if (endsByItself()) return undefined;
      operation.timeIsUp = reason;
      // Nothing has run.
      if (!operation.isExecuting) throw codeOf(reason as GraphQLError) === 'DEADLINE_EXCEEDED' ? deadlineExceeded() : reason;
      return undefined;
    },
    onLastMoment: () => {
      if (endsByItself()) return undefined;
      if (operation.result === undefined) throw operation.isExecuting ? unfinishedAtDeadline() : deadlineExceeded();
      return operation.result;
    },
  });
}
