import type { ExecutionResult, FormattedExecutionResult } from 'graphql';

import { copyErrorsForOperation, rescued, whenReady } from '../../shared/index.ts';
import type { PromiseOrValue } from '../../shared/index.ts';
import type { ErrorBehavior } from './error-behavior.ts';
import { toGraphQLError, unfinishedAtDeadline } from './errors.ts';
import { formatFailure, formatResult } from './format-errors.ts';
import { reportUnfinished } from './log-errors.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';
import { callFailureHook } from './hooks.ts';
import type { AnsweredObjects, OperationOutcome } from './types.ts';
import type { OperationState } from './state.ts';

/** Converts a result to an outcome: formats errors and calls the last hooks. Never fails. */
export function toOutcome(result: ExecutionResult, state: OperationState): PromiseOrValue<OperationOutcome> {
  // With plugins that wrap the execution, the outcome exists already.
  if (state.outcome !== undefined) return state.outcome;
  state.result = result;
  // The usual case: no errors to format, no hooks to call.
  if (result.errors === undefined && state.hooks === undefined) return outcomeOf(result as FormattedExecutionResult, state);
  if (result.errors !== undefined) {
    const errors = copyErrorsForOperation(result.errors);
    state.result = { ...result, errors };
    reportUnfinished(state.settings.logger, errors);
  }
  return rescued(formatToOutcome, outcomeOfFailure, state);
}

function formatToOutcome(state: OperationState): PromiseOrValue<OperationOutcome> {
  return whenReady(formatWithHooks(state), outcomeOf, state);
}

function outcomeOf(formatted: FormattedExecutionResult, state: OperationState): OperationOutcome {
  const { result, input, operation, known, found, contextValue, stream } = state;
  const objects = objectsOf(state, formatted);
  const { head } = input;
  return {
    result: formatted,
    errors: result!.errors ?? [],
    head,
    operation,
    document: known?.document,
    source: found?.source,
    executed: state.isExecuting,
    contextFailed: contextValue === undefined,
    onError: errorBehaviorOf(state),
    stream,
    objects,
  };
}

/** What errors do to the answer, from the request or the trusted document. */
export function errorBehaviorOf({ input, found }: OperationState): ErrorBehavior | undefined {
  return input.request.onError ?? found?.onError;
}

/** Undefined if a hook has replaced the data: then its objects are unknown. */
function objectsOf({ execution, result }: OperationState, { data }: FormattedExecutionResult): AnsweredObjects | undefined {
  const objects = execution?.objects;
  return objects?.isComplete === true && data === result!.data ? objects : undefined;
}

/** The outcome if a hook, a plugin or formatError failed. Calls none of them again. */
export function outcomeOfFailure(thrown: unknown, state: OperationState): OperationOutcome {
  const error = toGraphQLError(thrown);
  void state.stream?.return();
  state.stream = undefined;
  state.result = { errors: [error] };
  return outcomeOf(formatFailure(state.settings, error), state);
}

/** Stops waiting for hooks at the last moment: an error then replaces the answer that a hook has not seen. */
function formatWithHooks(state: OperationState): PromiseOrValue<FormattedExecutionResult> {
  if (state.hooks === undefined && state.contextValue !== undefined) return format(state);
  const onLastMoment = (): FormattedExecutionResult => {
    if (state.hooks?.mustEnd === true) throw unfinishedAtDeadline();
    return state.formatted ?? format(state);
  };
  return state.input.invocation.inTime(callLastHooks(state), { onLastMoment });
}

function format({ settings, result, input, allowance }: OperationState): FormattedExecutionResult {
  const shared: ErrorAllowance | undefined = input.budget?.errors ?? allowance;
  return formatResult(settings, result!, shared);
}

async function callLastHooks(state: OperationState): Promise<FormattedExecutionResult> {
  const { settings, hooks, contextValue, result } = state;
  const { plugins, logger } = settings;
  const [error] = result!.errors ?? [];
  if (contextValue === undefined && error !== undefined)
    for (const plugin of plugins)
      await callFailureHook(logger, 'contextCreationDidFail', () => plugin.contextCreationDidFail?.({ error, logger }));
  if (hooks !== undefined && result!.errors !== undefined) await hooks.didEncounterErrors(result!.errors);
  const formatted = (state.formatted = format(state));
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
