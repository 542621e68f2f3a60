import type { FormattedExecutionResult, GraphQLError } from 'graphql';

import type { OperationInvocation } from '../../message/invocation.ts';
import type { DeliveryInput } from './delivery.ts';
import { formatFailure, formatResult, toGraphQLError } from '../errors.ts';
import type { OperationHooks } from '../hooks.ts';
import { withDeadline } from '../with-deadline.ts';
import type { RequestContextWithOperation } from '../plugin.ts';
import type { SubsequentPayload } from '../types.ts';
import { withThrown } from './payload-stream.ts';

/** `didEncounterSubsequentErrors` of every listener. Here, not in hooks.ts: bundles that do not stream have no use for it. */
export async function tellOfErrors({ listeners, context }: OperationHooks, errors: readonly GraphQLError[]): Promise<void> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.didEncounterSubsequentErrors?.(operation, errors);
}

/**
 * The result that ends a stream before its time: its source or a hook failed, or it was ended. Never rejects:
 * formatError, which may be what failed, is asked once.
 */
export async function lastResult({ settings, hooks, invocation }: DeliveryInput, thrown: unknown): Promise<FormattedExecutionResult> {
  const error = toGraphQLError(thrown);
  try {
    if (hooks !== undefined) await tellOfEnd(hooks, error, invocation);
    return withThrown(formatResult(settings, { errors: [error] }), [error]);
  } catch (failure) {
    return withThrown(formatFailure(settings, failure), [error]);
  }
}

/** Does not wait beyond the last moment for a hook that hangs. */
async function tellOfEnd(hooks: OperationHooks, error: GraphQLError, invocation: OperationInvocation): Promise<void> {
  await withDeadline(
    tellOfErrors(hooks, [error]).then(() => true),
    invocation,
    { onLastMoment: () => true },
  );
}

/** `willSendSubsequentPayload` of every listener, which may change the payload it gets. */
export async function tellOfPayload({ listeners, context }: OperationHooks, payload: SubsequentPayload): Promise<SubsequentPayload> {
  const operation = context as RequestContextWithOperation<unknown>;
  for (const listener of listeners) await listener.willSendSubsequentPayload?.(operation, payload);
  return payload;
}
