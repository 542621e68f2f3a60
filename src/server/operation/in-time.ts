import type { ExecutionResult } from 'graphql';

import type { Eventual, OperationInvocation } from '../../shared/index.ts';
import { deadlineExceeded } from './errors.ts';
import type { OperationState } from './state.ts';
import type { OperationOutcome } from './types.ts';
import { withDeadline } from './with-deadline.ts';

/** Throws when the call has been answered already: the start of the server, or a body, came too late. */
export function assertInTime({ input }: OperationState): void {
  if (input.invocation.isOver) throw deadlineExceeded();
}

/** True when no further step is run. Throws when the time is up. */
export function isExecuted({ timeIsUp, result }: OperationState): boolean {
  if (timeIsUp !== undefined) throw timeIsUp;
  return result !== undefined;
}

/**
 * The result of running steps. A context, a data source or a hook that hangs must not take the answer with it, nor those of the
 * other elements of a batch. An execution without hooks ends in time by itself, and so does one that plugins wrap.
 */
export function resultInTime(running: Eventual<void>, state: OperationState): Eventual<ExecutionResult> {
  return running instanceof Promise ? waitInTime(running, state, () => state.wrapped !== undefined) : state.result!;
}

/** The same for an execution inside the plugins that wrap it. */
export function wrappedResultInTime(running: Eventual<ExecutionResult>, state: OperationState): Eventual<ExecutionResult> {
  return running instanceof Promise ? waitInTime(running, state, () => false) : running;
}

function waitInTime(running: Promise<unknown>, state: OperationState, endsByItself: () => boolean): Promise<ExecutionResult> {
  const result = running.then(() => state.result!);
  if (state.isExecuting && state.hooks === undefined) return result;
  return withDeadline(result, state.input.invocation, {
    onCancel: (reason) => {
      if (endsByItself()) return undefined;
      state.timeIsUp = reason;
      if (!state.isExecuting) throw reason;
      return undefined;
    },
    onLastMoment: () => {
      if (endsByItself()) return undefined;
      if (state.result === undefined) throw deadlineExceeded();
      return state.result;
    },
  });
}

/** The outcome of plugins around something. One that hangs after `next` does not withhold the inner outcome, which comes in time. */
export function outcomeInTime(
  wrapping: Eventual<OperationOutcome>,
  invocation: OperationInvocation,
  inner: () => Eventual<OperationOutcome> | undefined,
): Eventual<OperationOutcome> {
  if (!(wrapping instanceof Promise)) return wrapping;
  const onLastMoment = (): Eventual<OperationOutcome> => {
    const outcome = inner();
    if (outcome === undefined) throw deadlineExceeded();
    return outcome;
  };
  return withDeadline(wrapping, invocation, { onLastMoment });
}
