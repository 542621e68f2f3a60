import type { ExecutionResult } from 'graphql';

import { copyErrorsForOperation, isGraphQLError } from '../../../shared/index.ts';
import type { ExecutionInvocation, OperationInvocation, PromiseOrValue } from '../../../shared/index.ts';
import { closeSource, createSourceStream } from '../../../executor/index.ts';
import type { PlannedExecution } from '../../../executor/index.ts';
import { attachDataSources } from '../context.ts';
import type { Operation, ReadyOperation } from '../operation.ts';
import { openStream, SourcedPayloads, lastResult } from './payload-stream.ts';
import type { PayloadOutcome, PayloadStream } from '../types.ts';
import { endOf, toErrors, toGraphQLError } from '../errors.ts';
import { formatResult } from '../format-errors.ts';
import { executeOperation, withCoercionCode } from '../run-operation.ts';

/** Executes an operation that may have several answers: a subscription, or one with `@defer` or `@stream`. */
export function deliver(operation: ReadyOperation): PromiseOrValue<ExecutionResult> {
  const { settings, node, execution } = operation;
  if (node.operation === 'subscription') return subscribe(operation);
  return execution.parts === undefined ? executeOperation(settings, execution) : settings.incrementalDelivery!.execute(operation);
}

/**
 * Runs a subscription: opens a stream with one result for each event of its source. The returned result is empty, or has the errors for
 * which the subscription could not start.
 */
async function subscribe(operation: ReadyOperation): Promise<ExecutionResult> {
  const { invocation, execution } = operation;
  const creating = createSourceStream(execution);
  const events = creating instanceof Promise ? await createWithDeadline(creating, invocation) : creating;
  if (!(Symbol.asyncIterator in events)) return isOfResolver(events) ? events : withCoercionCode(execution, events);
  const eventInvocation = ofEvents(invocation);
  const stream = new SourcedPayloads<unknown>({
    source: events[Symbol.asyncIterator](),
    invocation,
    toPayload: (event) =>
      answerEvent(operation, { ...execution, invocation: eventInvocation, rootValue: event, eventOf: execution, prepared: undefined }),
    toLastPayload: (thrown) => {
      // A generator that waits for an event cannot end before it has arrived, unless the signal stops the wait.
      invocation.stop(toGraphQLError(thrown));
      return lastResult(operation, thrown);
    },
  });
  endWithSignal(stream, invocation.signal);
  openStream(operation, stream);
  return {};
}

/** Waits for the source until the deadline. A source that is created later is closed at once. */
function createWithDeadline<T extends object>(creating: Promise<T>, invocation: OperationInvocation): Promise<T> {
  let isLate = false;
  const giveUp = (reason: Error): never => {
    isLate = true;
    throw reason;
  };
  const closeIfLate = (events: T): void => {
    if (isLate && Symbol.asyncIterator in events)
      closeSource((events as unknown as AsyncIterable<unknown>)[Symbol.asyncIterator](), invocation);
  };
  creating.then(closeIfLate, () => {});
  return invocation.untilLate(creating, giveUp, 'onCancel');
}

/** An error of a resolver has the path of its field; one of variables that cannot be coerced has none. */
function isOfResolver({ errors }: ExecutionResult): boolean {
  return errors?.[0]?.path !== undefined;
}

/** An error ends only its event, not the subscription. */
function ofEvents(invocation: OperationInvocation): ExecutionInvocation {
  return {
    get signal() {
      return invocation.signal;
    },
    onCancel: (callback) => invocation.onCancel(callback),
    closeAfter: (work) => invocation.closeAfter?.(work),
  };
}

/** Executes the operation for one event, which is the root value. */
async function answerEvent(operation: Operation, execution: PlannedExecution): Promise<PayloadOutcome> {
  const { settings, hooks, contextValue } = operation;
  // New data sources for each event.
  const renewed = settings.dataSources && attachDataSources(settings, contextValue as Record<string, unknown>, operation);
  const failed = await renewed?.then(() => undefined, toErrors);
  const executed = failed ?? (await executeOperation(settings, execution));
  const result = executed.errors === undefined ? executed : { ...executed, errors: copyErrorsForOperation(executed.errors) };
  if (hooks !== undefined && result.errors !== undefined) await hooks.call('didEncounterSubsequentErrors', result.errors);
  const payload = formatResult(settings, result);
  await hooks?.call('willSendSubsequentPayload', payload);
  return { result: payload, errors: result.errors ?? [] };
}

/** The signal fires when the client leaves, and at the deadline, whose error the client gets. */
function endWithSignal(stream: PayloadStream, signal: AbortSignal): void {
  const end = (): void => {
    if (isGraphQLError(signal.reason) && endOf(signal.reason) !== 'disconnect') stream.finish(signal.reason);
    else void stream.return();
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}
