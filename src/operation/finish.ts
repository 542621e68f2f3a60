import type { ExecutionResult, FormattedExecutionResult } from 'graphql';

import { rescued, whenReady } from '../message/eventual.ts';
import { ownErrors } from '../message/own-errors.ts';
import type { Eventual } from '../message/eventual.ts';
import { formatFailure, formatResult, reportUnfinished, toGraphQLError } from './errors.ts';
import type { ErrorAllowance } from './limits/error-allowance.ts';
import { withDeadline } from './with-deadline.ts';
import { tellOfFailure } from './hooks.ts';
import type { AnsweredObjects, OperationOutcome } from './types.ts';
import type { OperationState } from './state.ts';

/** Result → outcome: the answer as the client gets it. */
export function finish(result: ExecutionResult, state: OperationState): Eventual<OperationOutcome> {
  state.result = result;
  // Nothing is to be masked, and nobody is to be told: the usual answer.
  if (result.errors === undefined && state.hooks === undefined) return toOutcome(result as FormattedExecutionResult, state);
  if (result.errors !== undefined) {
    state.result = { ...result, errors: ownErrors(result.errors) };
    reportUnfinished(state.settings.logger, result.errors);
  }
  return rescued(formatAnswer, giveUp, state);
}

function formatAnswer(state: OperationState): Eventual<OperationOutcome> {
  const tellsPlugins = state.hooks !== undefined || state.contextFailed;
  return whenReady(tellsPlugins ? hooksInTime(state) : formatResult(state.settings, state.result, allowanceOf(state)), toOutcome, state);
}

function allowanceOf({ input, allowance }: OperationState): ErrorAllowance | undefined {
  return input.budget?.errors ?? allowance;
}

/** A hook that hangs has no word in the answer. */
function hooksInTime(state: OperationState): Promise<FormattedExecutionResult> {
  const onLastMoment = (): FormattedExecutionResult => state.answer ?? formatResult(state.settings, state.result, allowanceOf(state));
  return withDeadline(finishWithHooks(state), state.input.invocation, { onLastMoment });
}

/** A hook or formatError failed: neither is asked again. */
function giveUp(thrown: unknown, state: OperationState): OperationOutcome {
  const error = toGraphQLError(thrown);
  void state.stream?.return();
  state.stream = undefined;
  state.result = { errors: [error] };
  return toOutcome(formatFailure(state.settings, error), state);
}

function toOutcome(answer: FormattedExecutionResult, state: OperationState): OperationOutcome {
  const { result, input, operation, source, contextFailed, stream } = state;
  const objects = objectsOf(state, answer);
  return { result: answer, errors: result.errors ?? [], head: input.head, operation, source, contextFailed, stream, objects };
}

/** Of an answer that a hook has put in the place of the executor's nothing is known. */
function objectsOf({ objects, result }: OperationState, answer: FormattedExecutionResult): AnsweredObjects | undefined {
  return objects?.isComplete === true && answer.data === result.data ? objects : undefined;
}

async function finishWithHooks(state: OperationState): Promise<FormattedExecutionResult> {
  const { settings, hooks, contextFailed, result } = state;
  const { plugins, logger } = settings;
  const [error] = result.errors ?? [];
  if (contextFailed && error !== undefined)
    for (const plugin of plugins)
      await tellOfFailure(logger, 'contextCreationDidFail', () => plugin.contextCreationDidFail?.({ error, logger }));
  if (hooks !== undefined && result.errors !== undefined) await hooks.didEncounterErrors(result.errors);
  const formatted = formatResult(settings, result, allowanceOf(state));
  state.answer = formatted;
  return hooks === undefined ? formatted : hooks.willSendResponse(formatted);
}
