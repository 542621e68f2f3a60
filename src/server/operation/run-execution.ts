/** From a valid document to the outcome: the choice of the operation, its variables, the execution inside plugins and hooks, in time, and the last hooks. */
import type { ExecutionResult, GraphQLError, OperationDefinitionNode, FormattedExecutionResult } from 'graphql';
import { Kind } from 'graphql';

import { coercedVariables, joinObservers, prepareExecution } from '../../executor/index.ts';
import { copyErrorsForOperation, describe } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import {
  errorHandling as handlingOf,
  codeOf,
  deadlineExceeded,
  toErrors,
  unfinishedAtDeadline,
  createError,
  toGraphQLError,
  reportUnfinished,
} from './errors.ts';
import type { Stage } from './around.ts';
import { createExecution, executeOperation, haveWrongVariables } from './execute.ts';
import type { Execution } from './execute.ts';
import type { Operation } from './operation.ts';
import { callFailureHook } from './apollo-hooks.ts';
import type { OperationHooks } from './apollo-hooks.ts';
import type { ExecutionOptions, OperationExecution } from './plugin.ts';
import type { OperationOutcome } from './types.ts';
import { formatFailure, formatResult } from './format-errors.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';

/** The operation to run: the named one, or the only one. Throws if it may not run here. */
export function operationToRun({ settings, request, document, refuse }: Operation): OperationDefinitionNode {
  const name = request.operationName;
  let found: OperationDefinitionNode | undefined;
  let operations = 0;
  for (const definition of document!.document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    operations++;
    if (name === undefined || definition.name?.value === name) found ??= definition;
  }
  if (operations === 0)
    throw createError('OPERATION_RESOLUTION_FAILURE', 'Expected the document to contain an operation, but it has only fragments.');
  if (found === undefined)
    throw createError('OPERATION_RESOLUTION_FAILURE', `The document has no operation with this name: ${describe(name)}.`);
  if (name === undefined && operations > 1)
    throw createError(
      'OPERATION_RESOLUTION_FAILURE',
      `The document has ${operations} operations: send operationName to say which one to run.`,
    );
  // Every schema has a query type.
  if (found.operation === 'query') return found;
  const refusal = refuse?.(found);
  if (refusal !== undefined) throw refusal;
  if (settings.schema.getRootType(found.operation)) return found;
  throw createError('OPERATION_RESOLUTION_FAILURE', `The schema has no ${found.operation} type.`);
}

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
export function execute(operation: Operation): PromiseOrValue<ExecutionResult> {
  const stage = operation.settings.stages?.execution;
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
    result = running instanceof Promise ? await waitInTime(running, operation, false) : running;
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

/**
 * The result of the steps or of the execution, in time: if a context, data source or hook hangs, only this operation times out. The executor
 * has its own timeout, and so have plugins around the execution, which are among the steps.
 */
export function waitInTime(running: Promise<ExecutionResult>, operation: Operation, areSteps: boolean): Promise<ExecutionResult> {
  if (operation.isExecuting && operation.hooks === undefined) return running;
  const endsByItself = (): boolean => areSteps && operation.wrapped !== undefined;
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

/** Converts a result to an outcome: formats errors and calls the last hooks. Never fails. */
export function toOutcome(result: ExecutionResult, operation: Operation): PromiseOrValue<OperationOutcome> {
  // With plugins that wrap the execution, the outcome exists already.
  if (operation.outcome !== undefined) return operation.outcome;
  operation.result = result;
  // The usual case: no errors to format, no hooks to call.
  if (result.errors === undefined && operation.hooks === undefined) return outcomeOf(result as FormattedExecutionResult, operation);
  if (result.errors !== undefined) {
    const errors = copyErrorsForOperation(result.errors);
    operation.result = { ...result, errors };
    reportUnfinished(operation.settings.logger, errors);
    // A hook after the execution may have failed.
    if (result.data === undefined) closeStream(operation);
  }
  if (operation.hooks !== undefined || operation.contextValue === undefined) return toOutcomeInHooks(operation);
  try {
    return outcomeOf(format(operation), operation);
  } catch (thrown) {
    return outcomeOfFailure(thrown, operation);
  }
}

/** Stops waiting for hooks at the last moment: an error then replaces the answer that a hook has not seen. */
async function toOutcomeInHooks(operation: Operation): Promise<OperationOutcome> {
  const onLastMoment = (): FormattedExecutionResult => {
    if (operation.hooks?.mustEnd === true) throw unfinishedAtDeadline();
    return operation.formatted ?? format(operation);
  };
  try {
    return outcomeOf(await operation.invocation.inTime(callLastHooks(operation), { onLastMoment }), operation);
  } catch (thrown) {
    return outcomeOfFailure(thrown, operation);
  }
}

function outcomeOf(formatted: FormattedExecutionResult, operation: Operation): OperationOutcome {
  const { request, problem, result, head, node, document, source, contextValue, stream } = operation;
  return {
    result: formatted,
    errors: result!.errors ?? [],
    head,
    operation: node,
    document: document?.document,
    source: source?.source,
    executed: operation.isExecuting,
    refused: result!.errors !== undefined && isRefused(operation),
    contextFailed: contextValue === undefined && problem === undefined,
    // What errors do to the answer, from the request or the trusted document.
    onError: request.onError ?? source?.onError,
    stream,
  };
}

/** True if the document was found, and it, the choice of its operation or the variables were not valid. */
function isRefused({ source, node, ended, timeIsUp }: Operation): boolean {
  if (source === undefined || timeIsUp !== undefined || ended === undefined) return false;
  return node === undefined || haveWrongVariables(ended);
}

/** The outcome if a hook, a plugin or formatError failed. Calls none of them again. */
function outcomeOfFailure(thrown: unknown, operation: Operation): OperationOutcome {
  const error = toGraphQLError(thrown);
  closeStream(operation);
  operation.result = { errors: [error] };
  return outcomeOf(formatFailure(operation.settings, error), operation);
}

function closeStream(operation: Operation): void {
  void operation.stream?.return();
  operation.stream = undefined;
}

function format({ settings, result, operations, allowance }: Operation): FormattedExecutionResult {
  return formatResult(settings, result!, allowance ?? new ErrorAllowance(operations));
}

async function callLastHooks(operation: Operation): Promise<FormattedExecutionResult> {
  const { settings, hooks, contextValue, result } = operation;
  const { plugins, logger } = settings;
  const [error] = result!.errors ?? [];
  if (contextValue === undefined && error !== undefined && operation.problem === undefined && operation.timeIsUp === undefined)
    for (const plugin of plugins)
      await callFailureHook(logger, 'contextCreationDidFail', () => plugin.contextCreationDidFail?.({ error, logger }));
  if (hooks !== undefined && result!.errors !== undefined) await hooks.didEncounterErrors(result!.errors);
  const formatted = (operation.formatted = format(operation));
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
