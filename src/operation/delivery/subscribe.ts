import * as graphql from 'graphql';
import type { ExecutionResult, GraphQLError } from 'graphql';

import type { OperationInvocation } from '../../message/invocation.ts';
import { isGraphQL17 } from '../../execution/graphql-js/version.ts';
import { executeContext } from '../../execution/trace-execution.ts';
import { withSignal } from '../../execution/graphql-js/subscribe-signal.ts';
import { ownErrors } from '../../message/own-errors.ts';
import { listenedChannel, traceMixed } from '../../message/tracing-channels.ts';
import type { DeliveryInput } from './delivery.ts';
import type { PayloadStream, SubsequentPayload } from '../types.ts';
import { deadlineExceeded, formatResult, isGraphQLError } from '../errors.ts';
import { executeOperation, refuseHeavyVariables, toExecutionArgs, withCoercionCode } from '../execute.ts';
import type { Execution, ExecutionSettings } from '../execute.ts';
import { withDeadline } from '../with-deadline.ts';
import { lastResult, tellOfErrors, tellOfPayload } from './payload-hooks.ts';
import { closeSource, SourcedPayloads, withThrown } from './payload-stream.ts';
import { OperationTypeNode } from 'graphql';

/** Executes an operation that may have several answers: a subscription, or one with parts that come later. */
export function executeDelivery(input: DeliveryInput): ExecutionResult | Promise<ExecutionResult> {
  const { settings, execution, delivery } = input;
  if (execution.operation.operation === OperationTypeNode.SUBSCRIPTION) return subscribe(input);
  if (delivery.incremental !== undefined && settings.incrementalDelivery !== undefined) return settings.incrementalDelivery.execute(input);
  return executeOperation(settings, execution);
}

/**
 * Runs a subscription: opens a stream with one result for each event of its source. The result returned has no entry
 * but the errors of a subscription that did not come about.
 */
async function subscribe(input: DeliveryInput): Promise<ExecutionResult> {
  const { settings, execution, invocation, open } = input;
  const refusal = refuseHeavyVariables(settings, execution);
  if (refusal !== undefined) return withCoercionCode(settings, refusal);
  const channel = listenedChannel('subscribe');
  const creating =
    channel === undefined
      ? createEvents(settings, execution)
      : traceMixed(channel, executeContext({ ...execution, ...settings, variableValues: execution.variables }), () =>
          createEvents(settings, execution),
        );
  const events = creating instanceof Promise ? await createWithDeadline(creating, invocation) : creating;
  if (!(Symbol.asyncIterator in events)) return isOfResolver(events) ? events : withCoercionCode(settings, events);
  const stream = new SourcedPayloads<unknown>({
    source: events[Symbol.asyncIterator](),
    toPayload: (event) => answerEvent(input, event),
    toLastPayload: (thrown) => lastResult(input, thrown),
  });
  endWithSignal(stream, invocation.signal);
  open(stream);
  return {};
}

/** A source that is not there when the time is up is ended when it comes. */
function createWithDeadline<T extends object>(creating: Promise<T>, invocation: OperationInvocation): Promise<T> {
  let isLate = false;
  const giveUp = (reason: Error): never => {
    isLate = true;
    throw reason;
  };
  const closeIfLate = (events: T): void => {
    if (isLate && Symbol.asyncIterator in events) void closeSource((events as unknown as AsyncIterable<unknown>)[Symbol.asyncIterator]());
  };
  creating.then(closeIfLate, () => {});
  return withDeadline(creating, invocation, { onCancel: giveUp, onLastMoment: () => giveUp(deadlineExceeded()) });
}

/** The source stream (GraphQL specification, section 6.2.3.1), or the errors for which there is none. */
function createEvents(settings: ExecutionSettings, execution: Execution): PromiseOrValue<AsyncIterable<unknown> | ExecutionResult> {
  const args = withSignal(toExecutionArgs(settings, execution), execution.invocation);
  // graphql 17 wants them checked, by a function that 16 does not have. It is read as a property of the module and
  // nowhere else: taken apart in any other way, bundles get the whole of graphql-js (18 KB of gzip).
  const checked = isGraphQL17 ? graphql.validateSubscriptionArgs(args) : args;
  if (!('schema' in checked)) return { errors: checked as readonly GraphQLError[] };
  return graphql.createSourceEventStream(checked as Parameters<typeof graphql.createSourceEventStream>[0]);
}

/** An error of a resolver has the path of its field; one of variables that cannot be coerced has none. */
function isOfResolver({ errors }: ExecutionResult): boolean {
  return errors?.[0]?.path !== undefined;
}

type PromiseOrValue<T> = T | Promise<T>;

/** Each event is executed as an operation whose root value it is. */
async function answerEvent({ settings, execution, hooks }: DeliveryInput, event: unknown): Promise<SubsequentPayload> {
  // As a function, for an event may be one.
  const executed = await executeOperation({ ...settings, rootValue: () => event }, { ...execution, isEvent: true });
  const result = executed.errors === undefined ? executed : { ...executed, errors: ownErrors(executed.errors) };
  if (hooks !== undefined && result.errors !== undefined) await tellOfErrors(hooks, result.errors);
  const payload = withThrown(formatResult(settings, result), result.errors);
  return hooks === undefined ? payload : tellOfPayload(hooks, payload);
}

/** The signal fires when the client has left, and when time is up: then its reason is an error for the client, who is still there. */
function endWithSignal(stream: PayloadStream, signal: AbortSignal): void {
  const end = (): void => {
    if (isGraphQLError(signal.reason)) stream.finish(signal.reason);
    else void stream.return();
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}
