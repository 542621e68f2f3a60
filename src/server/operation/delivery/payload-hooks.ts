import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import type { OperationInvocation } from '../../../shared/index.ts';
import type { DeliveryInput } from './delivery.ts';
import { toGraphQLError } from '../errors.ts';
import { formatFailure, formatResult } from '../format-errors.ts';
import type { OperationHooks } from '../apollo-hooks.ts';
import type { RequestContextWithOperation } from '../apollo-hooks.ts';
import type { SubsequentPayload } from '../types.ts';
import { withThrown } from './payload-stream.ts';

/** Calls `didEncounterSubsequentErrors` of every listener. It is not in hooks.ts, so that bundles without streams do not contain it. */
export async function callDidEncounterSubsequentErrors(
  { listeners, context }: OperationHooks,
  errors: readonly GraphQLError[],
): Promise<void> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.didEncounterSubsequentErrors?.(operation, errors);
}

/**
 * The result that ends a stream early, because its source or a hook failed, or the call was ended. Never rejects. If formatError fails, it
 * is not called again.
 */
export async function lastResult({ settings, hooks, invocation }: DeliveryInput, thrown: unknown): Promise<FormattedExecutionResult> {
  const error = toGraphQLError(thrown);
  try {
    if (hooks !== undefined) await callErrorHooksInTime(hooks, error, invocation);
    return withThrown(formatResult(settings, { errors: [error] }), [error]);
  } catch (failure) {
    return withThrown(formatFailure(settings, failure), [error]);
  }
}

/** Stops waiting at the last moment, so that a hanging hook does not delay the end. */
async function callErrorHooksInTime(hooks: OperationHooks, error: GraphQLError, invocation: OperationInvocation): Promise<void> {
  const calling = callDidEncounterSubsequentErrors(hooks, [error]).then(() => true);
  await invocation.inTime(calling, { onLastMoment: () => true });
}

/** Calls `willSendSubsequentPayload` of every listener, which may change the payload. */
export async function callWillSendSubsequentPayload(
  { listeners, context }: OperationHooks,
  payload: SubsequentPayload,
): Promise<SubsequentPayload> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.willSendSubsequentPayload?.(operation, payload);
  return payload;
}
