import type { ExecutionResult, FormattedExecutionResult } from 'graphql';

import { copyErrorsForOperation } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import { toGraphQLError, unfinishedAtDeadline } from './errors.ts';
import { haveWrongVariables } from './execute.ts';
import { formatFailure, formatResult } from './format-errors.ts';
import { reportUnfinished } from './log-errors.ts';
import { ErrorAllowance } from './limits/error-allowance.ts';
import { callFailureHook } from './apollo-hooks.ts';
import type { OperationOutcome } from './types.ts';
import type { Operation } from './operation.ts';

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
export function outcomeOfFailure(thrown: unknown, operation: Operation): OperationOutcome {
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
