import type { ExecutionResult } from 'graphql';

import type { Eventual, OperationInvocation } from '../../shared/index.ts';
import type { GraphQLError } from 'graphql';

import { codeOf, deadlineExceeded, unfinishedAtDeadline } from './errors.ts';
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
      // Nothing has run.
      if (!state.isExecuting) throw codeOf(reason as GraphQLError) === 'DEADLINE_EXCEEDED' ? deadlineExceeded() : reason;
      return undefined;
    },
    onLastMoment: () => {
      if (endsByItself()) return undefined;
      if (state.result === undefined) throw state.isExecuting ? unfinishedAtDeadline() : deadlineExceeded();
      if (state.hooks?.mustEnd === true) throw unfinishedAtDeadline();
      return state.result;
    },
  });
}

/** What plugins are around. */
interface Wrapped {
  /** The outcome inside. Undefined: no plugin has called `next` yet. */
  readonly inner: () => Eventual<OperationOutcome> | undefined;
  /** True if a plugin may still refuse the outcome. */
  readonly mustEnd: boolean;
}

/**
 * The outcome of plugins around something. If one hangs after `next`, the inner outcome is sent only if all of them just watch: a client
 * can choose the moment with a slow field, and must not get what a plugin would have taken away.
 */
export function outcomeInTime(
  wrapping: Eventual<OperationOutcome>,
  invocation: OperationInvocation,
  { inner, mustEnd }: Wrapped,
): Eventual<OperationOutcome> {
  if (!(wrapping instanceof Promise)) return wrapping;
  const onLastMoment = (): Eventual<OperationOutcome> => {
    const outcome = inner();
    if (outcome === undefined) throw deadlineExceeded();
    if (mustEnd) throw unfinishedAtDeadline();
    return outcome;
  };
  return withDeadline(wrapping, invocation, { onLastMoment });
}
